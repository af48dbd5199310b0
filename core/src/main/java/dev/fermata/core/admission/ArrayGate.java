package dev.fermata.core.admission;

import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How many jobs of each array are on GPUs or have reservations, and which wait for its limit. Arrays without a limit are not kept. */
final class ArrayGate {
    private static final class ArrayMembers {
        private final List<AdmissionEntry> pending = new ArrayList<>();
        private int occupying;
        private int planned;
        private int live;
    }

    private final LongMap<ArrayMembers> byId = new LongMap<>();
    private final List<ArrayMembers> touched = new ArrayList<>();

    /** Records the array of a job and whether it occupies GPUs now. Returns whether its array's gate may have moved. */
    boolean update(AdmissionEntry entry, boolean live, boolean occupies, boolean pending) {
        JobArray now = entry.jobView.job().array();
        boolean moved = false;
        if (entry.array.maxRunning() > 0) {
            ArrayMembers old = members(entry.array);
            old.occupying -= entry.occupiesGpus ? 1 : 0;
            old.pending.remove(entry);
            old.live--;
            moved = entry.occupiesGpus != occupies;
            if (old.live == 0) {
                byId.remove(entry.array.id());
            }
        }
        entry.array = live ? now : JobArray.NONE;
        entry.occupiesGpus = occupies;
        if (entry.array.maxRunning() > 0) {
            ArrayMembers members = members(now);
            members.live++;
            members.occupying += occupies ? 1 : 0;
            if (pending) {
                members.pending.add(entry);
            }
        }
        return moved;
    }

    private ArrayMembers members(JobArray array) {
        ArrayMembers found = byId.get(array.id());
        if (found == null) {
            found = new ArrayMembers();
            byId.put(array.id(), found);
        }
        return found;
    }

    /** Jobs of this array that wait, in no particular order. */
    List<AdmissionEntry> pending(JobArray array) {
        ArrayMembers members = byId.get(array.id());
        return members == null ? List.of() : List.copyOf(members.pending);
    }

    int occupying(JobArray array) {
        ArrayMembers members = byId.get(array.id());
        return members == null ? 0 : members.occupying + members.planned;
    }

    boolean isOpen(AdmissionEntry entry) {
        return limitingArray(entry) == null;
    }

    /** The array whose limit keeps a job back, or null. */
    @Nullable
    JobArray limitingArray(AdmissionEntry entry) {
        JobArray array = entry.jobView.job().array();
        return array.maxRunning() > 0 && occupying(array) >= array.maxRunning() ? array : null;
    }

    /** Another job of its array will be on GPUs when this round is over. */
    void addPlanned(AdmissionEntry entry) {
        JobArray array = entry.jobView.job().array();
        ArrayMembers members = array.maxRunning() > 0 ? byId.get(array.id()) : null;
        if (members != null) {
            members.planned++;
            touched.add(members);
        }
    }

    void clearPlans() {
        touched.forEach(members -> members.planned = 0);
        touched.clear();
    }
}
