package dev.fermata.bench.measure;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.replay.Fidelity;
import dev.fermata.insight.replay.RecordedHistory;
import dev.fermata.insight.replay.ReplayRunner;
import dev.fermata.insight.replay.ReplayWindow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Measures how well the simulator repeats what a daemon did, and how much better an oracle would have done. */
public final class FidelityBenchmark {
    /** The estimators of the policies, from the least informed to the oracle. */
    private static final List<String> ESTIMATORS = List.of("declared", "history", "live", "oracle");

    /**
     * What came out.
     *
     * @param withoutHistory mean JCT in the simulator by estimator, where estimators that learn start empty
     * @param withHistory the same for the second half of the jobs alone, with estimators that have seen the first half
     */
    public record FidelityResult(
            String workload,
            String policy,
            MeasuredRun recorded,
            Fidelity fidelity,
            Map<String, Double> withoutHistory,
            Map<String, Double> withHistory) {}

    private FidelityBenchmark() {}

    /** The names there are. */
    public static List<String> workloads() {
        return LiveWorkload.NAMES;
    }

    /**
     * @param keep the file for the history; null for none
     * @param seconds over which {@code jobs} jobs arrive
     */
    public static FidelityResult run(
            Path folder,
            @Nullable Path keep,
            String workload,
            String policy,
            long seed,
            int jobs,
            double seconds,
            Interruption interruption,
            BiConsumer<Integer, Integer> watcher)
            throws IOException, InterruptedException {
        RecordedHistory history = new LiveWorkloadRun(folder, keep, interruption)
                .run(LiveWorkload.named(workload, seed, jobs, seconds), policy, watcher);
        return compare(workload, history);
    }

    static FidelityResult compare(String workload, RecordedHistory history) {
        ReplayWindow window = ReplayWindow.of(history, Long.MIN_VALUE, Long.MAX_VALUE);
        PolicySpec policy = PolicySpec.parse(history.policy());
        ReplayRunner runner = new ReplayRunner(
                window, List.of(ReplayRunner.recordedPolicy(policy), policy), Optional.empty(), () -> false);
        MeasuredRun real = runner.recorded(ReplayRunner.recordedPolicy(policy));
        MeasuredRun same = runner.replay(policy, "live", () -> {}).orElseThrow();
        Map<String, Double> fromNothing = new LinkedHashMap<>();
        Map<String, Double> withHistory = new LinkedHashMap<>();
        ReplayRunner half = new ReplayRunner(window.secondHalf(), List.of(policy), Optional.empty(), () -> false);
        for (String estimator : ESTIMATORS) {
            fromNothing.put(estimator, meanJct(runner, policy, estimator));
            withHistory.put(estimator, meanJct(half, policy, estimator));
        }
        return new FidelityResult(workload, policy.text(), real, Fidelity.of(real, same), fromNothing, withHistory);
    }

    private static double meanJct(ReplayRunner runner, PolicySpec policy, String estimator) {
        return runner.replay(policy, estimator, () -> {}).orElseThrow().meanJctSeconds();
    }
}
