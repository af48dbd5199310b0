package dev.fermata.core.policy.ranking;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Running jobs of one type, grouped by all that decides what preempting one of them costs. The jobs of a group cost the
 * same, so a search for the cheapest victim looks at groups, of which there are few, and not at every job.
 */
public final class VictimGroups {
    private record GroupKey(
            int level,
            int gpus,
            long vacateMillis,
            long leaveAndReturnMillis,
            boolean savesWork,
            boolean maySuspend,
            boolean trial) {
        static GroupKey of(RankedJob entry) {
            return new GroupKey(
                    entry.rank.level(),
                    entry.weight,
                    entry.vacateMillis,
                    entry.leaveAndReturnMillis,
                    entry.savesWork,
                    entry.maySuspend,
                    entry.trial);
        }
    }

    /** Jobs that cost the same to preempt, unless they would lose work or may be suspended; by id. */
    public static final class Group {
        private final GroupKey key;
        private final List<RankedJob> jobs = new ArrayList<>();
        private int listed;

        private Group(GroupKey key) {
            this.key = key;
        }

        /** Its jobs by id. */
        public List<RankedJob> jobs() {
            return jobs;
        }

        /** A job like all others in what it costs. */
        public RankedJob example() {
            return jobs.get(0);
        }

        private int find(long id) {
            int low = 0;
            int high = jobs.size() - 1;
            if (high >= 0 && jobs.get(high).job.id() < id) {
                return -high - 2; // most jobs come in the order of their ids
            }
            while (low <= high) {
                int middle = (low + high) >>> 1;
                long there = jobs.get(middle).job.id();
                if (there == id) {
                    return middle;
                }
                if (there < id) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return -low - 1;
        }
    }

    private final Map<GroupKey, Group> byKey = new HashMap<>();
    private final List<Group> groups = new ArrayList<>();

    void add(RankedJob entry) {
        GroupKey key = GroupKey.of(entry);
        Group group = byKey.get(key);
        if (group == null) {
            group = new Group(key);
            group.listed = groups.size();
            byKey.put(key, group);
            groups.add(group);
        }
        entry.victimGroup = group;
        group.jobs.add(-group.find(entry.job.id()) - 1, entry);
    }

    void remove(RankedJob entry) {
        Group group = entry.victimGroup;
        if (group == null) {
            throw new IllegalStateException("job " + entry.job.id() + " is in no group");
        }
        entry.victimGroup = null;
        group.jobs.remove(group.find(entry.job.id()));
        if (group.jobs.isEmpty()) {
            byKey.remove(group.key);
            Group last = groups.remove(groups.size() - 1);
            if (last != group) {
                groups.set(group.listed, last);
                last.listed = group.listed;
            }
        }
    }

    /** The groups, none of them empty, in no particular order. */
    public List<Group> all() {
        return groups;
    }
}
