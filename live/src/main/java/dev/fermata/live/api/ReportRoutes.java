package dev.fermata.live.api;

import static dev.fermata.live.api.Endpoint.HttpVerb.POST;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.api.view.AttemptReports;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;

/** The route by which a running job reports. Its token opens this route of this attempt and nothing else. */
final class ReportRoutes {
    /** The largest document: a job reports little, and any process may connect. */
    static final int MAX_BYTES = 64 << 10;

    private static final int MAX_REPORTS = 256;

    private final ApiPorts ports;

    ReportRoutes(ApiPorts ports) {
        this.ports = ports;
    }

    List<Endpoint> endpoints() {
        return List.of(Endpoint.of(
                        POST,
                        "/api/v1/attempts/{attempt}/reports",
                        null,
                        "Reports of a running job, with the token that the daemon gave to this attempt")
                .requestBody(AttemptReports.class)
                .forAttempt()
                .errors(401)
                .respondEmpty(this::receive));
    }

    private CompletableFuture<Void> receive(ApiCall call) {
        List<JsonNode> reports = call.body(AttemptReports.class).reports();
        if (reports.size() > MAX_REPORTS) {
            throw ApiProblemException.badRequest(
                    "reports has " + reports.size() + " entries; at most " + MAX_REPORTS + " are taken at once");
        }
        StringJoiner lines = new StringJoiner("\n");
        reports.forEach(report -> lines.add(report.toString()));
        if (!reports.isEmpty() && !ports.reports().receive(call.path("attempt"), lines.toString())) {
            throw ApiProblemException.unauthorized(RequestGuard.WRONG_ATTEMPT_TOKEN);
        }
        return CompletableFuture.completedFuture(null);
    }
}
