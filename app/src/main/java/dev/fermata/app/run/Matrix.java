package dev.fermata.app.run;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.input.Setting;
import dev.fermata.app.output.Progress;
import dev.fermata.core.policy.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Every setting × policy × seed, on several threads. The answer is in that order whatever the threads did; runs that an
 * interruption cut off are left out.
 */
public final class Matrix {
    private final List<Setting> settings;
    private final List<Long> seeds;
    private final Interruption interruption;
    private volatile boolean failed;

    public Matrix(List<Setting> settings, List<Long> seeds, Interruption interruption) {
        this.settings = settings;
        this.seeds = seeds;
        this.interruption = interruption;
    }

    public int runs() {
        return settings.stream().mapToInt(s -> s.policies().size()).sum() * seeds.size();
    }

    public long jobs() {
        return settings.stream()
                .mapToLong(
                        s -> (long) s.workload().expectedJobs() * s.policies().size() * seeds.size())
                .sum();
    }

    public List<Measured> run(int threads, Progress progress) {
        ExecutorService pool = Executors.newFixedThreadPool(Math.min(threads, runs()));
        try {
            return collect(submit(pool, progress));
        } finally {
            pool.shutdownNow();
        }
    }

    /** Submitted scene by scene, so that few workloads are in memory at a time; answered policy by policy. */
    private List<List<List<Future<Optional<Measured>>>>> submit(ExecutorService pool, Progress progress) {
        List<List<List<Future<Optional<Measured>>>>> bySetting = new ArrayList<>();
        for (Setting setting : settings) {
            List<List<Future<Optional<Measured>>>> bySeed = new ArrayList<>();
            for (long seed : seeds) {
                Scene scene = new Scene(setting, seed, setting.policies().size());
                List<Future<Optional<Measured>>> runs = new ArrayList<>();
                for (PolicySpec policy : setting.policies()) {
                    runs.add(pool.submit(() -> run(scene, policy, progress)));
                }
                bySeed.add(runs);
            }
            bySetting.add(bySeed);
        }
        return bySetting;
    }

    private List<Measured> collect(List<List<List<Future<Optional<Measured>>>>> bySetting) {
        List<Measured> answers = new ArrayList<>();
        for (List<List<Future<Optional<Measured>>>> bySeed : bySetting) {
            for (int p = 0; p < bySeed.get(0).size(); p++) {
                for (List<Future<Optional<Measured>>> runs : bySeed) {
                    await(runs.get(p)).ifPresent(answers::add);
                }
            }
        }
        return answers;
    }

    private Optional<Measured> run(Scene scene, PolicySpec policy, Progress progress) {
        if (stopped()) {
            return Optional.empty();
        }
        String label = policy.text() + (seeds.size() > 1 ? " seed " + scene.seed() : "");
        try (Progress.Track track =
                progress.begin(label, scene.setting().workload().expectedJobs())) {
            Scene.Made made = scene.use();
            Measured measured = new OneRun(scene.setting(), Optional.empty(), this::stopped)
                    .run(made.workload(), made.lowerBoundMeanJctSeconds(), policy, scene.seed(), track);
            return measured.result().complete() ? Optional.of(measured.summaryOnly()) : Optional.empty();
        } catch (RuntimeException | Error e) {
            failed = true; // the others need not go on
            throw e;
        } finally {
            scene.release();
        }
    }

    private boolean stopped() {
        return failed || interruption.asked();
    }

    private static Optional<Measured> await(Future<Optional<Measured>> run) {
        try {
            return run.get();
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
