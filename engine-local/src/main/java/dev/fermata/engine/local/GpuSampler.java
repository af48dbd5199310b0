package dev.fermata.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.attempt.EngineExecutor;
import dev.fermata.live.attempt.GpuUsage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Samples the GPUs through two repeating nvidia-smi processes: one for each GPU's use, one for each process's memory. They run
 * while jobs do, and end by themselves when their output is not read, as after a crash of the daemon.
 */
final class GpuSampler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GpuSampler.class);
    /** A GPU's utilisation covers the last second at most. */
    private static final long BUSY_WINDOW_MILLIS = 1_000;

    /** Backoff after nvidia-smi has ended by itself. */
    private static final long BACKOFF_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LocalEngineSettings.GpuSampling settings;
    private final Supplier<Hardware> hardware;
    private final EngineExecutor executor;
    private final ProcessOwners owners;
    /** The memory of processes in the current sample: lines that arrive together. */
    private final Map<String, Map<Integer, Integer>> memoryByMarker = new HashMap<>();

    private long sampleNanos;
    private final List<Process> running = new ArrayList<>();
    private long failedNanos = System.nanoTime() - BACKOFF_NANOS;
    private volatile Collection<LocalAttempt> attempts = List.of();

    GpuSampler(
            LocalEngineSettings.GpuSampling settings,
            Supplier<Hardware> hardware,
            EngineExecutor work,
            AttemptMarkers markers) {
        this.settings = settings;
        this.hardware = hardware;
        this.executor = work;
        this.owners = new ProcessOwners(markers);
    }

    /** Samples for these attempts; called repeatedly while there are any. */
    synchronized void watch(Collection<LocalAttempt> now) {
        attempts = now;
        boolean broken = running.stream().anyMatch(process -> !process.isAlive());
        if (broken) {
            close();
            failedNanos = System.nanoTime();
        }
        if (running.isEmpty() && System.nanoTime() - failedNanos >= BACKOFF_NANOS) {
            startQuery("--query-gpu=uuid,memory.used,utilization.gpu", this::onGpuSample);
            if (settings.hostPids()) {
                startQuery("--query-compute-apps=gpu_uuid,pid,used_memory", this::onProcessSample);
            }
        }
        if (System.nanoTime() - sampleNanos > TimeUnit.MILLISECONDS.toNanos(settings.intervalMillis()) / 2) {
            endSample();
        }
    }

    private interface SampleHandler {
        void handle(String[] fields);
    }

    private void startQuery(String query, SampleHandler listener) {
        try {
            Process process = new ProcessBuilder(
                            settings.program(),
                            query,
                            "--format=csv,noheader,nounits",
                            "--loop-ms=" + settings.intervalMillis())
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            running.add(process);
            executor.submit(() -> readSamples(process, listener));
        } catch (IOException e) {
            failedNanos = System.nanoTime();
            LOG.warn("GPU sampling: cannot run nvidia-smi: {}", e.getMessage());
        }
    }

    private void readSamples(Process process, SampleHandler listener) throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split(",", -1);
                for (int i = 0; i < fields.length; i++) {
                    fields[i] = fields[i].strip();
                }
                if (fields.length == 3 && fields[0].startsWith("GPU-")) {
                    listener.handle(fields);
                }
            }
        }
    }

    /** A GPU: its memory in use and its utilisation, for an attempt that has it alone. */
    private void onGpuSample(String[] fields) {
        int gpu = hardware.get().gpuOf(fields[0]);
        List<LocalAttempt> on = attempts.stream()
                .filter(attempt -> gpu >= 0 && attempt.launch().allocation().contains(gpu))
                .toList();
        if (on.size() != 1) {
            return;
        }
        GpuUsage gpuUsage = on.get(0).accounting().gpuUsage();
        if (!settings.hostPids() && isNumber(fields[1])) {
            gpuUsage.recordMemory(Integer.parseInt(fields[1]));
        }
        if (isNumber(fields[2]) && on.get(0).accounting().hasTrainedFor(BUSY_WINDOW_MILLIS)) {
            gpuUsage.recordBusy(10 * Integer.parseInt(fields[2]));
        }
    }

    /** A process on a GPU and the memory it holds there. */
    private synchronized void onProcessSample(String[] fields) {
        int gpu = hardware.get().gpuOf(fields[0]);
        if (gpu < 0 || !isNumber(fields[1]) || !isNumber(fields[2])) {
            return; // a GPU that is not managed, or a driver without the value
        }
        if (System.nanoTime() - sampleNanos > TimeUnit.MILLISECONDS.toNanos(settings.intervalMillis()) / 2) {
            endSample();
            sampleNanos = System.nanoTime();
        }
        String run = owners.markerOf(Integer.parseInt(fields[1]));
        if (run != null) {
            memoryByMarker
                    .computeIfAbsent(run, r -> new HashMap<>())
                    .merge(gpu, Integer.parseInt(fields[2]), Integer::sum);
        }
    }

    private void endSample() {
        for (LocalAttempt attempt : memoryByMarker.isEmpty() ? List.<LocalAttempt>of() : attempts) {
            Map<Integer, Integer> held = memoryByMarker.getOrDefault(attempt.marker(), Map.of());
            held.values().stream()
                    .max(Integer::compare)
                    .ifPresent(attempt.accounting().gpuUsage()::recordMemory);
        }
        memoryByMarker.clear();
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
