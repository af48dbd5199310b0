package dev.fermata.app.demo;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.LiveLines;
import dev.fermata.app.output.Screen;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The demo from its first job to its last: submits what arrives, tells what happens, and compares every paused job with one that was not. */
final class Show {
    private static final long LOOK_MILLIS = 200;

    private final Stage stage;
    private final Trainer trainer;
    private final JobStream stream;
    private final Story story;
    private final LiveLines out;
    private final Screen screen;
    private final int gpus;
    private final Interruption interruption;
    private final ExecutorService comparing = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "demo-unpaused");
        thread.setDaemon(true);
        return thread;
    });
    private final Deque<Compared> compared = new ArrayDeque<>();

    private record Compared(Seen seen, CompletableFuture<Optional<String>> unpaused) {}

    Show(
            Stage stage,
            Trainer trainer,
            JobStream stream,
            Story story,
            LiveLines out,
            Screen screen,
            int gpus,
            Interruption interruption) {
        this.stage = stage;
        this.trainer = trainer;
        this.stream = stream;
        this.story = story;
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
        boolean told = false;
        while (!interruption.asked()) {
            long elapsed = (System.nanoTime() - began) / 1_000_000;
            if (elapsed < forMillis) {
                stream.due(elapsed).forEach(this::submit);
            } else if (!told) {
                told = true;
                out.say("no more jobs arrive; those that are here are let finish");
            }
            look(title(elapsed, forMillis));
            if (told && compared.isEmpty() && story.jobs().values().stream().allMatch(Seen::ended)) {
                return;
            }
            interruption.pause(LOOK_MILLIS);
        }
    }

    /** Nobody is left behind: whatever has not ended is cancelled. Says how many that were. */
    int cancelTheRest(long withinMillis) {
        long until = System.nanoTime() + withinMillis * 1_000_000;
        look("");
        var living =
                story.jobs().values().stream().filter(seen -> !seen.ended()).toList();
        living.forEach(seen -> stage.cancel(seen.id));
        while (System.nanoTime() < until && !stage.living().isEmpty()) {
            pause();
        }
        comparing.shutdownNow();
        return living.size();
    }

    private static void pause() {
        try {
            Thread.sleep(LOOK_MILLIS / 4);
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
        // Somebody waits for a trial, and it takes a moment: it is not paused itself.
        file.putObject("preempt").put("grace", "10s").put("minRuntime", "2s").put("maxTimes", job.trial() ? 0 : 100);
        file.put("run", trainer.commandLine(job));
        story.add(stage.submit(file), job);
    }

    private void look(String title) {
        stage.news().forEach(event -> {
            story.hear(event).ifPresent(out::say);
            Seen seen = story.jobs().get(event.path("job").asLong(-1));
            if (seen != null
                    && seen.completed()
                    && !seen.job.trial()
                    && event.path("kind").asText().equals("Left")) {
                compare(seen);
            }
        });
        stage.living().forEach(story::see);
        while (!compared.isEmpty() && compared.peek().unpaused.isDone()) {
            tell(compared.remove());
        }
        if (!title.isEmpty()) {
            out.show(Picture.of(story.jobs().values(), gpus, title, screen));
        }
    }

    private void compare(Seen seen) {
        seen.finalLoss = Trainer.finalLoss(stage.output(seen.id, seen.attempt));
        compared.add(new Compared(
                seen,
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return seen.pauses > 0 ? trainer.unpaused(seen.job) : Optional.<String>empty();
                            } catch (IOException e) {
                                return Optional.<String>empty();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                                return Optional.<String>empty();
                            }
                        },
                        comparing)));
    }

    private void tell(Compared done) {
        Seen seen = done.seen;
        seen.unpausedLoss = done.unpaused.join();
        String paused = seen.pauses == 0 ? "" : " after " + Humane.amount(seen.pauses, "pause");
        String verdict = seen.pauses == 0
                ? ""
                : seen.sameAsUnpaused()
                        ? ": same as unpaused"
                        : ": DIFFERENT, unpaused it is " + seen.unpausedLoss.orElse("unknown");
        out.say(story.at(
                Instant.now(),
                seen.name() + " is done" + paused + ", final loss " + seen.finalLoss.orElse("unknown") + verdict));
    }

    private String title(long elapsed, long forMillis) {
        return "Fermata demo, " + Humane.time(elapsed / 1000.0)
                + (forMillis == Long.MAX_VALUE ? " (Ctrl-C ends it)" : "");
    }
}
