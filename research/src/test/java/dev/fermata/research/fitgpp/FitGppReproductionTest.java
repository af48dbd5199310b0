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
import dev.fermata.research.Comparison;
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
        assertThat(tail.comparison())
                .as("96.6 % lies in an interval of two seeds")
                .isEqualTo(Comparison.INSIDE);
        Finding batch = find(findings, "batchMedianSlowdownReduction");
        assertThat(batch.measured().mean()).isEqualTo(-0.25, within(1e-12));
        assertThat(batch.comparison()).isEqualTo(Comparison.WORSE);
        Finding restart = find(findings, "restartMedianReduction");
        assertThat(restart.baseline()).isEqualTo("lrtp");
        assertThat(restart.measured().mean()).isEqualTo(0.75, within(1e-12));
    }

    /** Trial slowdown 1.1 and 1.2 against 1 and 1.5: −10 % and +20 %, whatever fifo does. */
    @Test
    void fermataIsComparedWithThePapersPolicySeedBySeed() {
        FitGppReproduction paper = new FitGppReproduction(100);
        FitGppResults outcomes = manualResults(paper);
        String workload = paper.workload(FitGppReproduction.MAIN);
        outcomes.put(workload, "fitgpp", 1, outcome(1, 5, 1));
        outcomes.put(workload, "fitgpp", 2, outcome(1.5, 5, 1));
        outcomes.put(workload, "fermata", 1, outcome(1.1, 5, 1));
        outcomes.put(workload, "fermata", 2, outcome(1.2, 5, 1));

        Finding lead = new FitGppFindings(paper, outcomes)
                .all().stream()
                        .filter(f -> f.policy().equals("fermata")
                                && f.metric().equals("trialTailSlowdownReduction")
                                && f.setting().startsWith("hand-set"))
                        .findFirst()
                        .orElseThrow();

        assertThat(lead.baseline()).isEqualTo("fitgpp");
        assertThat(lead.measured().mean()).isEqualTo(0.05, within(1e-12));
        // t(1) = 12.706, half of the distance of two values
        assertThat(lead.measured().halfWidth()).isEqualTo(12.706 * 0.15, within(1e-9));
        assertThat(lead.comparison()).isEqualTo(Comparison.LEVEL);
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
