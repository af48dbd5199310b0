package dev.fermata.core.estimate;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The groups that some jobs belong to, the most general first, and what was last concluded from them. */
final class GroupPath {
    /** This many jobs of other models must have ended before they count for a job: one short job is no rule. */
    private static final int MIN_GENERAL_JOBS = 10;

    /** A conclusion holds until the number of ended jobs of the most specific group has grown by this share. */
    private static final int REFRESH_SHARE = 8;

    private final SurvivalCounts[] groups;
    private @Nullable HazardModel hazardModel;
    private long hazardModelVersion;
    private int hazardModelJobs;

    GroupPath(SurvivalCounts[] groups) {
        this.groups = groups;
    }

    /** How many jobs ended of the group at this depth. */
    int endedJobs(int depth) {
        return groups[depth].endedJobs();
    }

    /** A job passed all ages from one step up to another. */
    void recordPassed(int fromStep, int toStep) {
        for (SurvivalCounts group : groups) {
            group.recordPassed(fromStep, toStep);
        }
    }

    /** A job ended in this step; how well that was predicted decides how far each group is trusted. */
    void recordEnd(int step, GroupWeight[] groupWeights) {
        double above = HazardModel.priorProbability(step);
        boolean[] informative = informativeGroups();
        for (int depth = 0; depth < groups.length; depth++) {
            if (informative[depth]) {
                SurvivalCounts group = groups[depth];
                double probability = groupWeights[depth].probability(group.ended(step), group.endedJobs(), above);
                groupWeights[depth].learn(group.ended(step), group.endedJobs(), above);
                above = probability;
            }
        }
        for (SurvivalCounts group : groups) {
            group.recordEnd(step);
        }
    }

    /** The present estimate; recomputed with every version, and when enough jobs have ended. */
    HazardModel hazardModel(long version, GroupWeight[] groupWeights) {
        HazardModel known = peekHazardModel(version, groupWeights);
        if (known != hazardModel) {
            hazardModel = known;
            hazardModelVersion = version;
            hazardModelJobs = groups[groups.length - 1].endedJobs();
        }
        return known;
    }

    /** The same for a reader: only decisions recompute it. */
    HazardModel peekHazardModel(long version, GroupWeight[] groupWeights) {
        int jobs = groups[groups.length - 1].endedJobs();
        HazardModel known = hazardModel;
        if (known != null
                && version == hazardModelVersion
                && jobs <= hazardModelJobs + hazardModelJobs / REFRESH_SHARE) {
            return known;
        }
        List<HazardModel.WeightedGroup> sources = new ArrayList<>(groups.length);
        boolean[] informative = informativeGroups();
        for (int depth = 0; depth < groups.length; depth++) {
            if (informative[depth]) {
                sources.add(new HazardModel.WeightedGroup(groups[depth], groupWeights[depth].weight()));
            }
        }
        return new HazardModel(sources);
    }

    /** Which groups have enough ended jobs, and not the same jobs as the group above: those would count twice. */
    private boolean[] informativeGroups() {
        boolean[] informative = new boolean[groups.length];
        int lastInformative = 0;
        for (int depth = 0; depth < groups.length; depth++) {
            int jobs = groups[depth].endedJobs();
            informative[depth] =
                    jobs != lastInformative && jobs >= (depth < JobGroups.MODEL_DEPTH ? MIN_GENERAL_JOBS : 1);
            lastInformative = informative[depth] ? jobs : lastInformative;
        }
        return informative;
    }
}
