package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;

import dev.fermata.history.HistoryEntry;
import dev.fermata.live.api.Endpoint.EndpointParameter;
import dev.fermata.live.api.view.EventPage;
import dev.fermata.live.store.HistoryQuery;
import dev.fermata.live.store.RowPage;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Routes of the history: in pages, or as a live stream. Users see the entries of their own jobs. */
final class EventRoutes {
    private static final String STREAM = "text/event-stream";
    private static final int DEFAULT_ROWS = 500;

    private final ApiPorts ports;
    private final JobRoutes jobs;
    private final OpenStreams streams;
    private final int maxRows;

    EventRoutes(ApiPorts ports, ApiSettings settings, JobRoutes jobs, OpenStreams streams) {
        this.ports = ports;
        this.jobs = jobs;
        this.streams = streams;
        this.maxRows = settings.limits().size().pageRows();
    }

    List<Endpoint> endpoints() {
        List<EndpointParameter> parts = List.of(
                EndpointParameter.query("type", "types of entries, separated by commas"),
                EndpointParameter.query("since", "only from this time on (RFC 3339)"),
                EndpointParameter.number("limit", "rows of a page"),
                EndpointParameter.query("cursor", "only entries after this sequence number"));
        return List.of(
                Endpoint.of(GET, "/api/v1/jobs/{id}/events", VIEWER, "The history of one job, oldest first")
                        .parameters(parts)
                        .errors(400, 404)
                        .respondNow(
                                EventPage.class,
                                call -> page(call, jobs.visible(call).id())),
                Endpoint.of(
                                GET,
                                "/api/v1/events",
                                VIEWER,
                                "The history, oldest first; with Accept: text/event-stream as a live stream")
                        .parameters(parts)
                        .parameters(
                                EndpointParameter.number("job", "only entries of this job"),
                                EndpointParameter.header(
                                        "Last-Event-ID", "a stream continues after this sequence number"))
                        .errors(400, 429)
                        .respondAsync(200, EventPage.class, this::events));
    }

    private CompletableFuture<Reply> events(ApiCall call) {
        long job = call.number("job", -1, 0, Long.MAX_VALUE / 2);
        boolean stream =
                call.header("Accept").filter(EventRoutes::acceptsStream).isPresent();
        return CompletableFuture.completedFuture(stream ? stream(call, job) : Reply.json(200, page(call, job)));
    }

    /** A weight of 0 means "not this". */
    private static boolean acceptsStream(String accept) {
        return Arrays.stream(accept.split(",", -1))
                .map(part -> part.replaceAll("\\s", "").toLowerCase(Locale.ROOT))
                .anyMatch(part -> part.startsWith(STREAM) && !part.matches(".*;q=0(\\.0*)?(;.*)?"));
    }

    private EventPage page(ApiCall call, long job) {
        RowPage<HistoryEntry> page = ports.reader().history(query(call, job, cursor(call)));
        return new EventPage(
                page.rows().stream().map(Views::event).toList(),
                page.more()
                        ? Long.toString(page.rows().get(page.rows().size() - 1).seq())
                        : null);
    }

    private Reply stream(ApiCall call, long job) {
        streams.requireCapacity(call.caller().user());
        // Without a cursor, a stream begins now.
        long from = call.header("Last-Event-ID").isPresent()
                        || !call.text("cursor", "").isEmpty()
                        || !call.text("since", "").isEmpty()
                ? cursor(call)
                : ports.scheduler().health().lastSeq();
        HistoryQuery query = query(call, job, from);
        return Reply.stream(
                STREAM,
                Map.of("Cache-Control", "no-store", "X-Accel-Buffering", "no"),
                new EventStreamSource(ports, query));
    }

    private HistoryQuery query(ApiCall call, long job, long after) {
        String user = call.hasRole(OPERATOR) ? "" : call.caller().user();
        return new HistoryQuery(
                after, call.time("since", 0), job, user, eventTypes(call), call.pageSize(DEFAULT_ROWS, maxRows));
    }

    private static long cursor(ApiCall call) {
        String last = call.header("Last-Event-ID").orElse("");
        if (!last.isEmpty()) {
            if (!last.matches("[0-9]{1,18}")) {
                throw ApiProblemException.badRequest(
                        "Last-Event-ID (" + ApiCall.sanitize(last) + ") must be a sequence number");
            }
            return Long.parseLong(last);
        }
        return call.number("cursor", 0, 0, Long.MAX_VALUE / 2);
    }

    private static Set<String> eventTypes(ApiCall call) {
        String text = call.text("type", "");
        return text.isEmpty() ? Set.of() : new LinkedHashSet<>(List.of(text.split(",", -1)));
    }
}
