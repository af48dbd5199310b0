package dev.fermata.live.attempt;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Launch;

/** The assumed speed of an attempt without measurements: the speed model's value for an unknown profile. */
final class AssumedSpeed {
    private AssumedSpeed() {}

    /** The speed of its GPUs relative to the reference, scaled by its share of the most GPUs it requested. */
    static long speedMicro(Launch launch, Topology topology) {
        Job job = Job.builder(launch.jobId(), launch.spec().maxGpus()).build();
        return SpeedModel.speedAlone(job, launch.allocation(), topology).micro();
    }
}
