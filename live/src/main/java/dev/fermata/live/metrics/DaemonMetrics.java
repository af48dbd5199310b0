package dev.fermata.live.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/**
 * Metrics that are counted when something happens. Metrics that can be computed at the time of a scrape are not here but
 * in the API. Every method is cheap and safe from any thread.
 */
public final class DaemonMetrics {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double[] FAST_BUCKETS = {1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 0.1, 0.5, 1, 5};

    private static final double[] SLOW_BUCKETS = {0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300};

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Histogram cycle = histogram("fermata_cycle_seconds", "Time of one scheduling cycle.");
    private final Histogram append = histogram("fermata_append_seconds", "Time to make one batch durable.");
    private final Counter appendedEntries = counter("fermata_appended_entries", "History entries made durable.");
    private final Histogram submit =
            histogram("fermata_submit_seconds", "Time from the arrival of a submission to its durable answer.");
    private final Counter submittedJobs = counter("fermata_submitted_jobs", "Jobs accepted.");
    private final Counter preemptions = counter("fermata_preemptions", "Attempts preempted for another job.");
    private final Counter expectedGain =
            counter("fermata_preemption_gain_seconds", "Estimated gain of these preemptions.");
    private final Counter expectedCost =
            counter("fermata_preemption_cost_seconds", "Estimated cost of these preemptions.");
    private final Counter deciding =
            counter("fermata_decision_seconds", "Time of scheduling cycles without the store.");
    private final Counter learning = counter("fermata_learning_seconds", "The part of it spent on learning.");
    private final Histogram preemptDuration =
            classHistogram("fermata_preempt_seconds", "From the preemption signal to the end of the attempt.");
    private final Histogram loadDuration =
            classHistogram("fermata_load_seconds", "From the start of an attempt to its first step.");
    private final Counter endedJobs = Counter.builder()
            .name("fermata_ended_jobs")
            .help("Jobs that ended, by final state.")
            .labelNames("state")
            .register(registry);
    private final Counter engineAnswers = Counter.builder()
            .name("fermata_engine_answers")
            .help("Answers of the engine, by type of order and result; attempts it should not know, starts it failed.")
            .labelNames("about", "result")
            .register(registry);
    private final Gauge engineReachable = Gauge.builder()
            .name("fermata_engine_reachable")
            .help("1 while the engine can be reached.")
            .register(registry);
    private final Gauge openOrders = Gauge.builder()
            .name("fermata_engine_open_orders")
            .help("Orders that the engine has not accepted yet.")
            .register(registry);
    private final Counter requests = Counter.builder()
            .name("fermata_http_requests")
            .help("Requests answered, by route and status.")
            .labelNames("route", "status")
            .register(registry);

    public DaemonMetrics() {
        JvmMetrics.builder().register(registry);
    }

    public PrometheusRegistry registry() {
        return registry;
    }

    /** Records one scheduling cycle. */
    public void recordCycle(long nanos) {
        cycle.observe(nanos / NANOS_PER_SECOND);
    }

    /** Records one cycle without its commit; {@code learningNanos} is the part spent on learning. */
    public void recordDecision(long nanos, long learningNanos) {
        deciding.inc(nanos / NANOS_PER_SECOND);
        learning.inc(learningNanos / NANOS_PER_SECOND);
    }

    public double decidingSeconds() {
        return deciding.get();
    }

    /** The part of {@link #decidingSeconds} spent on learning. */
    public double learningSeconds() {
        return learning.get();
    }

    /** Records the measured costs of an attempt; negative values are skipped. */
    public void recordAttemptCosts(String jobClass, long preemptMillis, long loadMillis) {
        if (preemptMillis >= 0) {
            preemptDuration.labelValues(jobClass).observe(preemptMillis / 1e3);
        }
        if (loadMillis >= 0) {
            loadDuration.labelValues(jobClass).observe(loadMillis / 1e3);
        }
    }

    public void recordAppend(long nanos, int entries) {
        append.observe(nanos / NANOS_PER_SECOND);
        appendedEntries.inc(entries);
    }

    public void recordSubmission(long nanos, int jobs) {
        submit.observe(nanos / NANOS_PER_SECOND);
        submittedJobs.inc(jobs);
    }

    public void recordPreemption(long gainMillis, long costMillis) {
        preemptions.inc();
        expectedGain.inc(Math.max(0, gainMillis) / 1e3);
        expectedCost.inc(Math.max(0, costMillis) / 1e3);
    }

    public void recordJobEnd(String state) {
        endedJobs.labelValues(state).inc();
    }

    /** Records answers of the engine: {@code start accepted}, for instance. */
    public void recordEngineAnswer(String about, String result, int times) {
        engineAnswers.labelValues(about, result).inc(times);
    }

    public void recordEngine(boolean reachable, int orders) {
        engineReachable.set(reachable ? 1 : 0);
        openOrders.set(orders);
    }

    public void recordRequest(String route, int status) {
        requests.labelValues(route, Integer.toString(status)).inc();
    }

    private Histogram classHistogram(String name, String help) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames("class")
                .classicOnly()
                .classicUpperBounds(SLOW_BUCKETS)
                .register(registry);
    }

    private Histogram histogram(String name, String help) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .classicOnly()
                .classicUpperBounds(FAST_BUCKETS)
                .register(registry);
    }

    private Counter counter(String name, String help) {
        return Counter.builder().name(name).help(help).register(registry);
    }
}
