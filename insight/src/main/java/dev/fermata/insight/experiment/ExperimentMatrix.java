package dev.fermata.insight.experiment;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.ExperimentSetting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Every setting × policy × seed, on several threads. Results are in that order whatever the threads do; runs cut off by
 * an interruption are left out.
 */
public final class ExperimentMatrix {
    private final List<MatrixCell> cells;
    private final FigurePlan figurePlan;
    private final Interruption interruption;
    private volatile boolean failed;

    public ExperimentMatrix(List<ExperimentSetting> settings, List<Long> seeds, Interruption interruption) {
        this(settings, seeds, FigurePlan.NONE, interruption);
    }

    public ExperimentMatrix(
            List<ExperimentSetting> settings, List<Long> seeds, FigurePlan figurePlan, Interruption interruption) {
        this(settings, setting -> seeds, figurePlan, interruption);
    }

    /** @param seeds of each setting */
    public ExperimentMatrix(
            List<ExperimentSetting> settings,
            Function<ExperimentSetting, List<Long>> seeds,
            FigurePlan figurePlan,
            Interruption interruption) {
        List<MatrixCell> all = new ArrayList<>();
        int groups = 0;
        for (ExperimentSetting setting : settings) {
            List<Long> own = seeds.apply(setting);
            for (PolicySpec policy : setting.policies()) {
                for (int k = 0; k < own.size(); k++) {
                    all.add(new MatrixCell(all.size(), groups + k, setting, policy, own.get(k)));
                }
            }
            groups += own.size();
        }
        this.cells = List.copyOf(all);
        this.figurePlan = figurePlan;
        this.interruption = interruption;
    }

    /** All runs, in the order of the results. */
    public List<MatrixCell> cells() {
        return cells;
    }

    /** Makes the runs that are not in the cache, and stores each as soon as it is done. */
    public List<MeasuredRun> run(int threads, RunProgress progress, RunCache runCache) {
        AtomicReferenceArray<MeasuredRun> answers = new AtomicReferenceArray<>(cells.size());
        List<MatrixCell> missing = new ArrayList<>();
        for (MatrixCell cell : cells) {
            Optional<MeasuredRun> known = runCache.find(cell).filter(run -> figurePlan.isRecorded(cell, run));
            if (known.isPresent()) {
                answers.set(cell.index(), known.get());
                progress.recordFinished(
                        cell.policy().text(),
                        cell.expectedJobs(),
                        known.get().result().wallSeconds());
            } else {
                missing.add(cell);
                progress.expect(cell.policy().text(), cell.expectedJobs());
            }
        }
        RunQueue runQueue = new RunQueue(
                groups(missing), cell -> progress.expectedSeconds(cell.policy().text(), cell.expectedJobs()));
        runOnThreads(Math.min(threads, missing.size()), () -> {
            for (Optional<RunQueue.QueuedRun> queued = runQueue.next();
                    queued.isPresent() && !isStopped();
                    queued = runQueue.next()) {
                MatrixCell cell = queued.get().cell();
                execute(queued.get(), progress).ifPresent(measured -> {
                    runCache.store(cell, measured).ifPresent(progress::warn);
                    answers.set(cell.index(), measured);
                });
            }
        });
        List<MeasuredRun> done = new ArrayList<>();
        for (int i = 0; i < answers.length(); i++) {
            Optional.ofNullable(answers.get(i)).ifPresent(done::add);
        }
        return done;
    }

    private static List<WorkloadGroup> groups(List<MatrixCell> cells) {
        return cells.stream()
                .collect(Collectors.groupingBy(MatrixCell::group, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(WorkloadGroup::new)
                .toList();
    }

    private Optional<MeasuredRun> execute(RunQueue.QueuedRun queued, RunProgress progress) {
        MatrixCell cell = queued.cell();
        try (RunProgress.RunTrack track =
                progress.begin(label(cell), cell.policy().text(), cell.expectedJobs())) {
            WorkloadGroup.PreparedWorkload prepared = queued.group().acquire();
            MeasuredRun measured = new RunExecutor(
                            cell.setting(),
                            Optional.empty(),
                            figurePlan.detail(cell.setting(), cell.seed()),
                            this::isStopped)
                    .run(prepared.workload(), prepared.lowerBoundMeanJctSeconds(), cell.policy(), cell.seed(), track);
            return measured.result().complete() ? Optional.of(measured.withoutJobs()) : Optional.empty();
        } finally {
            queued.group().release();
        }
    }

    private String label(MatrixCell cell) {
        String variation = cell.setting().variation();
        return cell.policy().text()
                + (variation.isEmpty() ? "" : " " + variation)
                + (cells.stream().anyMatch(c -> c.seed() != cell.seed()) ? " seed " + cell.seed() : "");
    }

    private boolean isStopped() {
        return failed || interruption.isRequested();
    }

    /** The same work on this many threads; the first failure ends them all. */
    private void runOnThreads(int threads, Runnable work) {
        if (threads == 0) {
            return;
        }
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                workers.add(pool.submit(() -> {
                    try {
                        work.run();
                    } catch (RuntimeException | Error e) {
                        failed = true; // the others need not go on
                        throw e;
                    }
                }));
            }
            workers.forEach(ExperimentMatrix::await);
        } finally {
            pool.shutdownNow();
        }
    }

    private static void await(Future<?> worker) {
        try {
            worker.get();
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
            throw UserError.interrupted("interrupted");
        }
    }
}
