package dev.fermata.live.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
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

/** A daemon that only writes, in its own process; it prints what was acknowledged. */
final class StoreProcess implements AutoCloseable {
    static final int JOBS_PER_BATCH = 3;
    private static final String END = "END";

    private final Process process;
    private final BlockingQueue<String> output = new LinkedBlockingQueue<>();
    private final List<String> all = new ArrayList<>();
    private final Thread listener;

    /** @param before words before the command, such as a program that starts it */
    StoreProcess(List<String> before, String address, Path folder) throws IOException {
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
                address,
                folder.toString()));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        listener = new Thread(this::readOutput, "store-process");
        listener.setDaemon(true);
        listener.start();
    }

    private void readOutput() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String entry = in.readLine(); entry != null; entry = in.readLine()) {
                output.add(entry);
            }
        } catch (IOException e) {
            // The process was killed.
        }
        output.add(END);
    }

    long pid() {
        return process.pid();
    }

    /** Waits for a line with this prefix, and returns it. */
    String awaitLine(String beginning) throws InterruptedException {
        while (true) {
            String entry = output.poll(60, TimeUnit.SECONDS);
            if (entry == null || entry.equals(END)) {
                throw new AssertionError("expected '" + beginning + "', got " + entry + " after " + all);
            }
            all.add(entry);
            if (entry.startsWith(beginning)) {
                return entry;
            }
        }
    }

    /** Kills it and returns the last history entry that it had reported as durable, 0 for none. */
    long kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        listener.join();
        all.addAll(output);
        output.clear();
        return all.stream()
                .filter(entry -> entry.startsWith("stored "))
                .mapToLong(entry -> Long.parseLong(entry.substring("stored ".length())))
                .max()
                .orElse(0);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** The batch that follows entry {@code last}: every job gets as many entries as the batch has jobs. */
    static Batch batch(long last, long firstJob) {
        List<JobRow> jobs = IntStream.range(0, JOBS_PER_BATCH)
                .mapToObj(i -> StoreSamples.job(firstJob + i, "ada", JobState.PENDING))
                .toList();
        List<HistoryEntry> entries = IntStream.range(0, JOBS_PER_BATCH)
                .mapToObj(i -> StoreSamples.entry(last + 1 + i, firstJob + i, "Submitted"))
                .toList();
        return new Batch(entries, jobs, List.of(), List.of(), List.of());
    }

    @SuppressWarnings("SystemOut")
    public static void main(String[] args) throws InterruptedException {
        try (Store store = StoreFactory.open(args[0], Path.of(args[1]))) {
            RecoveredState recovery = store.recover(() -> true).orElseThrow();
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
                    System.out.println("refused " + e.isRetryable() + " " + e.getMessage());
                    if (!e.isRetryable()) {
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
