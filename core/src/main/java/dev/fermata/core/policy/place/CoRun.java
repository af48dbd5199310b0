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

/** Predicts what a newcomer on shared GPUs adds to the work done there, and what it takes from those beside it. */
final class CoRun {
    private final Residents residents;

    CoRun(Residents residents) {
        this.residents = residents;
    }

    /** Work gained on one GPU when a job with busy share {@code own} joins one with {@code other}, alone being 1. */
    static double pairGain(double own, double other) {
        return 1 / SpeedModel.coRunStretch(own, other) + 1 / SpeedModel.coRunStretch(other, own) - 1;
    }

    /** Whether it is known from a measurement how this job, or one of these, does beside the other. */
    static boolean measured(JobView newcomer, List<JobView> residents) {
        Profile own = newcomer.job().profile();
        for (JobView resident : residents) {
            Profile theirs = resident.job().profile();
            if (own.stretchBeside().containsKey(theirs.model())
                    || theirs.stretchBeside().containsKey(own.model())) {
                return true;
            }
        }
        return false;
    }

    /**
     * GPU-equivalents of work gained when a job joins these GPUs: its pace times its GPUs, less what those beside it lose
     * over all of theirs, since a gang is as slow as its most crowded GPU.
     */
    double gain(JobView newcomer, int[] gpus) {
        double worst = 1;
        Map<Long, JobView> beside = new LinkedHashMap<>();
        for (int gpu : gpus) {
            List<JobView> others = residents.on(gpu);
            worst = Math.max(worst, stretch(newcomer, others, null));
            others.forEach(other -> beside.put(other.id(), other));
        }
        double gain = gpus.length / worst;
        for (JobView resident : beside.values()) {
            Allocation held = residents.of(resident);
            if (held != null) {
                gain -= held.size() * (pace(resident, held, null, gpus) - pace(resident, held, newcomer, gpus));
            }
        }
        return gain;
    }

    /** Pace of a job on its GPUs, with the newcomer on some of them if there is one. */
    private double pace(JobView job, Allocation held, @Nullable JobView newcomer, int[] joined) {
        double worst = 1;
        for (int i = 0; i < held.size(); i++) {
            boolean here = false;
            for (int gpu : joined) {
                here |= gpu == held.gpu(i);
            }
            worst = Math.max(worst, stretch(job, residents.on(held.gpu(i)), here ? newcomer : null));
        }
        return 1 / worst;
    }

    private static double stretch(JobView job, List<JobView> together, @Nullable JobView newcomer) {
        List<Profile> others = new ArrayList<>(together.size() + 1);
        for (JobView other : together) {
            if (other.id() != job.id()) {
                others.add(other.job().profile());
            }
        }
        if (newcomer != null) {
            others.add(newcomer.job().profile());
        }
        return SpeedModel.coRunStretch(job.job().profile(), others);
    }
}
