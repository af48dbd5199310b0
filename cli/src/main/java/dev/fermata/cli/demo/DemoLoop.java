package dev.fermata.cli.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.output.LiveDisplay;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The loop of the demo: submits jobs, describes events, and compares every paused job with an unpaused run of the same training. */
final class DemoLoop {
    private static final long POLL_MILLIS = 200;

    private final DemoApi demoApi;
    private final TrainingScript trainingScript;
    private final JobStream stream;
    private final EventNarrator narrator;
    private final LiveDisplay out;
    private final Screen screen;
    private final int gpus;
    private final Interruption interruption;
    private final ExecutorService comparisonExecutor = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "demo-unpaused");
        thread.setDaemon(true);
        return thread;
    });
    private final Deque<LossComparison> comparisons = new ArrayDeque<>();

    private record LossComparison(ObservedJob observed, CompletableFuture<Optional<String>> unpaused) {}

    DemoLoop(
            DemoApi demoApi,
            TrainingScript trainingScript,
            JobStream stream,
            EventNarrator narrator,
            LiveDisplay out,
            Screen screen,
            int gpus,
            Interruption interruption) {
        this.demoApi = demoApi;
        this.trainingScript = trainingScript;
        this.stream = stream;
        this.narrator = narrator;
        this.out = out;
        this.screen = screen;
        this.gpus = gpus;
        this.interruption = interruption;
    }

    /**
     * Jobs arrive for so long; then those that are there are let finish. Returns earlier when interrupted.
     *
     * @param forMillis {@link Long#MAX_VALUE} for until interrupted
     */
    void run(long forMillis) {
        long began = System.nanoTime();
        boolean printed = false;
        while (!interruption.isRequested()) {
            long elapsed = (System.nanoTime() - began) / 1_000_000;
            if (elapsed < forMillis) {
                stream.due(elapsed).forEach(this::submit);
            } else if (!printed) {
                printed = true;
                out.print("no more jobs arrive; the present ones finish");
            }
            poll(title(elapsed, forMillis));
            if (printed
                    && comparisons.isEmpty()
                    && narrator.jobs().values().stream().allMatch(ObservedJob::ended)) {
                return;
            }
            interruption.sleep(POLL_MILLIS);
        }
    }

    /** Cancels every job that has not ended, and returns their number. */
    int cancelRemaining(long withinMillis) {
        long until = System.nanoTime() + withinMillis * 1_000_000;
        poll("");
        var living = narrator.jobs().values().stream()
                .filter(observed -> !observed.ended())
                .toList();
        living.forEach(observed -> demoApi.cancel(observed.id));
        while (System.nanoTime() < until && !demoApi.liveJobs().isEmpty()) {
            sleep();
        }
        comparisonExecutor.shutdownNow();
        return living.size();
    }

    private static void sleep() {
        try {
            Thread.sleep(POLL_MILLIS / 4);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void submit(DemoJob job) {
        ObjectNode file = JsonNodeFactory.instance.objectNode();
        file.put("name", job.name());
        file.put("class", job.trial() ? "trial" : "batch");
        file.put("gpus", 1);
        file.put("time", String.format(Locale.ROOT, "%.0fs", Math.ceil(job.seconds())));
        // A user waits for a trial, and it is short: it is not paused itself.
        file.putObject("preempt").put("grace", "10s").put("minRuntime", "2s").put("maxTimes", job.trial() ? 0 : 100);
        file.put("run", trainingScript.commandLine(job));
        narrator.add(demoApi.submit(file), job);
    }

    private void poll(String title) {
        demoApi.newEvents().forEach(event -> {
            narrator.narrate(event).ifPresent(out::print);
            ObservedJob observed = narrator.jobs().get(event.path("job").asLong(-1));
            if (observed != null
                    && observed.completed()
                    && !observed.job.trial()
                    && event.path("type").asText().equals("AttemptEnded")) {
                compare(observed);
            }
        });
        demoApi.liveJobs().forEach(narrator::updateProgress);
        while (!comparisons.isEmpty() && comparisons.peek().unpaused.isDone()) {
            printComparison(comparisons.remove());
        }
        if (!title.isEmpty()) {
            out.update(GpuDisplay.render(narrator.jobs().values(), gpus, title, screen));
        }
    }

    private void compare(ObservedJob observed) {
        observed.finalLoss = TrainingScript.finalLoss(demoApi.output(observed.id, observed.attempt));
        comparisons.add(new LossComparison(
                observed,
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return observed.pauses > 0
                                        ? trainingScript.runUnpaused(observed.job)
                                        : Optional.<String>empty();
                            } catch (IOException e) {
                                return Optional.<String>empty();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                                return Optional.<String>empty();
                            }
                        },
                        comparisonExecutor)));
    }

    private void printComparison(LossComparison done) {
        ObservedJob observed = done.observed;
        observed.unpausedLoss = done.unpaused.join();
        String paused = observed.pauses == 0 ? "" : " after " + HumanFormat.amount(observed.pauses, "pause");
        String outcome = observed.pauses == 0
                ? ""
                : observed.sameAsUnpaused()
                        ? ": same as unpaused"
                        : ": DIFFERENT, unpaused it is " + observed.unpausedLoss.orElse("unknown");
        out.print(narrator.withTime(
                Instant.now(),
                observed.name() + " is done" + paused + ", final loss " + observed.finalLoss.orElse("unknown")
                        + outcome));
    }

    private String title(long elapsed, long forMillis) {
        return "Fermata demo, " + HumanFormat.time(elapsed / 1000.0)
                + (forMillis == Long.MAX_VALUE ? " (Ctrl-C ends it)" : "");
    }
}
