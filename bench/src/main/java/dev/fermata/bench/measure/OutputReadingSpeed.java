package dev.fermata.bench.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.profile.RunLength;
import dev.fermata.live.progress.AttemptOutput;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measures what reading the output of many jobs for their progress takes. Each second of it is in a file, as from an engine. */
public final class OutputReadingSpeed {
    private static final int READ_BYTES = 64 * 1024;

    /** What programs print: with a bar, with lines of steps, with lines of their own. */
    private enum Style {
        BAR,
        STEPS,
        WORDS;

        String line(int step) {
            return switch (this) {
                case BAR ->
                    String.format(Locale.ROOT, "\rTraining: 42%%|####     | %d/900000 [00:42<00:58, 99.8it/s]", step);
                case STEPS -> String.format(Locale.ROOT, "iter %d: loss 3.1042, time 10.33ms, mfu 39.10%%%n", step);
                case WORDS -> String.format(Locale.ROOT, "[worker] batch loaded from shard %d, queue 3, 0.4 s%n", step);
            };
        }
    }

    private static final class Job {
        final AttemptOutput output = new AttemptOutput(RunLength.of("python train.py --max_iters=900000"), null, 0);
        final Style style;
        int step;

        Job(Style style) {
            this.style = style;
        }
    }

    private OutputReadingSpeed() {}

    /** The share of a core that reading takes, for so many jobs that each print so many lines a second. */
    public static double coreShare(int jobs, int linesPerSecond, int seconds) {
        try (ScratchFolder folder = new ScratchFolder("fermata-output")) {
            List<Job> running = new ArrayList<>();
            for (int i = 0; i < jobs; i++) {
                running.add(new Job(Style.values()[i % Style.values().length]));
            }
            byte[] buffer = new byte[READ_BYTES];
            long nanos = 0;
            for (int second = 0; second < seconds; second++) {
                for (Job job : running) {
                    nanos += readSecond(job, folder.path.resolve("stderr"), linesPerSecond, 1000L * second, buffer);
                }
            }
            return nanos / 1e9 / seconds;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long readSecond(Job job, Path file, int lines, long nowMillis, byte[] buffer) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            text.append(job.style.line(++job.step));
        }
        try (RandomAccessFile written = new RandomAccessFile(file.toFile(), "rw")) {
            written.setLength(0);
            written.write(text.toString().getBytes(UTF_8));
            long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            written.seek(Math.max(0, written.length() - READ_BYTES));
            int length = written.read(buffer);
            job.output.accept("stderr-0", buffer, Math.max(0, length), nowMillis);
            return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begin;
        }
    }
}
