package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;

import dev.fermata.history.RemainingTime;
import dev.fermata.live.api.view.DiagView;
import dev.fermata.live.api.view.EstimateAccuracyView;
import dev.fermata.live.api.view.HealthView;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.learning.EstimateAccuracy;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Routes of the daemon's health: for operators, for supervisors and for Prometheus. None waits for the scheduler loop. */
final class StatusRoutes {
    private static final long MIB = 1 << 20;

    /** How many of the latest estimates are evaluated, by default. */
    static final int DEFAULT_ESTIMATES = 2_000;

    private final ApiPorts ports;
    private final ApiSettings settings;
    private final OpenStreams streams;
    private final PrometheusTextFormatWriter text = PrometheusTextFormatWriter.create();

    StatusRoutes(ApiPorts ports, ApiSettings settings, OpenStreams streams) {
        this.ports = ports;
        this.settings = settings;
        this.streams = streams;
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(GET, "/api/v1/diag", VIEWER, "The health of the daemon")
                        .respondNow(DiagView.class, this::diag),
                Endpoint.of(GET, "/api/v1/diag/estimates", VIEWER, "The accuracy of estimates of remaining time")
                        .parameters(Endpoint.EndpointParameter.number(
                                "limit", "only this many of the latest, at most 10000"))
                        .respondNow(EstimateAccuracyView.class, this::estimates),
                Endpoint.of(GET, "/healthz", null, "200 while the scheduler loop runs, 503 when it is stuck")
                        .errors(503)
                        .respondAsync(200, HealthView.class, call -> health(alive())),
                Endpoint.of(
                                GET,
                                "/readyz",
                                null,
                                "200 when submissions can be accepted: recovered, leader, store writable")
                        .errors(503)
                        .respondAsync(200, HealthView.class, call -> health(ready())),
                Endpoint.of(GET, "/metrics", settings.openMetrics() ? null : VIEWER, "Metrics for Prometheus")
                        .respond(200, String.class, "text/plain", call -> metrics()));
    }

    private DiagView diag(ApiCall call) {
        HealthStatus status = ports.scheduler().health();
        var runtime = ManagementFactory.getRuntimeMXBean();
        String store = ports.store().address();
        int scheme = store.indexOf(':');
        return new DiagView(
                new DiagView.DaemonView(
                        ProcessHandle.current().pid(),
                        ports.daemon().version(),
                        ports.daemon().engine(),
                        call.hasRole(OPERATOR) || scheme < 0 ? store : store.substring(0, scheme),
                        ports.daemon().policy()),
                new DiagView.SchedulerLoopView(
                        status.phase(),
                        Views.seconds(status.cycleAgeMillis()),
                        status.cycles(),
                        status.lastSeq(),
                        status.queuedRequests(),
                        status.pendingJobs(),
                        status.runningJobs(),
                        Views.seconds(status.recoveryMillis())),
                status.shadow(),
                status.problem(),
                new DiagView.DaemonLoadView(
                        Views.seconds(runtime.getUptime()),
                        (Runtime.getRuntime().totalMemory()
                                        - Runtime.getRuntime().freeMemory())
                                / MIB,
                        Runtime.getRuntime().maxMemory() / MIB,
                        streams.count()),
                ports.daemon().notices());
    }

    private EstimateAccuracyView estimates(ApiCall call) {
        int limit = (int) call.number("limit", DEFAULT_ESTIMATES, 1, 10_000);
        EstimateAccuracy summary = EstimateAccuracy.of(ports.reader().settledEstimates(0, limit));
        return new EstimateAccuracyView(
                summary.sources().stream()
                        .map(of -> new EstimateAccuracyView.SourceAccuracyView(
                                of.source(), of.count(), of.medianError(), of.bias(), of.withinP90(), of.withinBand()))
                        .toList(),
                summary.worst().stream()
                        .map(row -> new EstimateAccuracyView.WorstEstimateView(
                                row.jobId(),
                                row.moment(),
                                RemainingTime.EstimateSource.valueOf(row.source()),
                                Views.seconds(row.p10Millis()),
                                Views.seconds(row.p50Millis()),
                                Views.seconds(row.p90Millis()),
                                Views.seconds(row.actualMillis())))
                        .toList());
    }

    private HealthView alive() {
        HealthStatus status = ports.scheduler().health();
        boolean active = status.phase().leads() || status.phase() == HealthStatus.DaemonPhase.DEGRADED;
        boolean stuck =
                active && status.cycleAgeMillis() > settings.stuckAfter().toMillis();
        return stuck
                ? new HealthView(false, "no scheduling cycle for " + status.cycleAgeMillis() / 1000 + " s")
                : new HealthView(
                        status.phase() != HealthStatus.DaemonPhase.STOPPED,
                        status.phase().name());
    }

    private HealthView ready() {
        HealthStatus status = ports.scheduler().health();
        HealthView alive = alive();
        return alive.ok() && !status.phase().leads()
                ? new HealthView(false, status.phase().name())
                : alive;
    }

    private static CompletableFuture<Reply> health(HealthView health) {
        return CompletableFuture.completedFuture(Reply.json(health.ok() ? 200 : 503, health));
    }

    private CompletableFuture<Reply> metrics() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            text.write(out, ports.metrics().registry().scrape());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return CompletableFuture.completedFuture(
                Reply.text(200, PrometheusTextFormatWriter.CONTENT_TYPE, out.toByteArray()));
    }
}
