package dev.fermata.live.engine.local;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Launch;

/** How fast an attempt is taken to be while nothing better is known: as the speed model says for an unknown profile. */
final class Speed {
    private Speed() {}

    /** The speed of its GPUs against the reference, scaled by how many of the GPUs it asked for at most it got. */
    static long paceMicro(Launch launch, Topology topology) {
        Job job = Job.builder(launch.jobId(), launch.spec().maxGpus()).build();
        return SpeedModel.alone(job, launch.allocation(), topology).micro();
    }
}
