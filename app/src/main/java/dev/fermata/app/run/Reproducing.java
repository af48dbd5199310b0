package dev.fermata.app.run;

import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.PaperProgress;
import dev.fermata.sim.reproduce.Chapter;
import dev.fermata.sim.reproduce.Finding;
import dev.fermata.sim.reproduce.Lab;
import dev.fermata.sim.reproduce.Reproduction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs reproductions one after the other, each on all threads, until all are done, one fails, or somebody interrupts. */
public final class Reproducing {
    /** The chapters that were completed, and what kept the next one from it, if anything. */
    public record Outcome(List<Chapter> chapters, @Nullable RuntimeException broke) {
        public boolean interrupted() {
            return broke instanceof Lab.Stopped;
        }
    }

    private final List<Reproduction> reproductions;
    private final List<Long> seeds;
    private final Interruption interruption;
    private volatile boolean over;

    public Reproducing(List<Reproduction> reproductions, List<Long> seeds, Interruption interruption) {
        this.reproductions = reproductions;
        this.seeds = seeds;
        this.interruption = interruption;
    }

    /** @param reader told of every chapter as soon as it is complete */
    public Outcome run(int threads, PaperProgress progress, Consumer<Chapter> reader) {
        ExecutorService pool = Executors.newFixedThreadPool(threads, Reproducing::daemon);
        Lab lab = new Lab(pool, seeds, watcher(progress));
        List<Chapter> done = new ArrayList<>();
        try {
            for (Reproduction reproduction : reproductions) {
                progress.begin(reproduction.paper(), reproduction.pieces(seeds.size()));
                Chapter chapter = reproduction.run(lab);
                done.add(chapter);
                progress.end(holding(chapter.findings()));
                reader.accept(chapter);
            }
            return new Outcome(done, null);
        } catch (RuntimeException e) {
            return new Outcome(done, e);
        } finally {
            over = true;
            pool.shutdownNow();
        }
    }

    /** Such as "3 of 4 findings hold". */
    public static String holding(List<Finding> findings) {
        return findings.stream().filter(Finding::holds).count() + " of " + findings.size() + " findings hold";
    }

    /** A piece that does not hear that it should stop must not keep the program alive. */
    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "lab");
        thread.setDaemon(true);
        return thread;
    }

    private Lab.Watcher watcher(PaperProgress progress) {
        return new Lab.Watcher() {
            @Override
            public void done(String piece) {
                progress.pieceDone(piece);
            }

            @Override
            public boolean stop() {
                return over || interruption.asked();
            }
        };
    }
}
