package dev.fermata.live.api;

import dev.fermata.history.RemainingTime.EstimateSource;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.learning.EstimateAccuracy;
import dev.fermata.live.learning.EstimateAccuracy.SourceAccuracy;
import dev.fermata.live.prediction.PredictionEvaluator;
import dev.fermata.live.preemptions.PreemptionLogEntry.DecisionOutcome;
import dev.fermata.live.preemptions.PreemptionLogReader;
import dev.fermata.live.preemptions.PreemptionSums;
import dev.fermata.live.store.StoreException;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accuracy of estimates, predicted starts and preemptions, for Prometheus. These are the sums of {@code
 * /diag/estimates}, {@code /diag/starts} and {@code /preemptions/summary} with their defaults, read from the store once
 * per scrape. It counts nothing itself, so a restart changes no figure. Unknown figures are {@code NaN}.
 */
final class AccuracyMetrics implements MultiCollector {
    private static final Logger LOG = LoggerFactory.getLogger(AccuracyMetrics.class);

    private final ApiPorts ports;
    private final PreemptionLogReader preemptionLog;
    /** Kept, so that a scrape reads only new entries. */
    private final PredictionEvaluator starts = new PredictionEvaluator();

    AccuracyMetrics(ApiPorts ports, PreemptionLogReader preemptionLog) {
        this.ports = ports;
        this.preemptionLog = preemptionLog;
    }

    @Override
    public synchronized MetricSnapshots collect() {
        if (ports.scheduler().health().phase() == HealthStatus.DaemonPhase.RECOVERING) {
            return MetricSnapshots.of(); // the recovery reads the history now
        }
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        try {
            estimates(all);
            starts(all);
            preemptionLog(all);
        } catch (StoreException e) {
            LOG.warn("accuracy metrics: the store cannot be read: {}", e.getMessage());
            return MetricSnapshots.of();
        }
        return all.build();
    }

    private void estimates(MetricSnapshots.Builder all) {
        EstimateAccuracy summary =
                EstimateAccuracy.of(ports.reader().settledEstimates(0, StatusRoutes.DEFAULT_ESTIMATES));
        Map<String, SourceAccuracy> known = new LinkedHashMap<>();
        for (EstimateSource source : EstimateSource.values()) {
            known.put(source.name(), new SourceAccuracy(source, 0, Double.NaN, Double.NaN, Double.NaN, Double.NaN));
        }
        summary.sources().forEach(of -> known.put(of.source().name(), of));
        all.metricSnapshot(sourceGauge(
                "fermata_estimates_evaluated",
                "Estimates of remaining time compared with the actual time, of the latest "
                        + StatusRoutes.DEFAULT_ESTIMATES + ".",
                known,
                SourceAccuracy::count));
        all.metricSnapshot(sourceGauge(
                "fermata_estimate_median_error_ratio",
                "Half of these estimates were off by less than this share of the actual time.",
                known,
                SourceAccuracy::medianError));
        all.metricSnapshot(sourceGauge(
                "fermata_estimate_bias_ratio",
                "Median of estimate over actual time, less 1: positive when jobs end earlier than estimated.",
                known,
                SourceAccuracy::bias));
        all.metricSnapshot(sourceGauge(
                "fermata_estimate_within_p90_ratio",
                "Share of these jobs that took at most their p90: 0.9 is right.",
                known,
                SourceAccuracy::withinP90));
        all.metricSnapshot(sourceGauge(
                "fermata_estimate_within_band_ratio",
                "Share of these jobs that took between p10 and p90: 0.8 is right.",
                known,
                SourceAccuracy::withinBand));
    }

    private static GaugeSnapshot sourceGauge(
            String name, String help, Map<String, SourceAccuracy> sources, ToDoubleFunction<SourceAccuracy> metric) {
        Map<String, Double> values = new LinkedHashMap<>();
        sources.forEach((source, of) -> values.put(source, metric.applyAsDouble(of)));
        return gauge(name, help, "source", values);
    }

    private void starts(MetricSnapshots.Builder all) {
        long now = ports.nowMillis().getAsLong();
        long since = StartPredictions.daysBefore(now, StartPredictions.DEFAULT_DAYS);
        PredictionEvaluator.PredictionEvaluation evaluation =
                starts.forget(since).read(ports.reader(), since).evaluate(now);
        all.metricSnapshot(gauge(
                "fermata_predicted_starts_evaluated",
                "Predicted starts of the last " + StartPredictions.DEFAULT_DAYS + " days that are due.",
                "percentile",
                byPercentile(evaluation.dueP50(), evaluation.dueP90())));
        all.metricSnapshot(gauge(
                "fermata_predicted_starts_within_ratio",
                "Share of these jobs that had started by then: 0.5 and 0.9 are right.",
                "percentile",
                byPercentile(
                        (double) evaluation.metP50() / evaluation.dueP50(),
                        (double) evaluation.metP90() / evaluation.dueP90())));
        all.metricSnapshot(gauge(
                "fermata_predicted_start_median_error_seconds",
                "Median distance of these starts from their p50.",
                evaluation.medianErrorMillis() < 0 ? Double.NaN : Views.seconds(evaluation.medianErrorMillis())));
    }

    private static Map<String, Double> byPercentile(double p50, double p90) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("50", p50);
        values.put("90", p90);
        return values;
    }

    private void preemptionLog(MetricSnapshots.Builder all) {
        PreemptionSums totals = preemptionLog.totals();
        Map<String, Double> outcomes = new LinkedHashMap<>();
        for (DecisionOutcome outcome : DecisionOutcome.values()) {
            outcomes.put(outcome.name(), (double) totals.count(outcome));
        }
        all.metricSnapshot(gauge(
                "fermata_preemption_log_decisions",
                "Decisions to preempt jobs for another, by outcome; DECLINED ones were evaluated and not taken.",
                "outcome",
                outcomes));
        all.metricSnapshot(gauge("fermata_preemption_log_preempted_jobs", "Jobs preempted by these decisions.", (double)
                totals.preemptedJobs()));
        secondsGauge(all, "expected_gain", "Expected gain in completion time.", totals.expectedGainMillis());
        secondsGauge(all, "expected_cost", "Expected cost in completion time.", totals.expectedCostMillis());
        secondsGauge(all, "gain", "The most completion time that settled decisions gained.", totals.gainMillis());
        secondsGauge(all, "cost", "Completion time lost by victims, as far as known.", totals.costMillis());
        Map<String, Double> gpuTime = new LinkedHashMap<>();
        gpuTime.put("preempt", Views.seconds(totals.preemptGpuMillis()));
        gpuTime.put("reload", Views.seconds(totals.reloadGpuMillis()));
        gpuTime.put("lost", Views.seconds(totals.lostGpuMillis()));
        all.metricSnapshot(gauge(
                "fermata_preemption_log_gpu_seconds",
                "GPU time spent on saves, reloads and repeated work.",
                "part",
                gpuTime));
    }

    private static void secondsGauge(MetricSnapshots.Builder all, String what, String help, long millis) {
        all.metricSnapshot(gauge("fermata_preemption_log_" + what + "_seconds", help, Views.seconds(millis)));
    }

    private static GaugeSnapshot gauge(String name, String help, double value) {
        return GaugeSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(GaugeDataPointSnapshot.builder().value(value).build())
                .build();
    }

    private static GaugeSnapshot gauge(String name, String help, String label, Map<String, Double> values) {
        GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
        values.forEach((key, value) -> gauge.dataPoint(GaugeDataPointSnapshot.builder()
                .labels(Labels.of(label, key))
                .value(value)
                .build()));
        return gauge.build();
    }
}
