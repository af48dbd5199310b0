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
import org.jspecify.annotations.Nullable;

/** How well the simulator repeats what a daemon really did, and how much better it would have done had it known every run time. */
public final class FidelityTrial {
    /** What the policies are told, from knowing least to knowing all. */
    private static final List<String> ESTIMATORS = List.of("declared", "history", "live", "oracle");

    /**
     * What came out.
     *
     * @param fromNothing mean JCT in the simulator by estimator, of which those that learn know nothing at first
     * @param taught the same for the second half of the jobs alone, with estimators that have seen the first half
     */
    public record Outcome(
            String workload,
            String policy,
            Measured real,
            Fidelity fidelity,
            Map<String, Double> fromNothing,
            Map<String, Double> taught) {}

    private FidelityTrial() {}

    /** The names there are. */
    public static List<String> workloads() {
        return LiveWorkload.NAMES;
    }

    /**
     * @param keep the file for the history; null for none
     * @param seconds over which {@code jobs} jobs arrive
     */
    public static Outcome run(
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
        Chronicle chronicle = new LiveTrial(folder, keep, interruption)
                .run(LiveWorkload.named(workload, seed, jobs, seconds), policy, watcher);
        return judged(workload, chronicle);
    }

    static Outcome judged(String workload, Chronicle chronicle) {
        Episode episode = Episode.of(chronicle, Long.MIN_VALUE, Long.MAX_VALUE);
        PolicySpec policy = PolicySpec.parse(chronicle.policy());
        Rerun rerun = new Rerun(episode, List.of(Rerun.live(policy), policy), Optional.empty(), () -> false);
        Measured real = rerun.real(Rerun.live(policy));
        Measured same = rerun.under(policy, "live", () -> {}).orElseThrow();
        Map<String, Double> fromNothing = new LinkedHashMap<>();
        Map<String, Double> taught = new LinkedHashMap<>();
        Rerun half = new Rerun(episode.secondHalf(), List.of(policy), Optional.empty(), () -> false);
        for (String estimator : ESTIMATORS) {
            fromNothing.put(estimator, meanJct(rerun, policy, estimator));
            taught.put(estimator, meanJct(half, policy, estimator));
        }
        return new Outcome(workload, policy.text(), real, Fidelity.of(real, same), fromNothing, taught);
    }

    private static double meanJct(Rerun rerun, PolicySpec policy, String estimator) {
        return rerun.under(policy, estimator, () -> {}).orElseThrow().meanJctSeconds();
    }
}
