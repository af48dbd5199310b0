package dev.fermata.live.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.core.contract.JobState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A daemon that does nothing but write: a process of its own, which tells what it was promised. */
final class StoreProcess implements AutoCloseable {
    static final int JOBS_PER_BATCH = 3;
    private static final String END = "END";

    private final Process process;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final List<String> all = new ArrayList<>();
    private final Thread listener;

    /** @param before words that come before the command, such as another program that starts it */
    StoreProcess(List<String> before, String where, Path folder) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Dorg.sqlite.tmpdir=" + folder.toAbsolutePath().getParent(),
                "-cp",
                System.getProperty("java.class.path"),
                StoreProcess.class.getName(),
                where,
                folder.toString()));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        listener = new Thread(this::listen, "store-process");
        listener.setDaemon(true);
        listener.start();
    }

    private void listen() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                said.add(line);
            }
        } catch (IOException e) {
            // The process was killed.
        }
        said.add(END);
    }

    long pid() {
        return process.pid();
    }

    /** Waits until it says something that begins like this, and returns it. */
    String awaits(String beginning) throws InterruptedException {
        while (true) {
            String line = said.poll(60, TimeUnit.SECONDS);
            if (line == null || line.equals(END)) {
                throw new AssertionError("expected '" + beginning + "', got " + line + " after " + all);
            }
            all.add(line);
            if (line.startsWith(beginning)) {
                return line;
            }
        }
    }

    /** Kills it and returns the last line of the history that it had reported as durable, 0 for none. */
    long kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        listener.join();
        all.addAll(said);
        said.clear();
        return all.stream()
                .filter(line -> line.startsWith("stored "))
                .mapToLong(line -> Long.parseLong(line.substring("stored ".length())))
                .max()
                .orElse(0);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** The batch that follows line {@code last}: every job gets as many lines as the batch has jobs. */
    static Batch batch(long last, long firstJob) {
        List<JobRow> jobs = IntStream.range(0, JOBS_PER_BATCH)
                .mapToObj(i -> Samples.job(firstJob + i, "ada", JobState.PENDING))
                .toList();
        List<Line> lines = IntStream.range(0, JOBS_PER_BATCH)
                .mapToObj(i -> Samples.line(last + 1 + i, firstJob + i, "Submitted"))
                .toList();
        return new Batch(lines, jobs, List.of(), List.of(), List.of());
    }

    @SuppressWarnings("SystemOut")
    public static void main(String[] args) throws InterruptedException {
        try (Store store = Stores.open(args[0], Path.of(args[1]))) {
            Recovery recovery = store.recover(() -> true).orElseThrow();
            System.out.println("leads " + recovery.nextSeq());
            long last = recovery.nextSeq() - 1;
            long job = recovery.nextJobId();
            while (true) {
                Batch batch = batch(last, job);
                try {
                    store.append(batch);
                    last += JOBS_PER_BATCH;
                    job += JOBS_PER_BATCH;
                    System.out.println("stored " + last);
                } catch (StoreException e) {
                    System.out.println("refused " + e.passing() + " " + e.getMessage());
                    if (!e.passing()) {
                        return;
                    }
                    Thread.sleep(20);
                }
            }
        } catch (StoreException e) {
            System.out.println("failed " + e.getMessage());
        }
    }
}
