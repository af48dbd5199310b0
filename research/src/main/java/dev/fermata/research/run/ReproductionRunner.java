package dev.fermata.research.run;

import dev.fermata.insight.exit.Interruption;
import dev.fermata.research.ComparisonCount;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs reproductions one after the other, each on all threads, until all are done, one fails, or the user interrupts.
 */
public final class ReproductionRunner {
    /** The completed chapters, and the failure of the next one, if any. */
    public record ReproductionOutcome(
            List<ReproductionReport> chapters, @Nullable RuntimeException failure) {
        public boolean interrupted() {
            return failure instanceof ExperimentRunner.RunCancelledException;
        }
    }

    private final List<Reproduction> reproductions;
    private final List<Long> seeds;
    private final Interruption interruption;
    private final @Nullable Path data;
    private volatile boolean finished;

    /** @param data a folder with traces that authors released, or null */
    public ReproductionRunner(
            List<Reproduction> reproductions, List<Long> seeds, Interruption interruption, @Nullable Path data) {
        this.data = data;
        this.reproductions = reproductions;
        this.seeds = seeds;
        this.interruption = interruption;
    }

    /** @param reader receives every chapter as soon as it is complete */
    public ReproductionOutcome run(int threads, PaperProgress progress, Consumer<ReproductionReport> reader) {
        ExecutorService pool = Executors.newFixedThreadPool(threads, ReproductionRunner::daemon);
        ExperimentRunner lab = new ExperimentRunner(pool, seeds, watcher(progress), data);
        List<ReproductionReport> done = new ArrayList<>();
        try {
            for (Reproduction reproduction : reproductions) {
                progress.begin(
                        reproduction.paper(),
                        reproduction.workUnits(seeds.size()) + (data == null ? 0 : reproduction.dataWorkUnits(data)));
                ReproductionReport chapter = reproduction.reproduce(lab);
                done.add(chapter);
                progress.end(ComparisonCount.of(chapter.findings()).text());
                reader.accept(chapter);
            }
            return new ReproductionOutcome(done, null);
        } catch (RuntimeException e) {
            return new ReproductionOutcome(done, e);
        } finally {
            finished = true;
            pool.shutdownNow();
        }
    }

    /** A unit that ignores the stop must not keep the program alive. */
    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "lab");
        thread.setDaemon(true);
        return thread;
    }

    private ExperimentRunner.ProgressObserver watcher(PaperProgress progress) {
        return new ExperimentRunner.ProgressObserver() {
            @Override
            public void completed(String unit) {
                progress.unitDone(unit);
            }

            @Override
            public boolean shouldStop() {
                return finished || interruption.isRequested();
            }
        };
    }
}
