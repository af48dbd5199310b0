package dev.fermata.core.policy.place;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
        for (int gpu : gpus) {
            worst = Math.max(worst, slowdown(newcomer, coLocatedJobs.jobsOn(gpu), null));
        }
        double gain = gpus.length / worst;
        for (JobView neighbour : gpus.length == 1 ? coLocatedJobs.jobsOn(gpus[0]) : jobsOn(gpus)) {
            Allocation held = coLocatedJobs.allocationOf(neighbour);
            if (held != null) {
                gain -= held.size() * (speed(neighbour, held, null, gpus) - speed(neighbour, held, newcomer, gpus));
            }
        }
        return gain;
    }

    /** The jobs on these GPUs, each once, in order of their coming. */
    List<JobView> jobsOn(int[] gpus) {
        Map<Long, JobView> found = new LinkedHashMap<>();
        for (int gpu : gpus) {
            coLocatedJobs.jobsOn(gpu).forEach(job -> found.put(job.id(), job));
        }
        return new ArrayList<>(found.values());
    }

    /** The GPUs of a running job, or null. */
    @Nullable
    Allocation allocationOf(JobView job) {
        return coLocatedJobs.allocationOf(job);
    }

    /** How many times as long the new job takes on these GPUs, once the jobs that are gone have ended. */
    double newcomerSlowdown(JobView newcomer, int[] gpus, Set<Long> gone) {
        double worst = 1;
        for (int gpu : gpus) {
            worst = Math.max(worst, slowdown(newcomer, present(gpu, gone), null));
        }
        return worst;
    }

    /** The same for a job that runs on some of these GPUs, with the new job or, where that is null, without. */
    double neighbourSlowdown(JobView neighbour, @Nullable JobView newcomer, int[] joined, Set<Long> gone) {
        Allocation held = coLocatedJobs.allocationOf(neighbour);
        double worst = 1;
        for (int i = 0; held != null && i < held.size(); i++) {
            boolean here = newcomer != null && contains(joined, held.gpu(i));
            worst = Math.max(worst, slowdown(neighbour, present(held.gpu(i), gone), here ? newcomer : null));
        }
        return worst;
    }

    private List<JobView> present(int gpu, Set<Long> gone) {
        List<JobView> jobs = coLocatedJobs.jobsOn(gpu);
        return gone.isEmpty()
                ? jobs
                : jobs.stream().filter(job -> !gone.contains(job.id())).toList();
    }

    private static boolean contains(int[] gpus, int wanted) {
        for (int gpu : gpus) {
            if (gpu == wanted) {
                return true;
            }
        }
        return false;
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
