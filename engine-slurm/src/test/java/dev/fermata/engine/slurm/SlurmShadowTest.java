package dev.fermata.engine.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.history.ObservedJob;
import dev.fermata.history.ObservedJob.Result;
import dev.fermata.history.RecordJson;
import dev.fermata.live.loop.InMemoryStore;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.store.JobRow;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scheduler loop in shadow mode next to a real Slurm, whose jobs it observes and never touches. */
class SlurmShadowTest {
    @TempDir
    private Path folder;

    private final TestSlurm slurm = TestSlurm.shared();
    private final InMemoryStore store = new InMemoryStore();
    private SchedulerLoop loop;

    @BeforeEach
    void start() {
        SlurmEngine engine = SlurmEngine.create(new SlurmSettings(
                slurm.conf().toString(),
                folder.resolve("data"),
                folder.resolve("shared"),
                "",
                SlurmBench.POLL_MILLIS,
                false));
        loop = new SchedulerLoop(
                store,
                engine,
                PolicySpec.parse("fermata"),
                LoopSettings.DEFAULT,
                true,
                new MonotonicClock(),
                new DaemonMetrics());
        loop.start();
        loop.leading().join();
    }

    @AfterEach
    void stop() {
        loop.close();
        loop.engine.close();
        slurm.execute("scancel", "--user=" + System.getProperty("user.name"));
    }

    private String submit(String... options) {
        String[] command = new String[options.length + 4];
        command[0] = "sbatch";
        command[1] = "--parsable";
        command[2] = "--chdir=" + folder;
        command[3] = "--mem=100M";
        System.arraycopy(options, 0, command, 4, options.length);
        return slurm.execute(command);
    }

    private Optional<ObservedJob> observed(String id) {
        return store.entries().stream()
                .filter(entry -> entry.type().equals(ObservedJob.TYPE))
                .map(entry -> new RecordJson().readStored(entry.body(), ObservedJob.class))
                .filter(job -> job.id().equals(id))
                .reduce((first, last) -> last);
    }

    private Optional<JobRow> shadowOf(String id) {
        return store.entries().stream()
                .filter(entry -> entry.type().equals(ObservedJob.TYPE) && entry.jobId() >= 0)
                .filter(entry -> new RecordJson()
                        .readStored(entry.body(), ObservedJob.class)
                        .id()
                        .equals(id))
                .findFirst()
                .flatMap(entry -> store.job(entry.jobId()));
    }

    /** The jobs that this engine submitted: of other tests, which Slurm still remembers. */
    private Set<String> ownJobs() {
        return slurm.execute("scontrol", "--oneliner", "--all", "show", "job")
                .lines()
                .filter(line -> line.contains("Comment=fermata"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .collect(Collectors.toSet());
    }

    private void awaitUntil(BooleanSupplier condition) {
        try {
            SlurmBench.awaitUntil(condition);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    slurm.execute("squeue", "--all") + "\n" + slurm.execute("sinfo", "--Node") + "\n"
                            + store.entries().stream()
                                    .map(entry -> entry.type() + " " + entry.body())
                                    .toList(),
                    e);
        }
    }

    private static boolean is(Optional<JobRow> row, JobState state) {
        return row.filter(job -> job.state() == state).isPresent();
    }

    @Test
    void jobsOfSlurmLiveAShadowLifeAndAreNeverTouched() {
        Set<String> before = ownJobs();
        String done = submit("--gpus=2", "--job-name=short one", "--time=5", "--wrap=sleep 2");
        String cancelled = submit("--gres=gpu:8", "--no-requeue", "--wrap=sleep 600");
        String held = submit("--gpus=1", "--hold", "--wrap=sleep 600");
        String cpuOnly = submit("--wrap=sleep 600");
        String array = submit("--gpus=1", "--array=3-4", "--wrap=sleep 1");
        String tooLarge = submit("--gpus-per-node=8", "--nodes=8", "--hold", "--wrap=true");

        awaitUntil(() -> is(shadowOf(cancelled), JobState.RUNNING));
        slurm.execute("scancel", cancelled);
        awaitUntil(() -> is(shadowOf(done), JobState.COMPLETED)
                && is(shadowOf(cancelled), JobState.CANCELLED)
                && is(shadowOf(array + "_3"), JobState.COMPLETED)
                && is(shadowOf(array + "_4"), JobState.COMPLETED));

        ObservedJob seen = Objects.requireNonNull(observed(done).orElse(null));
        assertThat(seen.name()).isEqualTo("short one");
        assertThat(seen.user()).isEqualTo(System.getProperty("user.name"));
        assertThat(seen.request()).isEqualTo(new ObservedJob.ObservedRequest(2, "", 500, 50, 300_000, true));
        assertThat(seen.run().result()).isEqualTo(Result.COMPLETED);
        assertThat(seen.ranMillis()).isBetween(1_000L, 60_000L);
        assertThat(seen.run().gpuIds()).hasSize(2);
        assertThat(observed(cancelled))
                .get()
                .extracting(job -> job.request().requeues())
                .isEqualTo(false);
        assertThat(List.of(observed(held), observed(cpuOnly), observed(tooLarge)))
                .allMatch(Optional::isEmpty);
        assertThat(before).containsAll(ownJobs());
        assertThat(slurm.execute("squeue", "--noheader", "--format=%i", "--jobs=" + held))
                .isEqualTo(held);
    }
}
