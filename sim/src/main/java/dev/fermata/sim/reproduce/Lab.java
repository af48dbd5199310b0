package dev.fermata.sim.reproduce;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Where experiments are run: pieces of work on a few threads, answered in the order they were asked for. */
public final class Lab {
    /** Told of every piece done; asked whether to stop. */
    public interface Watcher {
        void done(String piece);

        boolean stop();
    }

    /** Thrown out of {@link #all} when the watcher asked to stop. */
    public static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stopped() {
            super("stopped");
        }
    }

    /** A named piece of work. */
    public record Piece<T>(String name, Callable<T> work) {}

    private static final long PATIENCE_MILLIS = 100;

    private final ExecutorService pool;
    private final List<Long> seeds;
    private final Watcher watcher;

    public Lab(ExecutorService pool, List<Long> seeds, Watcher watcher) {
        this.pool = pool;
        this.seeds = List.copyOf(seeds);
        this.watcher = watcher;
    }

    public List<Long> seeds() {
        return seeds;
    }

    /** Runs all pieces and answers in their order. */
    public <T> List<T> all(List<Piece<T>> pieces) {
        List<Future<T>> running = new ArrayList<>(pieces.size());
        for (Piece<T> piece : pieces) {
            running.add(pool.submit(() -> {
                if (watcher.stop()) {
                    throw new Stopped();
                }
                T answer = piece.work.call();
                watcher.done(piece.name);
                return answer;
            }));
        }
        try {
            List<T> answers = new ArrayList<>(pieces.size());
            for (Future<T> one : running) {
                answers.add(await(one));
            }
            return answers;
        } finally {
            running.forEach(one -> one.cancel(false)); // after a failure nobody asks for the rest
        }
    }

    /** Does not wait for a piece that is slow to hear that it should stop. */
    private <T> T await(Future<T> one) {
        while (true) {
            try {
                return one.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (watcher.stop()) {
                    throw new Stopped();
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException cause) {
                    throw cause;
                }
                if (e.getCause() instanceof Error cause) {
                    throw cause;
                }
                throw new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new Stopped();
            }
        }
    }

    /** One simulated run, to the end, with the oracle and without faults. */
    public RunResult simulate(String clusterName, Topology topology, Workload workload, String policy, long seed) {
        return simulate(clusterName, topology, workload, policy, "oracle", seed);
    }

    public RunResult simulate(
            String clusterName, Topology topology, Workload workload, String policy, String estimator, long seed) {
        return simulate(clusterName, topology, workload, policy, estimator, seed, (now, fact) -> {});
    }

    /** One that somebody listens to: for what the summary does not say. */
    public RunResult simulate(
            String clusterName,
            Topology topology,
            Workload workload,
            String policy,
            String estimator,
            long seed,
            Simulation.Listener listener) {
        Experiment experiment = new Experiment(
                clusterName,
                topology,
                workload,
                PolicySpec.parse(policy),
                estimator,
                Faults.Rates.NONE,
                seed,
                GuardMode.PLAN);
        RunResult result = experiment.run(0, new Experiment.Watcher() {
            @Override
            public void fact(long nowMillis, Fact fact) {
                listener.fact(nowMillis, fact);
            }

            @Override
            public boolean stop() {
                return watcher.stop();
            }
        });
        if (!result.complete()) {
            throw new Stopped();
        }
        return result;
    }
}
