package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.Verb.GET;

import dev.fermata.live.api.Endpoint.Parameter;
import dev.fermata.live.api.view.EventPage;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.LineQuery;
import dev.fermata.live.store.Page;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The history, line by line: in pages, or as a stream that goes on. Users see the lines of their own jobs. */
final class EventRoutes {
    private static final String STREAM = "text/event-stream";
    private static final int ROWS = 500;

    private final ApiPorts ports;
    private final JobRoutes jobs;
    private final Streams streams;
    private final int mostRows;

    EventRoutes(ApiPorts ports, ApiSettings settings, JobRoutes jobs, Streams streams) {
        this.ports = ports;
        this.jobs = jobs;
        this.streams = streams;
        this.mostRows = settings.limits().pageRows();
    }

    List<Endpoint> endpoints() {
        List<Parameter> parts = List.of(
                Parameter.query("kind", "kinds of lines, separated by commas"),
                Parameter.query("since", "only from this time on (RFC 3339)"),
                Parameter.number("limit", "rows of a page"),
                Parameter.query("cursor", "only what comes after the line with this number"));
        return List.of(
                Endpoint.of(GET, "/api/v1/jobs/{id}/events", VIEWER, "The history of one job, oldest first")
                        .with(parts)
                        .fails(400, 404)
                        .now(
                                EventPage.class,
                                call -> page(call, jobs.visible(call).id())),
                Endpoint.of(
                                GET,
                                "/api/v1/events",
                                VIEWER,
                                "The history, oldest first; with Accept: text/event-stream it goes on as it happens")
                        .with(parts)
                        .with(
                                Parameter.number("job", "only lines of this job"),
                                Parameter.header("Last-Event-ID", "a stream goes on behind the line with this number"))
                        .fails(400, 429)
                        .later(200, EventPage.class, this::events));
    }

    private CompletableFuture<Reply> events(Call call) {
        long job = call.number("job", -1, 0, Long.MAX_VALUE / 2);
        boolean stream = call.header("Accept").filter(a -> a.contains(STREAM)).isPresent();
        return CompletableFuture.completedFuture(stream ? stream(call, job) : Reply.json(200, page(call, job)));
    }

    private EventPage page(Call call, long job) {
        Page<Line> page = ports.reader().lines(query(call, job, cursor(call)));
        return new EventPage(
                page.rows().stream().map(Views::event).toList(),
                page.more()
                        ? Long.toString(page.rows().get(page.rows().size() - 1).seq())
                        : null);
    }

    private Reply stream(Call call, long job) {
        streams.expectRoom();
        // Without a place to go on from, a stream begins now.
        long from = call.header("Last-Event-ID").isPresent()
                        || !call.text("cursor", "").isEmpty()
                        || !call.text("since", "").isEmpty()
                ? cursor(call)
                : ports.desk().pulse().lastSeq();
        LineQuery query = query(call, job, from);
        return Reply.stream(
                STREAM, Map.of("Cache-Control", "no-store", "X-Accel-Buffering", "no"), new EventFeed(ports, query));
    }

    private LineQuery query(Call call, long job, long after) {
        String user = call.may(OPERATOR) ? "" : call.visitor().user();
        return new LineQuery(after, call.time("since", 0), job, user, kinds(call), call.rows(ROWS, mostRows));
    }

    private static long cursor(Call call) {
        String last = call.header("Last-Event-ID").orElse("");
        if (!last.isEmpty()) {
            if (!last.matches("[0-9]{1,18}")) {
                throw Refused.badRequest("Last-Event-ID (" + Call.plain(last) + ") must be the number of a line");
            }
            return Long.parseLong(last);
        }
        return call.number("cursor", 0, 0, Long.MAX_VALUE / 2);
    }

    private static Set<String> kinds(Call call) {
        String text = call.text("kind", "");
        return text.isEmpty() ? Set.of() : new LinkedHashSet<>(List.of(text.split(",", -1)));
    }
}
