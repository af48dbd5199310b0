package dev.fermata.core.policy.place;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Predicts what co-location pays: what a new job on shared GPUs adds to the work done there, and takes from the jobs on them. */
final class CoRunModel {
    private final CoLocatedJobs coLocatedJobs;

    CoRunModel(CoLocatedJobs coLocatedJobs) {
        this.coLocatedJobs = coLocatedJobs;
    }

    /** Work gained on one GPU when a job with busy share {@code own} joins one with {@code other}, alone being 1. */
    static double coRunGain(double own, double other) {
        return 1 / SpeedModel.coRunSlowdown(own, other) + 1 / SpeedModel.coRunSlowdown(other, own) - 1;
    }

    /** Whether the co-run of this job with one of these was measured. */
    static boolean isMeasured(JobView newcomer, List<JobView> coLocatedJobs) {
        Profile own = newcomer.job().profile();
        for (JobView neighbour : coLocatedJobs) {
            Profile neighbourProfile = neighbour.job().profile();
            if (own.coRunSlowdown().containsKey(neighbourProfile.model())
                    || neighbourProfile.coRunSlowdown().containsKey(own.model())) {
                return true;
            }
        }
        return false;
    }

    /**
     * GPU-equivalents of work gained when a job joins these GPUs. That is its speed times its GPUs, less what the jobs
     * there lose over all of their GPUs, since a gang is as slow as its most crowded GPU.
     */
    double gain(JobView newcomer, int[] gpus) {
        double worst = 1;
        Map<Long, JobView> neighbours = new LinkedHashMap<>();
        for (int gpu : gpus) {
            List<JobView> others = coLocatedJobs.jobsOn(gpu);
            worst = Math.max(worst, slowdown(newcomer, others, null));
            others.forEach(other -> neighbours.put(other.id(), other));
        }
        double gain = gpus.length / worst;
        for (JobView neighbour : neighbours.values()) {
            Allocation held = coLocatedJobs.allocationOf(neighbour);
            if (held != null) {
                gain -= held.size() * (speed(neighbour, held, null, gpus) - speed(neighbour, held, newcomer, gpus));
            }
        }
        return gain;
    }

    /** Speed of a job on its GPUs, with the new job on some of them if there is one. */
    private double speed(JobView job, Allocation held, @Nullable JobView newcomer, int[] joined) {
        double worst = 1;
        for (int i = 0; i < held.size(); i++) {
            boolean here = false;
            for (int gpu : joined) {
                here |= gpu == held.gpu(i);
            }
            worst = Math.max(worst, slowdown(job, coLocatedJobs.jobsOn(held.gpu(i)), here ? newcomer : null));
        }
        return 1 / worst;
    }

    private static double slowdown(JobView job, List<JobView> neighbours, @Nullable JobView newcomer) {
        List<Profile> others = new ArrayList<>(neighbours.size() + 1);
        for (JobView other : neighbours) {
            if (other.id() != job.id()) {
                others.add(other.job().profile());
            }
        }
        if (newcomer != null) {
            others.add(newcomer.job().profile());
        }
        return SpeedModel.coRunSlowdown(job.job().profile(), others);
    }
}
