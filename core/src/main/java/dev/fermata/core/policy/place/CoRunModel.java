package dev.fermata.core.policy.place;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.CoRunSlowdowns;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Predicts what co-location pays: what a new job on shared GPUs adds to the work done there, and takes from the jobs on them. */
final class CoRunModel {
    private final CoLocatedJobs coLocatedJobs;
    private final CoRunSlowdowns pairs = new CoRunSlowdowns();

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
            worst = Math.max(worst, slowdown(newcomer, coLocatedJobs.jobsOn(gpu), List.of(), null));
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
        List<JobView> found = new ArrayList<>();
        for (int gpu : gpus) {
            List<JobView> jobs = coLocatedJobs.jobsOn(gpu);
            for (int i = 0; i < jobs.size(); i++) {
                if (!found.contains(jobs.get(i))) {
                    found.add(jobs.get(i));
                }
            }
        }
        return found;
    }

    /** The GPUs of a running job, or null. */
    @Nullable
    Allocation allocationOf(JobView job) {
        return coLocatedJobs.allocationOf(job);
    }

    /** Whether two running jobs share a GPU. */
    boolean meet(JobView one, JobView other) {
        Allocation held = coLocatedJobs.allocationOf(one);
        Allocation others = coLocatedJobs.allocationOf(other);
        for (int i = 0; held != null && others != null && i < held.size(); i++) {
            if (others.contains(held.gpu(i))) {
                return true;
            }
        }
        return false;
    }

    /** How many times as long the new job takes on these GPUs, once the jobs that are gone have ended. */
    double newcomerSlowdown(JobView newcomer, int[] gpus, List<JobView> gone) {
        double worst = 1;
        for (int gpu : gpus) {
            worst = Math.max(worst, slowdown(newcomer, coLocatedJobs.jobsOn(gpu), gone, null));
        }
        return worst;
    }

    /** The same for a job that runs on some of these GPUs, with the new job or, where that is null, without. */
    double neighbourSlowdown(JobView neighbour, @Nullable JobView newcomer, int[] joined, List<JobView> gone) {
        Allocation held = coLocatedJobs.allocationOf(neighbour);
        double worst = 1;
        for (int i = 0; held != null && i < held.size(); i++) {
            boolean here = newcomer != null && contains(joined, held.gpu(i));
            List<JobView> jobs = coLocatedJobs.jobsOn(held.gpu(i));
            worst = Math.max(worst, slowdown(neighbour, jobs, gone, here ? newcomer : null));
        }
        return worst;
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
            boolean here = newcomer != null && contains(joined, held.gpu(i));
            List<JobView> jobs = coLocatedJobs.jobsOn(held.gpu(i));
            worst = Math.max(worst, slowdown(job, jobs, List.of(), here ? newcomer : null));
        }
        return 1 / worst;
    }

    /** How many times as long a job takes next to those on a GPU that are not gone, and next to a new job. */
    private double slowdown(JobView job, List<JobView> jobs, List<JobView> gone, @Nullable JobView newcomer) {
        Profile only = newcomer == null ? null : newcomer.job().profile();
        int count = newcomer == null ? 0 : 1;
        for (int i = 0; i < jobs.size(); i++) {
            JobView other = jobs.get(i);
            if (isOther(job, other, gone)) {
                only = other.job().profile();
                count++;
            }
        }
        if (count < 2) {
            return pairs.of(job.job().profile(), only);
        }
        List<Profile> others = new ArrayList<>(count);
        for (JobView other : jobs) {
            if (isOther(job, other, gone)) {
                others.add(other.job().profile());
            }
        }
        if (newcomer != null) {
            others.add(newcomer.job().profile());
        }
        return SpeedModel.coRunSlowdown(job.job().profile(), others);
    }

    private static boolean isOther(JobView job, JobView other, List<JobView> gone) {
        return other.id() != job.id() && (gone.isEmpty() || !gone.contains(other));
    }
}
