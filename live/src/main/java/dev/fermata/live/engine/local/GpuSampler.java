package dev.fermata.live.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the GPUs through two nvidia-smi processes that repeat themselves: what each GPU does, and what each process holds on it.
 * They run while jobs do, and end by themselves when nobody reads what they say, as after a crash of the daemon.
 */
final class GpuSampler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GpuSampler.class);
    /** How busy a GPU is said to be is about the last second at most. */
    private static final long LOOKED_BACK_MILLIS = 1_000;

    private static final long TRY_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LocalSettings.Sampling settings;
    private final Hardware hardware;
    private final Work work;
    private final Owners owners;
    /** What processes hold on GPUs in the sample at hand: lines that come in one go. */
    private final Map<String, Map<Integer, Integer>> heldByRun = new HashMap<>();

    private long sampleNanos;
    private final List<Process> running = new ArrayList<>();
    private long failedNanos = System.nanoTime() - TRY_AGAIN_NANOS;
    private volatile Collection<Attempt> attempts = List.of();

    GpuSampler(LocalSettings.Sampling settings, Hardware hardware, Work work, RunIds ids) {
        this.settings = settings;
        this.hardware = hardware;
        this.work = work;
        this.owners = new Owners(ids);
    }

    /** Watches on behalf of these; asked now and then while there are any. */
    synchronized void watch(Collection<Attempt> now) {
        attempts = now;
        boolean broken = running.stream().anyMatch(process -> !process.isAlive());
        if (broken) {
            close();
            failedNanos = System.nanoTime();
        }
        if (running.isEmpty() && System.nanoTime() - failedNanos >= TRY_AGAIN_NANOS) {
            begin("--query-gpu=uuid,memory.used,utilization.gpu", this::gpu);
            if (settings.pidsAreOurs()) {
                begin("--query-compute-apps=gpu_uuid,pid,used_memory", this::app);
            }
        }
        if (System.nanoTime() - sampleNanos > TimeUnit.MILLISECONDS.toNanos(settings.everyMillis()) / 2) {
            endSample();
        }
    }

    private interface Listener {
        void hear(String[] fields);
    }

    private void begin(String query, Listener listener) {
        try {
            Process process = new ProcessBuilder(
                            settings.program(),
                            query,
                            "--format=csv,noheader,nounits",
                            "--loop-ms=" + settings.everyMillis())
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            running.add(process);
            work.now(() -> listen(process, listener));
        } catch (IOException e) {
            failedNanos = System.nanoTime();
            LOG.warn("GPUs are not watched, nvidia-smi cannot be run: {}", e.getMessage());
        }
    }

    private void listen(Process process, Listener listener) throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split(",", -1);
                for (int i = 0; i < fields.length; i++) {
                    fields[i] = fields[i].strip();
                }
                if (fields.length == 3 && fields[0].startsWith("GPU-")) {
                    listener.hear(fields);
                }
            }
        }
    }

    /** A GPU: its memory in use and how busy it was; of whoever is alone on it. */
    private void gpu(String[] fields) {
        int gpu = hardware.uuids().indexOf(fields[0]);
        List<Attempt> on = attempts.stream()
                .filter(attempt -> gpu >= 0 && attempt.launch().allocation().contains(gpu))
                .toList();
        if (on.size() != 1) {
            return;
        }
        GpuUse use = on.get(0).use();
        if (!settings.pidsAreOurs() && isNumber(fields[1])) {
            use.holds(Integer.parseInt(fields[1]));
        }
        if (isNumber(fields[2]) && on.get(0).works(LOOKED_BACK_MILLIS)) {
            use.busy(10 * Integer.parseInt(fields[2]));
        }
    }

    /** A process on a GPU and the memory it holds there. */
    private synchronized void app(String[] fields) {
        int gpu = hardware.uuids().indexOf(fields[0]);
        if (gpu < 0 || !isNumber(fields[1]) || !isNumber(fields[2])) {
            return; // a GPU that is not ours to give, or a driver that does not say
        }
        if (System.nanoTime() - sampleNanos > TimeUnit.MILLISECONDS.toNanos(settings.everyMillis()) / 2) {
            endSample();
            sampleNanos = System.nanoTime();
        }
        String run = owners.runOf(Integer.parseInt(fields[1]));
        if (run != null) {
            heldByRun.computeIfAbsent(run, r -> new HashMap<>()).merge(gpu, Integer.parseInt(fields[2]), Integer::sum);
        }
    }

    private void endSample() {
        for (Attempt attempt : heldByRun.isEmpty() ? List.<Attempt>of() : attempts) {
            Map<Integer, Integer> held = heldByRun.getOrDefault(attempt.runId(), Map.of());
            held.values().stream().max(Integer::compare).ifPresent(attempt.use()::holds);
        }
        heldByRun.clear();
    }

    private static boolean isNumber(String text) {
        return text.matches("[0-9]{1,8}");
    }

    @Override
    public synchronized void close() {
        running.forEach(Process::destroy);
        running.clear();
    }
}
