package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.Verb.GET;

import dev.fermata.live.api.view.DiagView;
import dev.fermata.live.api.view.EstimatesView;
import dev.fermata.live.api.view.Health;
import dev.fermata.live.conductor.Pulse;
import dev.fermata.live.learn.EstimateSummary;
import dev.fermata.live.learn.RemainingTime;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** How the daemon is: for people, for supervisors and for Prometheus. None of it waits for the conductor. */
final class StatusRoutes {
    private static final long MIB = 1 << 20;

    /** So many of the latest estimates are judged where nobody says otherwise. */
    static final int ESTIMATES = 2_000;

    private final ApiPorts ports;
    private final ApiSettings settings;
    private final Streams streams;
    private final PrometheusTextFormatWriter text = PrometheusTextFormatWriter.create();

    StatusRoutes(ApiPorts ports, ApiSettings settings, Streams streams) {
        this.ports = ports;
        this.settings = settings;
        this.streams = streams;
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(GET, "/api/v1/diag", VIEWER, "How the daemon is").now(DiagView.class, this::diag),
                Endpoint.of(
                                GET,
                                "/api/v1/diag/estimates",
                                VIEWER,
                                "How estimates of remaining time compare with the truth")
                        .with(Endpoint.Parameter.number("limit", "only the latest so many, at most 10000"))
                        .now(EstimatesView.class, this::estimates),
                Endpoint.of(GET, "/healthz", null, "200 while the conductor turns, 503 when it is stuck")
                        .fails(503)
                        .later(200, Health.class, call -> health(alive())),
                Endpoint.of(
                                GET,
                                "/readyz",
                                null,
                                "200 when submissions can be accepted: recovered, leading, and the store can be written")
                        .fails(503)
                        .later(200, Health.class, call -> health(ready())),
                Endpoint.of(GET, "/metrics", settings.openMetrics() ? null : VIEWER, "Figures for Prometheus")
                        .answers(200, String.class, "text/plain", call -> metrics()));
    }

    private DiagView diag(Call call) {
        Pulse pulse = ports.desk().pulse();
        var runtime = ManagementFactory.getRuntimeMXBean();
        String store = ports.store().address();
        int scheme = store.indexOf(':');
        return new DiagView(
                ProcessHandle.current().pid(),
                ports.about().version(),
                ports.about().engine(),
                call.may(OPERATOR) || scheme < 0 ? store : store.substring(0, scheme),
                ports.about().policy(),
                pulse.phase(),
                Views.seconds(pulse.cycleAgeMillis()),
                pulse.cycles(),
                pulse.lastSeq(),
                pulse.inbox(),
                pulse.pendingJobs(),
                pulse.runningJobs(),
                Views.seconds(pulse.restartMillis()),
                pulse.shadow(),
                pulse.trouble(),
                Views.seconds(runtime.getUptime()),
                (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) / MIB,
                Runtime.getRuntime().maxMemory() / MIB,
                streams.count(),
                ports.about().remarks());
    }

    private EstimatesView estimates(Call call) {
        int limit = (int) call.number("limit", ESTIMATES, 1, 10_000);
        EstimateSummary summary = EstimateSummary.of(ports.reader().settledEstimates(0, limit));
        return new EstimatesView(
                summary.sources().stream()
                        .map(of -> new EstimatesView.SourceView(
                                of.source(), of.count(), of.medianError(), of.bias(), of.withinP90(), of.withinBand()))
                        .toList(),
                summary.worst().stream()
                        .map(row -> new EstimatesView.WorstView(
                                row.jobId(),
                                row.moment(),
                                RemainingTime.Source.valueOf(row.source()),
                                Views.seconds(row.p10Millis()),
                                Views.seconds(row.p50Millis()),
                                Views.seconds(row.p90Millis()),
                                Views.seconds(row.truthMillis())))
                        .toList());
    }

    private Health alive() {
        Pulse pulse = ports.desk().pulse();
        boolean turning = pulse.phase() == Pulse.Phase.LEADING || pulse.phase() == Pulse.Phase.DEGRADED;
        boolean stuck =
                turning && pulse.cycleAgeMillis() > settings.stuckAfter().toMillis();
        return stuck
                ? new Health(false, "the conductor has not turned for " + pulse.cycleAgeMillis() / 1000 + " s")
                : new Health(pulse.phase() != Pulse.Phase.STOPPED, pulse.phase().name());
    }

    private Health ready() {
        Pulse pulse = ports.desk().pulse();
        Health alive = alive();
        return alive.ok() && pulse.phase() != Pulse.Phase.LEADING
                ? new Health(false, pulse.phase().name())
                : alive;
    }

    private static CompletableFuture<Reply> health(Health health) {
        return CompletableFuture.completedFuture(Reply.json(health.ok() ? 200 : 503, health));
    }

    private CompletableFuture<Reply> metrics() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            text.write(out, ports.meters().registry().scrape());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return CompletableFuture.completedFuture(
                Reply.text(200, PrometheusTextFormatWriter.CONTENT_TYPE, out.toByteArray()));
    }
}
