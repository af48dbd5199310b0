package dev.fermata.live.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/**
 * What is counted while it happens. Whatever can be asked at the time of a scrape is not here but in the door that answers it.
 * Cheap, and safe from any thread.
 */
public final class Meters {
    private static final double NANOS = 1e9;
    private static final double[] FAST = {1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 0.1, 0.5, 1, 5};

    private static final double[] SLOW = {0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300};

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Histogram cycle = histogram("fermata_cycle_seconds", "Time of one turn of the conductor.");
    private final Histogram append = histogram("fermata_append_seconds", "Time to make one batch durable.");
    private final Counter appended = counter("fermata_appended_lines", "Lines of the history made durable.");
    private final Histogram submit =
            histogram("fermata_submit_seconds", "Time from a submission at the door to its durable answer.");
    private final Counter submitted = counter("fermata_submitted_jobs", "Jobs accepted at the door.");
    private final Counter preemptions = counter("fermata_preemptions", "Attempts asked to leave for another job.");
    private final Counter gained =
            counter("fermata_preemption_gain_seconds", "What those pauses were expected to gain.");
    private final Counter cost = counter("fermata_preemption_cost_seconds", "What those pauses were expected to cost.");
    private final Counter deciding = counter("fermata_decision_seconds", "Time spent on deciding, without the store.");
    private final Counter learning = counter("fermata_learning_seconds", "The part of it that was spent on learning.");
    private final Histogram paused = ofClass("fermata_pause_seconds", "From the signal until an attempt was gone.");
    private final Histogram loaded = ofClass("fermata_load_seconds", "From the start of an attempt to its first step.");
    private final Counter ended = Counter.builder()
            .name("fermata_ended_jobs")
            .help("Jobs that ended, by final state.")
            .labelNames("state")
            .register(registry);
    private final Counter requests = Counter.builder()
            .name("fermata_http_requests")
            .help("Requests answered, by route and status.")
            .labelNames("route", "status")
            .register(registry);

    public Meters() {
        JvmMetrics.builder().register(registry);
    }

    public PrometheusRegistry registry() {
        return registry;
    }

    /** One turn of the conductor that had something to do. */
    public void cycleTook(long nanos) {
        cycle.observe(nanos / NANOS);
    }

    /** One turn, without making it durable; {@code learned} is the part of it that went into learning. */
    public void decisionTook(long nanos, long learned) {
        deciding.inc(nanos / NANOS);
        learning.inc(learned / NANOS);
    }

    public double decidingSeconds() {
        return deciding.get();
    }

    /** The part of it that went into learning. */
    public double learningSeconds() {
        return learning.get();
    }

    /** What an attempt of a class showed of its own costs; negative where it showed nothing. */
    public void measured(String jobClass, long pauseMillis, long loadMillis) {
        if (pauseMillis >= 0) {
            paused.labelValues(jobClass).observe(pauseMillis / 1e3);
        }
        if (loadMillis >= 0) {
            loaded.labelValues(jobClass).observe(loadMillis / 1e3);
        }
    }

    public void appendTook(long nanos, int lines) {
        append.observe(nanos / NANOS);
        appended.inc(lines);
    }

    public void submitTook(long nanos, int jobs) {
        submit.observe(nanos / NANOS);
        submitted.inc(jobs);
    }

    public void pausing(long gainMillis, long costMillis) {
        preemptions.inc();
        gained.inc(Math.max(0, gainMillis) / 1e3);
        cost.inc(Math.max(0, costMillis) / 1e3);
    }

    public void ended(String state) {
        ended.labelValues(state).inc();
    }

    public void answered(String route, int status) {
        requests.labelValues(route, Integer.toString(status)).inc();
    }

    private Histogram ofClass(String name, String help) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .labelNames("class")
                .classicOnly()
                .classicUpperBounds(SLOW)
                .register(registry);
    }

    private Histogram histogram(String name, String help) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .classicOnly()
                .classicUpperBounds(FAST)
                .register(registry);
    }

    private Counter counter(String name, String help) {
        return Counter.builder().name(name).help(help).register(registry);
    }
}
