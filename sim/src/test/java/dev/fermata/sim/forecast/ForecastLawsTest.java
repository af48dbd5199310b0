package dev.fermata.sim.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.LedgerImage;
import dev.fermata.sim.laws.World;
import dev.fermata.sim.workload.TrueJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for every forecast, over random worlds that are stopped in the middle. */
class ForecastLawsTest {
    private static final int SEEDS = 40;

    /** Of one millisecond each: whoever ends together is told in an order that no ledger remembers. */
    private static KnownWorld world(long seed, String policy) {
        World drawn = World.plain(seed);
        List<TrueJob> jobs = new ArrayList<>();
        for (TrueJob job : drawn.workload().jobs()) {
            long id = job.job().id();
            jobs.add(new TrueJob(
                    job.job(),
                    job.submitMillis() + 13 * id,
                    job.durationMillis() + 1009 * id,
                    job.job().demand().gpuMemoryMib(),
                    job.costs()));
        }
        return new KnownWorld(drawn.topology(), policy, jobs).until((int) (40 + seed % 80));
    }

    /** These remember nothing between decisions, so that a fresh one decides alike. */
    @ParameterizedTest
    @ValueSource(strings = {"fifo", "sjf", "srtf", "fifo-backfill"})
    void withAllKnownTheForecastIsWhatHappens(String policy) {
        int compared = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            KnownWorld world = world(seed, policy);
            Map<Long, Long> foreseen = new TreeMap<>();
            for (ExpectedStart start : StartForecast.of(world.state(1), 1)) {
                assertThat(start.startsMillis())
                        .as("seed %s, job %s", seed, start.jobId())
                        .hasSize(1);
                foreseen.put(start.jobId(), start.startsMillis().get(0));
            }
            world.goOn();
            for (Map.Entry<Long, Long> start : foreseen.entrySet()) {
                assertThat(start.getValue())
                        .as("%s, seed %s, job %s", policy, seed, start.getKey())
                        .isEqualTo(world.starts.get(start.getKey()));
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(SEEDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fermata", "xion", "fitgpp", "las", "dally", "gandiva", "xonar"})
    void everyForecastIsLawful(String policy) {
        for (long seed = 1; seed <= SEEDS / 4; seed++) {
            KnownWorld world = world(seed, policy);
            LedgerImage before = world.scheduler.image();
            LiveState state = world.state(2);
            List<ExpectedStart> starts = StartForecast.of(state, 5);
            assertThat(world.scheduler.image()).as("the live ledger stays").isEqualTo(before);
            assertThat(state.image()).isEqualTo(before);
            assertThat(StartForecast.of(state, 5)).as("the same again").isEqualTo(starts);
            for (ExpectedStart start : starts) {
                assertThat(start.quantileMillis(0.5))
                        .isGreaterThanOrEqualTo(world.now())
                        .isLessThanOrEqualTo(start.quantileMillis(0.9));
            }
        }
    }
}
