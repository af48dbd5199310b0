package dev.fermata.cli.demo;

import dev.fermata.cli.client.ProgramName;
import dev.fermata.insight.exit.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The program of the demo's jobs: trains a small network with nothing but Python. */
final class TrainingScript {
    private static final String NAME = "train_plain.py";
    private static final String FINAL_LOSS_PREFIX = "final loss ";
    private static final long TIMEOUT_SECONDS = 120;

    private final Path script;
    private final Path helperFolder;

    private TrainingScript(Path script, Path helperFolder) {
        this.script = script;
        this.helperFolder = helperFolder;
    }

    /** @param helperFolder where {@code fermata.py} is, for runs outside the daemon */
    static TrainingScript unpack(Path folder, Path helperFolder) {
        try (InputStream in = TrainingScript.class.getResourceAsStream(NAME)) {
            if (in == null) {
                throw new IllegalStateException(NAME + " is missing from this build");
            }
            Files.createDirectories(folder);
            Path script = folder.resolve(NAME);
            Files.write(script, in.readAllBytes());
            return new TrainingScript(script.toAbsolutePath(), helperFolder.toAbsolutePath());
        } catch (IOException e) {
            throw UserError.failed("cannot write to '" + folder + "': " + e.getMessage(), e);
        }
    }

    /** Checks that there is a Python before anything is started. */
    static void requirePython() {
        try {
            Process python = new ProcessBuilder("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 8))")
                    .redirectErrorStream(true)
                    .start();
            python.getInputStream().readAllBytes();
            if (python.waitFor() == 0) {
                return;
            }
        } catch (IOException e) {
            // said below
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw UserError.failed(
                "the demo needs python3 (3.8 or later) on the PATH: its jobs are small Python programs.\n"
                        + "Install it, or begin with " + ProgramName.TYPED + " compare, which needs nothing.");
    }

    /** As a line of a job file. */
    String commandLine(DemoJob job) {
        return "exec python3 '" + script.toString().replace("'", "'\\''") + "' " + String.join(" ", arguments(job))
                + String.format(Locale.ROOT, " --seconds-per-step %s", job.secondsPerStep());
    }

    private static List<String> arguments(DemoJob job) {
        return List.of("--steps", String.valueOf(job.steps()), "--seed", String.valueOf(job.seed()));
    }

    /** The loss that the output of a training ends with, digit by digit; empty when it did not get that far. */
    static Optional<String> finalLoss(String output) {
        return output.lines()
                .filter(line -> line.startsWith(FINAL_LOSS_PREFIX))
                .map(line -> line.substring(FINAL_LOSS_PREFIX.length()).strip())
                .reduce((first, second) -> second);
    }

    /** The same training on its own, as fast as it goes, from the first step to the last without a pause. */
    Optional<String> runUnpaused(DemoJob job) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(script.getParent(), "unpaused-");
        Path output = folder.resolve("output");
        List<String> command = new java.util.ArrayList<>(List.of("python3", script.toString()));
        command.addAll(arguments(job));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        Map<String, String> environment = builder.environment();
        environment
                .keySet()
                .removeIf(name -> name.startsWith("FERMATA_") || name.equals("RANK") || name.equals("WORLD_SIZE"));
        environment.put("PYTHONPATH", helperFolder.toString());
        Process process = builder.start();
        try {
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                return Optional.empty();
            }
            return finalLoss(Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            process.destroyForcibly();
        }
    }
}
