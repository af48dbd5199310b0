package dev.fermata.app.run;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.input.Setting;
import dev.fermata.app.output.Progress;
import dev.fermata.core.policy.PolicySpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;

/**
 * Every setting × policy × seed, on several threads. The answer is in that order whatever the threads did; runs that an
 * interruption cut off are left out.
 */
public final class Matrix {
    private final List<Cell> cells;
    private final Sitting sitting;
    private final Interruption interruption;
    private volatile boolean failed;

    public Matrix(List<Setting> settings, List<Long> seeds, Interruption interruption) {
        this(settings, seeds, Sitting.NONE, interruption);
    }

    public Matrix(List<Setting> settings, List<Long> seeds, Sitting sitting, Interruption interruption) {
        List<Cell> all = new ArrayList<>();
        for (int s = 0; s < settings.size(); s++) {
            Setting setting = settings.get(s);
            for (PolicySpec policy : setting.policies()) {
                for (int k = 0; k < seeds.size(); k++) {
                    all.add(new Cell(all.size(), s * seeds.size() + k, setting, policy, seeds.get(k)));
                }
            }
        }
        this.cells = List.copyOf(all);
        this.sitting = sitting;
        this.interruption = interruption;
    }

    /** All runs, in the order of the answer. */
    public List<Cell> cells() {
        return cells;
    }

    /** Makes the runs that are not on the shelf, and puts each there as soon as it is done. */
    public List<Measured> run(int threads, Progress progress, Shelf shelf) {
        AtomicReferenceArray<Measured> answers = new AtomicReferenceArray<>(cells.size());
        List<Cell> missing = new ArrayList<>();
        for (Cell cell : cells) {
            Optional<Measured> known = shelf.find(cell).filter(run -> sitting.shown(cell, run));
            if (known.isPresent()) {
                answers.set(cell.place(), known.get());
                progress.remember(
                        cell.policy().text(),
                        cell.expectedJobs(),
                        known.get().result().wallSeconds());
            } else {
                missing.add(cell);
                progress.expect(cell.policy().text(), cell.expectedJobs());
            }
        }
        Agenda agenda = new Agenda(
                scenes(missing), cell -> progress.expectedSeconds(cell.policy().text(), cell.expectedJobs()));
        work(Math.min(threads, missing.size()), () -> {
            for (Optional<Agenda.Turn> turn = agenda.next(); turn.isPresent() && !stopped(); turn = agenda.next()) {
                Cell cell = turn.get().cell();
                play(turn.get(), progress).ifPresent(measured -> {
                    shelf.keep(cell, measured).ifPresent(progress::warn);
                    answers.set(cell.place(), measured);
                });
            }
        });
        List<Measured> done = new ArrayList<>();
        for (int i = 0; i < answers.length(); i++) {
            Optional.ofNullable(answers.get(i)).ifPresent(done::add);
        }
        return done;
    }

    private static List<Scene> scenes(List<Cell> cells) {
        return cells.stream()
                .collect(Collectors.groupingBy(Cell::scene, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(Scene::new)
                .toList();
    }

    private Optional<Measured> play(Agenda.Turn turn, Progress progress) {
        Cell cell = turn.cell();
        try (Progress.Track track = progress.begin(label(cell), cell.policy().text(), cell.expectedJobs())) {
            Scene.Made made = turn.scene().use();
            Measured measured = new OneRun(
                            cell.setting(), Optional.empty(), sitting.of(cell.setting(), cell.seed()), this::stopped)
                    .run(made.workload(), made.lowerBoundMeanJctSeconds(), cell.policy(), cell.seed(), track);
            return measured.result().complete() ? Optional.of(measured.summaryOnly()) : Optional.empty();
        } finally {
            turn.scene().release();
        }
    }

    private String label(Cell cell) {
        String variation = cell.setting().variation();
        return cell.policy().text()
                + (variation.isEmpty() ? "" : " " + variation)
                + (cells.stream().anyMatch(c -> c.seed() != cell.seed()) ? " seed " + cell.seed() : "");
    }

    private boolean stopped() {
        return failed || interruption.asked();
    }

    /** The same work on so many threads; the first failure ends them all. */
    private void work(int threads, Runnable work) {
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
            workers.forEach(Matrix::await);
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
            throw Complaint.interrupted("interrupted");
        }
    }
}
