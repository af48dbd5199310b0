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
 * A queue of ten jobs that the authors ran, with the totals they measured: a check of the co-run model. Active and idle
 * milliseconds re-typed from their profile table (first worker); memory from their memory table, where it has the
 * configuration, else from the same model at its default batch size.
 *
 * @param measuredSeconds means of ten repetitions by policy, from the authors' repository
 */
record TestbedQueue(String name, List<TestbedJob> jobs, Map<String, Double> measuredSeconds) {
    static final int ITERATIONS = 100;
    static final long BOOT_MILLIS = 25_000;

    private record TestbedJob(String name, double active, double idle, int memoryMib) {}

    /** Boot time and interference were set on this one. */
    static final TestbedQueue TRIAL_5 = new TestbedQueue(
            "trial 5",
            List.of(
                    new TestbedJob("cifar10-resnet110-async-winograd", 253.4, 8.2, 1701),
                    new TestbedJob("cifar10-densenet40k12-sync-momentum", 115.0, 19.7, 1701),
                    new TestbedJob("imagenet-vgg11-async-b64", 897.6, 1355.3, 8839),
                    new TestbedJob("cifar10-resnet32v2-async-xla", 72.9, 8.0, 933),
                    new TestbedJob("cifar10-resnet20-sync-rmsprop", 50.4, 11.4, 933),
                    new TestbedJob("cifar10-resnet32v2-sync-winograd", 79.7, 10.9, 933),
                    new TestbedJob("imagenet-resnet50-sync-fp16", 232.5, 81.1, 8839),
                    new TestbedJob("imagenet-inception3-async-fp16", 285.4, 83.8, 8839),
                    new TestbedJob("cifar10-resnet44v2-async-winograd", 114.8, 7.0, 933),
                    new TestbedJob("imagenet-overfeat-sync-fp16", 901.0, 1618.7, 8839)),
            Map.of("fifo", 862.6, "fifo:share=2", 634.8, "xonar", 556.0));

    /**
     * Nothing was set on this one. Which jobs trial 1 had is not stated; these are the other random queue that the
     * authors' scheduler has checked in.
     */
    static final TestbedQueue TRIAL_1 = new TestbedQueue(
            "trial 1",
            List.of(
                    new TestbedJob("cifar10-densenet100k12-sync-b32", 278.8, 53.9, 4741),
                    new TestbedJob("cifar10-resnet20v2-sync-b512", 62.6, 17.5, 2951),
                    new TestbedJob("cifar10-resnet32v2-async-b512", 82.8, 31.0, 2951),
                    new TestbedJob("imagenet-alexnet-async-b256", 350.6, 542.4, 4745),
                    new TestbedJob("imagenet-resnet50-sync-data-format", 214.1, 76.3, 8839),
                    new TestbedJob("cifar10-resnet32-async-fp16", 90.0, 6.5, 917),
                    new TestbedJob("imagenet-googlenet-async-b512", 211.1, 410.7, 18057),
                    new TestbedJob("cifar10-vgg16-sync-b256", 187.3, 253.1, 6287),
                    new TestbedJob("imagenet-inception4-async-winograd", 572.7, 232.8, 17031),
                    new TestbedJob("cifar10-resnet32v2-async-b64", 64.8, 6.7, 933)),
            Map.of("fifo:share=2", 501.0, "xonar", 459.2));

    static final List<TestbedQueue> ALL = List.of(TRIAL_5, TRIAL_1);

    OptionalDouble measured(String policy) {
        Double seconds = measuredSeconds.get(policy);
        return seconds == null ? OptionalDouble.empty() : OptionalDouble.of(seconds);
    }

    Workload workload() {
        List<SimulatedJob> simulated = new ArrayList<>();
        for (TestbedJob job : jobs) {
            double iteration = job.active + job.idle;
            Profile profile = new Profile(job.name, iteration, job.active / iteration, 0, 1, job.memoryMib, Map.of());
            simulated.add(XonarGenerator.job(simulated.size() + 1, profile, 2, ITERATIONS, BOOT_MILLIS, 0));
        }
        return new Workload(name, simulated);
    }
}
