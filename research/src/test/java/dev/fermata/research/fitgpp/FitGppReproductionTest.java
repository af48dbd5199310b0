package dev.fermata.research.fitgpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.measure.Distribution;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
import dev.fermata.research.ReproductionReport;
import dev.fermata.sim.cluster.ClusterSpec;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FitGppReproductionTest {
    private static Distribution flat(double value) {
        return new Distribution(value, value, value, value, value);
    }

    private static FitGppOutcome outcome(double trial, double batch, double restart) {
        return new FitGppOutcome(flat(trial), flat(batch), flat(restart), flat(restart), 0.1, 7);
    }

    /** Two seeds of every setting: trial slowdown 20 and 40 under fifo, 1 under fitgpp, 1.02 under lrtp. */
    private static FitGppResults manualResults(FitGppReproduction paper) {
        FitGppResults outcomes = new FitGppResults(List.of(1L, 2L));
        for (FitGppReproduction.FitGppSetting setting : FitGppReproduction.SETTINGS) {
            for (long seed = 1; seed <= 2; seed++) {
                String workload = paper.workload(setting);
                outcomes.put(workload, FitGppReproduction.FIFO, seed, outcome(20.0 * seed, 4, 0));
                outcomes.put(workload, "fitgpp", seed, outcome(1, 5, 1));
                outcomes.put(workload, "lrtp", seed, outcome(1.02, 4, 4));
                outcomes.put(workload, "rand", seed, outcome(2, 6, 2));
                outcomes.put(workload, "fermata", seed, outcome(1, 5, 1));
            }
        }
        return outcomes;
    }

    private static Finding find(List<Finding> findings, String metric) {
        return findings.stream()
                .filter(f -> f.metric().equals(metric))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void findingsAreRatiosSeedBySeed() {
        FitGppReproduction paper = new FitGppReproduction(100);
        List<Finding> findings = new FitGppFindings(paper, manualResults(paper)).all();

        Finding tail = find(findings, "trialTailSlowdownReduction");
        assertThat(tail.measured().mean()).isEqualTo((0.95 + 0.975) / 2, within(1e-12));
        assertThat(tail.measured().halfWidth()).isGreaterThan(0.1);
        assertThat(tail.holds()).isTrue();
        Finding batch = find(findings, "batchMedianSlowdownReduction");
        assertThat(batch.measured().mean()).isEqualTo(-0.25, within(1e-12));
        assertThat(batch.holds()).isFalse();
        Finding restart = find(findings, "restartMedianReduction");
        assertThat(restart.baseline()).isEqualTo("rand");
        assertThat(restart.measured().mean()).isEqualTo(0.5, within(1e-12));
    }

    @Test
    void anyPolicyIsComparedWithThePapersPolicy() {
        FitGppReproduction paper = new FitGppReproduction(100);
        FitGppFindings findings = new FitGppFindings(paper, manualResults(paper));

        Finding close = findings.lead(FitGppReproduction.MAIN, "lrtp");
        assertThat(close.measured().mean()).isEqualTo(-0.00075, within(1e-12));
        assertThat(close.holds()).isTrue();
        Finding far = findings.lead(FitGppReproduction.MAIN, "rand");
        assertThat(far.measured().mean()).isEqualTo(-0.0375, within(1e-12));
        assertThat(far.holds()).isFalse();
    }

    @Test
    void restartsAreTimedFromTheRequestAndFromTheRelease() {
        Topology topology = ClusterSpec.parse("1x1");
        Allocation gpu = Allocation.of(topology, new int[] {0}, false);
        ReschedulingDelays observed = new ReschedulingDelays();
        observed.read(0, new HistoryRecord.Started(1, 1, gpu, false));
        observed.read(60_000, new HistoryRecord.Preempting(1, 1, 2, 0, 0));
        observed.read(120_000, left(1, 1, JobState.PENDING));
        observed.read(120_000, new HistoryRecord.Started(2, 1, gpu, false));
        observed.read(300_000, left(2, 1, JobState.COMPLETED));
        observed.read(300_000, new HistoryRecord.Started(1, 2, gpu, true));
        observed.read(400_000, new HistoryRecord.Preempting(1, 2, 3, 0, 0));
        observed.read(400_000, left(1, 2, JobState.COMPLETED));

        assertThat(observed.sinceRequest()).isEqualTo(flat(4));
        assertThat(observed.sinceRelease()).isEqualTo(flat(3));
    }

    private static HistoryRecord left(long id, int attempt, JobState next) {
        dev.fermata.core.contract.Outcome how = next == JobState.PENDING
                ? dev.fermata.core.contract.Outcome.PREEMPTED
                : dev.fermata.core.contract.Outcome.COMPLETED;
        return new HistoryRecord.AttemptEnded(id, attempt, how, Usage.NONE, next);
    }

    /** Small, but the queue is long enough for the headline to show. */
    @Test
    void aShortRunFillsTheWholeReport() {
        FitGppReproduction paper = new FitGppReproduction(1600);
        AtomicInteger workUnits = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        ReproductionReport report;
        try {
            report = paper.reproduce(new ExperimentRunner(pool, List.of(1L), new ExperimentRunner.ProgressObserver() {
                @Override
                public void completed(String workUnit) {
                    workUnits.incrementAndGet();
                }

                @Override
                public boolean shouldStop() {
                    return false;
                }
            }));
        } finally {
            pool.shutdownNow();
        }

        assertThat(workUnits.get()).isEqualTo(paper.workUnits(1));
        ResultTable main = report.tables().get(0);
        assertThat(main.rows()).extracting(row -> row.get(0)).isEqualTo(FitGppReproduction.policies());
        assertThat(main.rows().get(0).get(3)).isEqualTo("-");
        Finding tail = find(report.findings(), "trialTailSlowdownReduction");
        assertThat(tail.measured().mean()).isBetween(0.85, 0.99);
        assertThat(tail.published()).hasValue(0.966);
    }
}
