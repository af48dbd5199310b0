package dev.fermata.research.xonar;

import dev.fermata.core.model.Profile;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.XonarGenerator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The ten jobs of the authors' fifth trial, for which they give measured totals: a check of the co-run model. Active and
 * idle milliseconds re-typed from their profile table (first worker); memory from their memory table, where it has the
 * configuration, else from the same model at its default batch size.
 */
final class TestbedQueue {
    static final int ITERATIONS = 100;
    static final long BOOT_MILLIS = 25_000;

    private record TestbedJob(String name, double active, double idle, int memoryMib) {}

    private static final List<TestbedJob> ROWS = List.of(
            new TestbedJob("cifar10-resnet110-async-winograd", 253.4, 8.2, 1701),
            new TestbedJob("cifar10-densenet40k12-sync-momentum", 115.0, 19.7, 1701),
            new TestbedJob("imagenet-vgg11-async-b64", 897.6, 1355.3, 8839),
            new TestbedJob("cifar10-resnet32v2-async-xla", 72.9, 8.0, 933),
            new TestbedJob("cifar10-resnet20-sync-rmsprop", 50.4, 11.4, 933),
            new TestbedJob("cifar10-resnet32v2-sync-winograd", 79.7, 10.9, 933),
            new TestbedJob("imagenet-resnet50-sync-fp16", 232.5, 81.1, 8839),
            new TestbedJob("imagenet-inception3-async-fp16", 285.4, 83.8, 8839),
            new TestbedJob("cifar10-resnet44v2-async-winograd", 114.8, 7.0, 933),
            new TestbedJob("imagenet-overfeat-sync-fp16", 901.0, 1618.7, 8839));

    /** Means of ten repetitions, in seconds, from the authors' repository. */
    private static final Map<String, Double> MEASURED = Map.of("fifo", 862.6, "fifo:share=2", 634.8, "xonar", 556.0);

    private TestbedQueue() {}

    static OptionalDouble measuredSeconds(String policy) {
        Double seconds = MEASURED.get(policy);
        return seconds == null ? OptionalDouble.empty() : OptionalDouble.of(seconds);
    }

    static Workload workload() {
        List<SimulatedJob> jobs = new ArrayList<>();
        for (TestbedJob row : ROWS) {
            double iteration = row.active + row.idle;
            Profile profile = new Profile(row.name, iteration, row.active / iteration, 0, 1, row.memoryMib, Map.of());
            jobs.add(XonarGenerator.job(jobs.size() + 1, profile, 2, ITERATIONS, BOOT_MILLIS, 0));
        }
        return new Workload("trial5", jobs);
    }
}
