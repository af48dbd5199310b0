package dev.fermata.app.bench;

import dev.fermata.app.exit.Interruption;
import dev.fermata.app.replay.Chronicle;
import dev.fermata.app.replay.Episode;
import dev.fermata.app.replay.Fidelity;
import dev.fermata.app.replay.Rerun;
import dev.fermata.app.run.Measured;
import dev.fermata.core.policy.PolicySpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** How well the simulator repeats what a daemon really did, and how much better it would have done had it known every run time. */
public final class FidelityTrial {
    /** What the policies are told, from knowing least to knowing all. */
    private static final List<String> ESTIMATORS = List.of("declared", "history", "live", "oracle");

    /**
     * What came out.
     *
     * @param meanJctSeconds in the simulator, by estimator
     */
    public record Outcome(
            String workload,
            String policy,
            Chronicle chronicle,
            Measured real,
            Measured simulated,
            Fidelity fidelity,
            Map<String, Double> meanJctSeconds) {}

    private FidelityTrial() {}

    /** The names there are. */
    public static List<String> workloads() {
        return LiveWorkload.NAMES;
    }

    /** @param seconds over which {@code jobs} jobs arrive */
    public static Outcome run(
            Path folder,
            String workload,
            String policy,
            long seed,
            int jobs,
            double seconds,
            Interruption interruption,
            BiConsumer<Integer, Integer> watcher)
            throws IOException, InterruptedException {
        Chronicle chronicle = new LiveTrial(folder, interruption)
                .run(LiveWorkload.named(workload, seed, jobs, seconds), policy, watcher);
        return judged(workload, chronicle);
    }

    private static Outcome judged(String workload, Chronicle chronicle) {
        Episode episode = Episode.of(chronicle, Long.MIN_VALUE, Long.MAX_VALUE);
        PolicySpec policy = PolicySpec.parse(chronicle.policy());
        Rerun rerun = new Rerun(episode, List.of(Rerun.live(policy), policy), Optional.empty(), () -> false);
        Measured real = rerun.real(Rerun.live(policy));
        Map<String, Measured> simulated = new LinkedHashMap<>();
        for (String estimator : ESTIMATORS) {
            simulated.put(estimator, rerun.under(policy, estimator, () -> {}).orElseThrow());
        }
        Map<String, Double> meanJct = new LinkedHashMap<>();
        simulated.forEach((estimator, run) -> meanJct.put(estimator, run.meanJctSeconds()));
        Measured same = simulated.getOrDefault("live", real);
        return new Outcome(workload, policy.text(), chronicle, real, same, Fidelity.of(real, same), meanJct);
    }
}
