package dev.fermata.engine.local;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.request.Actor;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.GpuState;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that restarts while real processes run, on a machine that has lost a device: the others have new numbers. */
class MissingDeviceTest {
    private static final Actor ANN = new Actor("ann", "ADMIN", "127.0.0.1");

    @TempDir
    Path folder;

    /** The UUIDs that nvidia-smi lists now, by device number. */
    private List<String> devices = List.of();

    private long sampleMillis = 500;

    /** The device of each job, as its environment named it when it started. */
    private final Map<Long, String> deviceOfJob = new TreeMap<>();

    /** One life of the daemon; its jobs outlive it. */
    private final class RunningDaemon implements AutoCloseable {
        private final Store store = StoreFactory.open("sqlite", folder.resolve("data"));
        private final LocalEngine engine = LocalEngine.create(LocalEngineSettings.forDataFolder(folder.resolve("data"))
                .gpus("auto")
                .runAs(RunAs.DAEMON)
                .killGraceMillis(300)
                .sampling(new LocalEngineSettings.GpuSampling(
                        folder.resolve("nvidia-smi").toString(), sampleMillis, false)));
        private final SchedulerLoop loop = new SchedulerLoop(
                        store,
                        engine,
                        PolicySpec.parse("fifo"),
                        LoopSettings.DEFAULT,
                        false,
                        new MonotonicClock(),
                        new DaemonMetrics())
                .start();
        final SchedulerService service = new DefaultSchedulerService(loop);

        RunningDaemon() {
            loop.ready().join();
        }

        List<Long> submit(int count) throws Exception {
            List<Long> ids = service.submit(
                            ANN,
                            Stream.generate(MissingDeviceTest.this::spec)
                                    .limit(count)
                                    .toList(),
                            null)
                    .get(30, SECONDS);
            ids.forEach(this::recordDevice);
            return ids;
        }

        JobState state(long id) {
            return store.reader().job(id).orElseThrow().state();
        }

        /** Waits until the job runs or is known to wait, and records the device that it sees. */
        void recordDevice(long id) {
            Path seen = folder.resolve("device-" + id);
            await().atMost(60, SECONDS).until(() -> state(id) == JobState.PENDING || Files.exists(seen));
            if (state(id) != JobState.PENDING) {
                deviceOfJob.put(id, devices.get(Integer.parseInt(read(seen).strip())));
            }
        }

        void cancel(long id) throws Exception {
            service.cancel(ANN, id).get(30, SECONDS);
            await().atMost(60, SECONDS).until(() -> state(id) == JobState.CANCELLED);
            deviceOfJob.remove(id);
        }

        @Override
        public void close() {
            loop.close();
            engine.close();
            store.close();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Writes its device in one move, so that no half of it is read; ends with the folder of the test at the latest. */
    private JobSpec spec() {
        String seen = folder.resolve("device-") + "$FERMATA_JOB_ID";
        return new JobSpecBuilder("echo $CUDA_VISIBLE_DEVICES > " + seen + ".new; mv " + seen + ".new " + seen
                        + "; while [ -e " + folder.resolve("nvidia-smi") + " ]; do sleep 0.2; done")
                .grace(300)
                .build();
    }

    private void listDevices(String... uuids) {
        devices = List.of(uuids);
        FakeNvidiaSmi.list(folder.resolve("nvidia-smi"), uuids);
    }

    @Test
    void operatorIsToldThatJobsAreNotKeptFromOtherGpus() {
        listDevices("GPU-0");
        try (RunningDaemon daemon = new RunningDaemon()) {
            assertThat(daemon.engine.notices()).anyMatch(notice -> notice.contains("nothing keeps a job from using"));
        }
    }

    /** The daemon notices by itself, and follows the numbers that the devices have now. */
    @Test
    void devicesVanishAndAppearWhileTheDaemonRuns() throws Exception {
        sampleMillis = 5;
        listDevices("GPU-0", "GPU-1", "GPU-2");
        try (RunningDaemon daemon = new RunningDaemon()) {
            List<Long> jobs = new ArrayList<>(daemon.submit(2));
            listDevices("GPU-0", "GPU-2"); // GPU-1 vanished under its job, and GPU-2 is device 1 now
            await().atMost(60, SECONDS)
                    .until(() ->
                            daemon.service.gpus().stream().filter(GpuState::up).count() == 2);
            jobs.addAll(daemon.submit(2));
            assertThat(deviceOfJob.values()).containsExactly("GPU-0", "GPU-1", "GPU-2");
            assertThat(daemon.state(jobs.get(3))).isEqualTo(JobState.PENDING);
            assertThat(daemon.state(jobs.get(1))).isEqualTo(JobState.RUNNING);
            listDevices("GPU-0", "GPU-2", "GPU-9"); // a new one
            await().atMost(60, SECONDS).until(() -> daemon.state(jobs.get(3)) != JobState.PENDING);
            daemon.recordDevice(jobs.get(3));
            assertThat(deviceOfJob).containsEntry(jobs.get(3), "GPU-9");
            for (long id : List.copyOf(deviceOfJob.keySet())) {
                daemon.cancel(id);
            }
        }
    }

    @Test
    void noDeviceIsGivenTwiceAfterOneHasVanished() throws Exception {
        listDevices("GPU-0", "GPU-1", "GPU-2", "GPU-3", "GPU-4", "GPU-5", "GPU-6", "GPU-7");
        List<Long> all = new ArrayList<>();
        try (RunningDaemon daemon = new RunningDaemon()) {
            all.addAll(daemon.submit(5));
            assertThat(deviceOfJob.values()).containsExactly("GPU-0", "GPU-1", "GPU-2", "GPU-3", "GPU-4");
        }
        listDevices("GPU-0", "GPU-1", "GPU-2", "GPU-4", "GPU-5", "GPU-6", "GPU-7");
        try (RunningDaemon daemon = new RunningDaemon()) {
            daemon.cancel(all.get(3)); // the job on the lost device ends; nothing becomes free
            all.addAll(daemon.submit(4));
            assertThat(deviceOfJob.values())
                    .containsExactly("GPU-0", "GPU-1", "GPU-2", "GPU-4", "GPU-5", "GPU-6", "GPU-7");
            assertThat(daemon.state(all.get(8))).isEqualTo(JobState.PENDING);
        }
        listDevices("GPU-7", "GPU-0", "GPU-1", "GPU-2", "GPU-4", "GPU-5", "GPU-6", "GPU-3");
        try (RunningDaemon daemon = new RunningDaemon()) {
            await().atMost(60, SECONDS).until(() -> daemon.state(all.get(8)) != JobState.PENDING);
            daemon.recordDevice(all.get(8));
            assertThat(deviceOfJob).containsEntry(all.get(8), "GPU-3"); // it is back in its old place
            for (long id : List.copyOf(deviceOfJob.keySet())) {
                daemon.cancel(id);
            }
        }
    }
}
