package dev.fermata.app.demo;

import dev.fermata.app.client.Address;
import dev.fermata.app.client.Problem;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.LiveLines;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Words;
import dev.fermata.live.engine.PythonFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.ZoneId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The whole demo: a daemon, its jobs, what is told, and an end that leaves nothing behind.
 *
 * @param data the daemon's folder, kept afterwards; null for one that is removed
 * @param seconds how long jobs arrive, 0 for until interrupted
 */
public record Performance(@Nullable Path data, int gpus, String policy, int seconds, long seed) {
    /** Shows of less than this have shorter jobs, so that some of them end; but not so short that pausing them pays no more. */
    private static final double FULL_SECONDS = 40;

    private static final double SMALLEST_SCALE = 0.2;

    private static final long CANCEL_MILLIS = 20_000;
    private static final int LINE = 100;

    /** Whether every paused job that ended did so with the loss of an unpaused run. */
    public boolean play(PrintWriter out, Screen screen, Interruption interruption, Map<String, String> environment) {
        Trainer.requirePython();
        Path folder = folder(environment.getOrDefault("TMPDIR", ""));
        try {
            return play(folder, out, screen, interruption, environment);
        } catch (Problem refused) {
            throw refused.complaint();
        } finally {
            if (data == null) {
                remove(folder);
            } else {
                out.println("The daemon's folder is kept: " + folder);
            }
        }
    }

    private boolean play(
            Path folder, PrintWriter out, Screen screen, Interruption interruption, Map<String, String> environment) {
        Trainer trainer = Trainer.unpack(folder.resolve("demo"), PythonFolder.write(folder));
        Story story = new Story(ZoneId.systemDefault());
        JobStream stream = new JobStream(seed, gpus, scale());
        try (OwnDaemon daemon = OwnDaemon.start(folder, gpus, policy, environment);
                DoorStage stage = new DoorStage(daemon.door());
                LiveLines lines = new LiveLines(out, screen)) {
            greet(lines, daemon.address(), screen);
            Show show = new Show(stage, trainer, stream, story, lines, screen, gpus, interruption);
            int cancelled;
            try {
                show.run(seconds == 0 ? Long.MAX_VALUE : seconds * 1000L);
            } finally {
                cancelled = show.cancelTheRest(CANCEL_MILLIS);
            }
            Summary summary = Summary.of(story.jobs().values());
            lines.say("");
            summary.lines().forEach(lines::say);
            if (cancelled > 0) {
                lines.say("ended   " + Humane.amount(cancelled, "job") + " that had not finished");
            }
            return summary.good();
        }
    }

    private double scale() {
        return seconds == 0 ? 1 : Math.max(SMALLEST_SCALE, Math.min(1, seconds / FULL_SECONDS));
    }

    private void greet(LiveLines lines, Address address, Screen screen) {
        String hello = "Fermata demo, seed " + seed + ": a daemon with " + Humane.amount(gpus, "virtual GPU")
                + " under policy " + policy
                + ". Batch jobs train small neural networks, more of them than there are GPUs;"
                + " now and then a trial job arrives, for which somebody waits. What is paused saves, and goes on later.";
        Words.wrap(hello, Math.min(LINE, screen.columns() - 1)).forEach(lines::say);
        lines.say("From another terminal: FERMATA_URL=" + address.url() + " FERMATA_TOKEN=" + address.token()
                + " ./fermata top");
        lines.say("");
    }

    private Path folder(String temporary) {
        try {
            if (data == null) {
                // Java alone does not look at TMPDIR.
                return temporary.isEmpty()
                        ? Files.createTempDirectory("fermata-demo-")
                        : Files.createTempDirectory(Path.of(temporary), "fermata-demo-");
            }
            return Files.createDirectories(data).toAbsolutePath().normalize();
        } catch (IOException e) {
            throw Complaint.failed("cannot make a folder for the demo: " + e.getMessage(), e);
        }
    }

    private static void remove(Path folder) {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) throws IOException {
                    Files.deleteIfExists(dir);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw Complaint.failed("cannot remove '" + folder + "': " + e.getMessage(), e);
        }
    }
}
