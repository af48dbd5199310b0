package dev.fermata.cli.demo;

import dev.fermata.cli.client.ApiClientException;
import dev.fermata.cli.client.DaemonAddress;
import dev.fermata.cli.client.ProgramName;
import dev.fermata.cli.output.LiveDisplay;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.live.engine.PythonModule;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.WordWrap;
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
 * The whole demo: a daemon, its jobs, the messages, and an end that leaves nothing behind.
 *
 * @param data the daemon's folder, kept afterwards; null for one that is removed
 * @param seconds how long jobs arrive, 0 for until interrupted
 */
public record DemoRun(@Nullable Path data, int gpus, String policy, int seconds, long seed) {
    /** Shorter demos have shorter jobs, so that some of them end, but not so short that a pause no longer pays. */
    private static final double FULL_SECONDS = 40;

    private static final double MIN_SCALE = 0.2;

    private static final long CANCEL_MILLIS = 20_000;
    private static final int MAX_LINE = 100;

    /** Whether every paused job that ended did so with the loss of an unpaused run. */
    public boolean run(PrintWriter out, Screen screen, Interruption interruption, Map<String, String> environment) {
        TrainingScript.requirePython();
        Path folder = folder(environment.getOrDefault("TMPDIR", ""));
        try {
            return run(folder, out, screen, interruption, environment);
        } catch (ApiClientException refused) {
            throw refused.toUserError();
        } finally {
            if (data == null) {
                remove(folder);
            } else {
                out.println("The daemon's folder is kept: " + folder);
            }
        }
    }

    private boolean run(
            Path folder, PrintWriter out, Screen screen, Interruption interruption, Map<String, String> environment) {
        TrainingScript trainingScript = TrainingScript.unpack(folder.resolve("demo"), PythonModule.install(folder));
        EventNarrator narrator = new EventNarrator(ZoneId.systemDefault());
        JobStream stream = new JobStream(seed, gpus, scale());
        try (EmbeddedDaemon daemon = EmbeddedDaemon.start(folder, gpus, policy, environment);
                DemoApiClient demoApi = new DemoApiClient(daemon.api());
                LiveDisplay lines = new LiveDisplay(out, screen)) {
            printGreeting(lines, daemon.address(), screen);
            DemoLoop loop = new DemoLoop(demoApi, trainingScript, stream, narrator, lines, screen, gpus, interruption);
            int cancelled;
            try {
                loop.run(seconds == 0 ? Long.MAX_VALUE : seconds * 1000L);
            } finally {
                cancelled = loop.cancelRemaining(CANCEL_MILLIS);
            }
            DemoSummary summary = DemoSummary.of(narrator.jobs().values());
            lines.print("");
            summary.lines().forEach(lines::print);
            if (cancelled > 0) {
                lines.print("ended   " + HumanFormat.amount(cancelled, "job") + " that had not finished");
            }
            return summary.passed();
        }
    }

    private double scale() {
        return seconds == 0 ? 1 : Math.max(MIN_SCALE, Math.min(1, seconds / FULL_SECONDS));
    }

    private void printGreeting(LiveDisplay lines, DaemonAddress address, Screen screen) {
        String hello = "Fermata demo, seed " + seed + ": a daemon with " + HumanFormat.amount(gpus, "virtual GPU")
                + " under policy " + policy
                + ". Batch jobs train small neural networks, more of them than there are GPUs;"
                + " now and then a short trial job arrives. A paused job saves its state and continues later.";
        WordWrap.wrap(hello, Math.min(MAX_LINE, screen.columns() - 1)).forEach(lines::print);
        lines.print("From another terminal: FERMATA_URL=" + address.url() + " FERMATA_TOKEN=" + address.token() + " "
                + ProgramName.TYPED + " top");
        lines.print("");
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
            throw UserError.failed("cannot make a folder for the demo: " + e.getMessage(), e);
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
            throw UserError.failed("cannot remove '" + folder + "': " + e.getMessage(), e);
        }
    }
}
