package dev.fermata.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole daemon in virtual time, with faults. {@code -Dfermata.torture.seeds=10000} is the long version. */
class TortureTest {
    private static final int SEEDS = Integer.getInteger("fermata.torture.seeds", 120);

    private static final Topology CLUSTER =
            Topology.builder().node(GpuCatalogue.GENERIC, 2).build();
    private final HistoryCodec codec = new HistoryCodec(CLUSTER);
    private long seq;

    @Test
    void noSeedBreaksALaw() {
        int attempts = 0;
        int preemptions = 0;
        int kills = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            TortureRun.Result result = TortureRun.run(seed, line -> {});
            assertThat(result.law())
                    .as("seed %s: %s\n%s", seed, result.details(), String.join("\n", result.tail()))
                    .isNull();
            attempts += result.counts().attempts();
            preemptions += result.counts().preemptions();
            kills += result.counts().kills();
        }
        assertThat(attempts).as("attempts").isGreaterThan(10 * SEEDS);
        assertThat(preemptions).as("preemptions").isGreaterThan(SEEDS);
        assertThat(kills).as("kills").isGreaterThan(SEEDS);
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 50, 73})
    void theSameSeedHasTheSameTrace(long seed) {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        TortureRun.Result result = TortureRun.run(seed, first::add);
        assertThat(TortureRun.run(seed, second::add).digest()).isEqualTo(result.digest());
        assertThat(second).isEqualTo(first).hasSizeGreaterThan(100);
        assertThat(TortureRun.run(seed + 1, line -> {}).digest()).isNotEqualTo(result.digest());
    }

    private HistoryEntry entry(HistoryRecord record) {
        seq++;
        return new HistoryEntry(
                seq, seq, record.jobId(), 0, "policy", HistoryCodec.typeOf(record), codec.encode(record, Map.of()));
    }

    private static HistoryRecord start(long job, int attempt, int gpu) {
        return new HistoryRecord.Started(job, attempt, Allocation.of(CLUSTER, new int[] {gpu}, false), attempt > 1);
    }

    private HistoryLaws lawsOfTwoJobs() {
        HistoryLaws laws = new HistoryLaws(Set::of, CLUSTER, () -> 0);
        laws.accept(List.of(
                entry(new HistoryRecord.Submitted(Job.builder(1, 1).build())),
                entry(new HistoryRecord.Submitted(Job.builder(2, 1).build())),
                entry(start(1, 1, 0))));
        return laws;
    }

    @Test
    void theHistoryOfAGpuThatIsGivenTwiceBreaksALaw() {
        assertThatThrownBy(() -> lawsOfTwoJobs().accept(List.of(entry(start(2, 1, 0)))))
                .isInstanceOfSatisfying(
                        BrokenLaw.class, broken -> assertThat(broken.law).isEqualTo("no GPU is given twice"));
    }

    @Test
    void theHistoryOfASecondLiveAttemptBreaksALaw() {
        assertThatThrownBy(() -> lawsOfTwoJobs().accept(List.of(entry(start(1, 2, 1)))))
                .isInstanceOfSatisfying(
                        BrokenLaw.class,
                        broken -> assertThat(broken.law).isEqualTo("at most one live attempt of a job"));
    }
}
