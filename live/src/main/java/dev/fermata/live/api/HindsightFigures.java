package dev.fermata.live.api;

import dev.fermata.live.conductor.Pulse;
import dev.fermata.live.foresee.StartCalibration;
import dev.fermata.live.learn.EstimateSummary;
import dev.fermata.live.learn.EstimateSummary.OfSource;
import dev.fermata.live.learn.RemainingTime.Source;
import dev.fermata.live.ledger.Entry.Outcome;
import dev.fermata.live.ledger.PreemptionBook;
import dev.fermata.live.ledger.Totals;
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
 * How right the daemon turned out to be, for Prometheus: the sums that {@code /diag/estimates}, {@code /diag/starts} and
 * {@code /preemptions/summary} answer with when nothing more is asked of them, read from the store once a scrape. Nothing is counted here,
 * so no restart changes what is said. What cannot be said yet is {@code NaN}.
 */
final class HindsightFigures implements MultiCollector {
    private static final Logger LOG = LoggerFactory.getLogger(HindsightFigures.class);

    private final ApiPorts ports;
    private final PreemptionBook book;
    /** Kept, so that a scrape reads only what is new. */
    private final StartCalibration starts = new StartCalibration();

    HindsightFigures(ApiPorts ports, PreemptionBook book) {
        this.ports = ports;
        this.book = book;
    }

    @Override
    public synchronized MetricSnapshots collect() {
        if (ports.desk().pulse().phase() == Pulse.Phase.RECOVERING) {
            return MetricSnapshots.of(); // it would read the history beside those who must
        }
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        try {
            estimates(all);
            starts(all);
            ledger(all);
        } catch (StoreException e) {
            LOG.warn("what was expected cannot be held against what came: {}", e.getMessage());
            return MetricSnapshots.of();
        }
        return all.build();
    }

    private void estimates(MetricSnapshots.Builder all) {
        EstimateSummary summary = EstimateSummary.of(ports.reader().settledEstimates(0, StatusRoutes.ESTIMATES));
        Map<String, OfSource> known = new LinkedHashMap<>();
        for (Source source : Source.values()) {
            known.put(source.name(), new OfSource(source, 0, Double.NaN, Double.NaN, Double.NaN, Double.NaN));
        }
        summary.sources().forEach(of -> known.put(of.source().name(), of));
        all.metricSnapshot(ofSource(
                "fermata_estimates_judged",
                "Estimates of remaining time held against the truth, of the latest " + StatusRoutes.ESTIMATES + ".",
                known,
                OfSource::count));
        all.metricSnapshot(ofSource(
                "fermata_estimate_median_error_ratio",
                "Half of these estimates were off by less than this share of the truth.",
                known,
                OfSource::medianError));
        all.metricSnapshot(ofSource(
                "fermata_estimate_bias_ratio",
                "Median of estimate over truth, less 1: positive when jobs end sooner than expected.",
                known,
                OfSource::bias));
        all.metricSnapshot(ofSource(
                "fermata_estimate_within_p90_ratio",
                "Share of these jobs that took at most their p90: 0.9 is right.",
                known,
                OfSource::withinP90));
        all.metricSnapshot(ofSource(
                "fermata_estimate_within_band_ratio",
                "Share of these jobs that took between p10 and p90: 0.8 is right.",
                known,
                OfSource::withinBand));
    }

    private static GaugeSnapshot ofSource(
            String name, String help, Map<String, OfSource> sources, ToDoubleFunction<OfSource> figure) {
        Map<String, Double> values = new LinkedHashMap<>();
        sources.forEach((source, of) -> values.put(source, figure.applyAsDouble(of)));
        return gauge(name, help, "source", values);
    }

    private void starts(MetricSnapshots.Builder all) {
        long now = ports.nowMillis().getAsLong();
        long since = Starts.daysBefore(now, Starts.DAYS);
        StartCalibration.Verdict verdict =
                starts.forget(since).hear(ports.reader(), since).verdict(now);
        all.metricSnapshot(gauge(
                "fermata_expected_starts_judged",
                "Expected starts of the last " + Starts.DAYS + " days whose time has come.",
                "percentile",
                byPercentile(verdict.judged50(), verdict.judged90())));
        all.metricSnapshot(gauge(
                "fermata_expected_starts_within_ratio",
                "Share of them that had started by then: 0.5 and 0.9 are right.",
                "percentile",
                byPercentile(
                        (double) verdict.by50() / verdict.judged50(), (double) verdict.by90() / verdict.judged90())));
        all.metricSnapshot(gauge(
                "fermata_expected_start_median_error_seconds",
                "Half of these jobs started nearer to their p50 than this.",
                verdict.medianErrorMillis() < 0 ? Double.NaN : Views.seconds(verdict.medianErrorMillis())));
    }

    private static Map<String, Double> byPercentile(double p50, double p90) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("50", p50);
        values.put("90", p90);
        return values;
    }

    private void ledger(MetricSnapshots.Builder all) {
        Totals totals = book.totals();
        Map<String, Double> outcomes = new LinkedHashMap<>();
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome.name(), (double) totals.count(outcome));
        }
        all.metricSnapshot(gauge(
                "fermata_ledger_decisions",
                "Decisions to pause jobs for another, by what became of them; DECLINED were weighed and not done.",
                "outcome",
                outcomes));
        all.metricSnapshot(gauge("fermata_ledger_pauses", "Jobs paused by these decisions.", (double) totals.pauses()));
        seconds(all, "expected_gain", "Completion time that they were expected to gain.", totals.expectedGainMillis());
        seconds(all, "expected_cost", "Completion time that they were expected to cost.", totals.expectedCostMillis());
        seconds(all, "gain", "Completion time that those settled gained at most.", totals.gainMillis());
        seconds(all, "cost", "Completion time that they cost, as far as is known.", totals.costMillis());
        Map<String, Double> gpuTime = new LinkedHashMap<>();
        gpuTime.put("pause", Views.seconds(totals.pauseGpuMillis()));
        gpuTime.put("reload", Views.seconds(totals.reloadGpuMillis()));
        gpuTime.put("lost", Views.seconds(totals.lostGpuMillis()));
        all.metricSnapshot(gauge(
                "fermata_ledger_gpu_seconds", "GPU-time spent on saving, loading again, repeating.", "part", gpuTime));
    }

    private static void seconds(MetricSnapshots.Builder all, String what, String help, long millis) {
        all.metricSnapshot(gauge("fermata_ledger_" + what + "_seconds", help, Views.seconds(millis)));
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
