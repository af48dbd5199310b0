package dev.fermata.app.replay;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.input.FaultsInput;
import dev.fermata.app.input.Scenario;
import dev.fermata.app.input.Setting;
import dev.fermata.app.input.WorkloadInput;
import dev.fermata.app.run.Measured;
import dev.fermata.app.run.Refusals;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.measure.Meter;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.LowerBound;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.portrait.Portrait;
import dev.fermata.sim.portrait.Portraitist;
import dev.fermata.sim.workload.Workload;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Plays an episode: as it was, measured from its own facts, and again under a policy. Both are measured by the same code. */
public final class Rerun {
    private static final long SEED = 1;
    /** How what really happened is called where policies are named. */
    public static final String AS_IT_WAS = "as it was";

    private final Episode episode;
    private final double lowerBound;
    private final Optional<Portrait.Detail> detail;
    private final List<PolicySpec> policies;
    private final BooleanSupplier stop;

    /** @param policies all that will be compared, what was live first */
    public Rerun(Episode episode, List<PolicySpec> policies, Optional<Portrait.Detail> detail, BooleanSupplier stop) {
        this.episode = episode;
        this.policies = policies;
        this.detail = detail;
        this.stop = stop;
        this.lowerBound = bound(episode);
    }

    /** Over the jobs that completed: it holds whatever else there was. */
    private static double bound(Episode episode) {
        Workload completed = new Workload(
                episode.workload().name(),
                episode.workload().jobs().stream()
                        .filter(job -> episode.completed().contains(job.job().id()))
                        .toList());
        return completed.jobs().isEmpty()
                ? 0
                : LowerBound.meanJctSeconds(
                        completed, episode.chronicle().cluster().topology());
    }

    /** A policy that decided in reality, under a name of its own. */
    public static PolicySpec live(PolicySpec policy) {
        return new PolicySpec(AS_IT_WAS, policy.info(), policy.settings());
    }

    /** What happened. */
    public Measured real(PolicySpec policy) {
        Topology topology = episode.chronicle().cluster().topology();
        Meter meter = new Meter(topology);
        Portraitist portraitist =
                detail.map(d -> new Portraitist(topology, meter, d)).orElse(null);
        for (Happened line : episode.real()) {
            meter.accept(line.atMillis(), line.fact());
            if (portraitist != null) {
                portraitist.accept(line.atMillis(), line.fact());
            }
        }
        RunResult result = new RunResult(
                AS_IT_WAS,
                episode.chronicle().cluster().name(),
                episode.workload().name(),
                ReplayedEstimator.LIVE,
                SEED,
                meter.summary(),
                lowerBound,
                meter.results(),
                true,
                episode.real().size(),
                0,
                0,
                0,
                0,
                0,
                portraitist == null ? null : portraitist.portrait());
        return measured(policy, ReplayedEstimator.LIVE, result);
    }

    /** Refuses an estimator that nobody knows. */
    public static String checkedEstimator(String text) {
        ReplayedEstimator.check(text);
        return text;
    }

    /** What a policy makes of it; empty when it was told to stop. */
    public Optional<Measured> under(PolicySpec policy, String estimator, Runnable ended) {
        Experiment experiment = new Experiment(
                episode.chronicle().cluster().name(),
                episode.chronicle().cluster().topology(),
                episode.workload(),
                policy,
                estimator,
                FaultsInput.parse("none").rates(),
                SEED,
                GuardMode.PLAN);
        try {
            RunResult result = experiment.run(
                    lowerBound, new Onlooker(ended), detail, ReplayedEstimator.parse(estimator, episode));
            return result.complete() ? Optional.of(measured(policy, estimator, result)) : Optional.empty();
        } catch (IllegalStateException e) {
            throw Complaint.failed(policy.text() + ": " + e.getMessage(), e);
        }
    }

    private Measured measured(PolicySpec policy, String estimator, RunResult result) {
        Scenario written = new Scenario(
                result.cluster(), result.workload(), "", "", "", estimator, "", "", "none", "plan", "", policies);
        Setting setting = new Setting(
                Map.of(),
                written,
                episode.chronicle().cluster(),
                WorkloadInput.recorded(episode.workload()),
                estimator,
                FaultsInput.parse("none"),
                GuardMode.PLAN,
                List.of(),
                policies);
        return new Measured(setting, policy, episode.measured().size(), result, Refusals.NONE);
    }

    /** Ends a run when all that are measured have ended. */
    private final class Onlooker implements Experiment.Watcher {
        private final Runnable ended;
        private int missing = episode.measured().size();

        Onlooker(Runnable ended) {
            this.ended = ended;
        }

        @Override
        public void fact(long nowMillis, Fact fact) {
            if (Episode.ends(fact)) {
                ended.run();
                missing -= episode.measured().contains(fact.jobId()) ? 1 : 0;
            }
        }

        @Override
        public boolean stop() {
            return stop.getAsBoolean();
        }

        @Override
        public boolean enough() {
            return missing == 0;
        }

        @Override
        public boolean measures(long jobId) {
            return jobId < 0 || episode.measured().contains(jobId);
        }
    }
}
