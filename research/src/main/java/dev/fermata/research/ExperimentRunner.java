package dev.fermata.research;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Runs experiments as work units on a few threads. Results are in the order of the units. */
public final class ExperimentRunner {
    /** Receives every completed unit, and says whether to stop. */
    public interface ProgressObserver {
        void completed(String workUnit);

        boolean shouldStop();
    }

    /** Thrown by {@link #runAll} when the observer stops it. */
    public static final class RunCancelledException extends RuntimeException {
        private static final long serialVersionUID = 1;

        RunCancelledException() {
            super("stopped");
        }
    }

    /** A named unit of work. */
    public record WorkUnit<T>(String name, Callable<T> work) {}

    private static final long POLL_MILLIS = 100;

    private final ExecutorService pool;
    private final List<Long> seeds;
    private final ProgressObserver observer;
    private final @Nullable Path data;

    public ExperimentRunner(ExecutorService pool, List<Long> seeds, ProgressObserver observer) {
        this(pool, seeds, observer, null);
    }

    /** @param data a folder with traces that authors released, or null */
    public ExperimentRunner(ExecutorService pool, List<Long> seeds, ProgressObserver observer, @Nullable Path data) {
        this.data = data;
        this.pool = pool;
        this.seeds = List.copyOf(seeds);
        this.observer = observer;
    }

    public List<Long> seeds() {
        return seeds;
    }

    /** The folder with traces that authors released, or null where none is named. */
    public @Nullable Path data() {
        return data;
    }

    /** Runs all units and returns their results in order. */
    public <T> List<T> runAll(List<WorkUnit<T>> workUnits) {
        List<Future<T>> running = new ArrayList<>(workUnits.size());
        for (WorkUnit<T> workUnit : workUnits) {
            running.add(pool.submit(() -> {
                if (observer.shouldStop()) {
                    throw new RunCancelledException();
                }
                T answer = workUnit.work.call();
                observer.completed(workUnit.name);
                return answer;
            }));
        }
        try {
            List<T> answers = new ArrayList<>(workUnits.size());
            for (Future<T> one : running) {
                answers.add(await(one));
            }
            return answers;
        } finally {
            running.forEach(one -> one.cancel(false)); // after a failure the rest is not needed
        }
    }

    /** Does not wait for a unit that is slow to stop. */
    private <T> T await(Future<T> one) {
        while (true) {
            try {
                return one.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (observer.shouldStop()) {
                    throw new RunCancelledException();
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
                throw new RunCancelledException();
            }
        }
    }

    /** One simulated run, to the end, with the oracle and without faults. */
    public RunResult simulate(String clusterName, Topology topology, Workload workload, String policy, long seed) {
        return simulate(clusterName, topology, workload, policy, "oracle", seed);
    }

    public RunResult simulate(
            String clusterName, Topology topology, Workload workload, String policy, String estimator, long seed) {
        return simulate(clusterName, topology, workload, policy, estimator, seed, (now, record) -> {});
    }

    /** The same with a listener, for what is not in the summary. */
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
                Faults.FaultRates.NONE,
                seed,
                GuardMode.PLAN);
        RunResult result = experiment.run(0, new Experiment.RunObserver() {
            @Override
            public void onRecord(long nowMillis, HistoryRecord record) {
                listener.onRecord(nowMillis, record);
            }

            @Override
            public boolean shouldStop() {
                return observer.shouldStop();
            }
        });
        if (!result.complete()) {
            throw new RunCancelledException();
        }
        return result;
    }
}
