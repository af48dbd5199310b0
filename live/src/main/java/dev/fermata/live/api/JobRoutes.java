package dev.fermata.live.api;

import static dev.fermata.live.access.Role.USER;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.Verb.DELETE;
import static dev.fermata.live.api.Endpoint.Verb.GET;
import static dev.fermata.live.api.Endpoint.Verb.PATCH;
import static dev.fermata.live.api.Endpoint.Verb.POST;

import dev.fermata.core.contract.JobState;
import dev.fermata.live.api.Endpoint.Parameter;
import dev.fermata.live.api.view.ExplainView;
import dev.fermata.live.api.view.JobPage;
import dev.fermata.live.api.view.JobView;
import dev.fermata.live.api.view.PatchRequest;
import dev.fermata.live.api.view.PreemptionView;
import dev.fermata.live.api.view.RunPage;
import dev.fermata.live.conductor.Explanation;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.ledger.EntryQuery;
import dev.fermata.live.ledger.PreemptionBook;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Page;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Jobs as they stand, and what may be done with them. */
final class JobRoutes {
    private static final int ROWS = 100;
    /** Reasons cost the conductor's time: more than this are not asked for in one list. */
    private static final int MOST_REASONS = 200;

    private static final long ANSWER_SECONDS = 5;
    private static final int MOST_PREEMPTIONS = 100;
    private static final int LATEST_PREEMPTIONS = 3;
    private static final List<Parameter> FILTERS = List.of(
            Parameter.query("user", "only jobs of this user"),
            Parameter.query("queue", "only this queue and those below it"),
            Parameter.query(
                    "name", "only jobs whose name contains this; own jobs only, unless the caller is an operator"),
            Parameter.number("array", "only jobs of the array with this id"),
            Parameter.number("limit", "rows of a page"),
            Parameter.query("cursor", "the page after the one that named this as next"));

    private final ApiPorts ports;
    private final Starts starts;
    private final PreemptionBook book;
    private final int mostRows;

    JobRoutes(ApiPorts ports, ApiSettings settings, Starts starts, PreemptionBook book) {
        this.ports = ports;
        this.starts = starts;
        this.book = book;
        this.mostRows = settings.limits().pageRows();
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(
                                GET,
                                "/api/v1/jobs",
                                VIEWER,
                                "Jobs, newest first; of others only a line without name, command and environment")
                        .with(
                                Parameter.query(
                                        "state", "states, separated by commas; live and ended stand for several"),
                                Parameter.flag("reasons", "says of those that wait why they do"),
                                Parameter.flag("starts", "says of those that wait when they are expected to start"))
                        .with(FILTERS)
                        .fails(400)
                        .later(200, JobPage.class, this::list),
                Endpoint.of(GET, "/api/v1/history", VIEWER, "Jobs that have ended, newest first")
                        .with(FILTERS)
                        .fails(400)
                        .now(JobPage.class, call -> page(call, query(call, finals(true)), Map.of(), Map.of())),
                Endpoint.of(
                                GET,
                                "/api/v1/jobs/{id}",
                                VIEWER,
                                "One job with its document and its attempts; own jobs only, unless the caller is an operator")
                        .with(Parameter.flag("starts", "says when it is expected to start, if it waits"))
                        .fails(400, 404)
                        .later(200, JobView.class, this::one),
                Endpoint.of(
                                GET,
                                "/api/v1/jobs/{id}/explain",
                                VIEWER,
                                "Why a job is where it is, and what would change that")
                        .fails(400, 404)
                        .later(200, ExplainView.class, this::explain),
                Endpoint.of(GET, "/api/v1/jobs/{id}/runs", VIEWER, "The attempts of a job, oldest first")
                        .fails(400, 404)
                        .now(
                                RunPage.class,
                                call -> new RunPage(
                                        ports.reader().runs(visible(call).id()).stream()
                                                .map(Views::run)
                                                .toList())),
                Endpoint.of(DELETE, "/api/v1/jobs/{id}", USER, "Cancels a job, wherever it is")
                        .audits("cancel", "job {id}")
                        .fails(400, 404, 409, 503)
                        .done(call ->
                                ports.desk().cancel(call.actor(), visible(call).id())),
                Endpoint.of(POST, "/api/v1/jobs/{id}/hold", USER, "Keeps a waiting job from starting")
                        .audits("hold", "job {id}")
                        .fails(400, 404, 409, 503)
                        .done(call ->
                                ports.desk().hold(call.actor(), visible(call).id())),
                Endpoint.of(POST, "/api/v1/jobs/{id}/release", USER, "Lets a job that was held start again")
                        .audits("release", "job {id}")
                        .fails(400, 404, 409, 503)
                        .done(call ->
                                ports.desk().release(call.actor(), visible(call).id())),
                Endpoint.of(PATCH, "/api/v1/jobs/{id}", USER, "Changes a job that has not ended")
                        .audits("update", "job {id}")
                        .takes(PatchRequest.class)
                        .fails(400, 404, 409, 503)
                        .done(call ->
                                ports.desk().update(call.actor(), visible(call).id(), Patches.read(call))));
    }

    /** The job, if the asking user may know all about it; whoever may not is told that there is none. */
    JobRow visible(Call call) {
        long id = call.id();
        return ports.reader()
                .job(id)
                .filter(row -> call.mayKnow(row.user()))
                .orElseThrow(() -> Refused.notFound("there is no job " + id + " of yours"));
    }

    private CompletableFuture<Reply> list(Call call) {
        Page<JobRow> rows = query(call, states(call.text("state", "")));
        List<Long> waiting = rows.rows().stream()
                .filter(row -> row.state() == JobState.PENDING)
                .map(JobRow::id)
                .toList();
        return reasons(call.flag("reasons") ? waiting : List.of())
                .thenCombine(
                        starts.of(call.flag("starts") ? Set.copyOf(waiting) : Set.of()),
                        (reasons, expected) -> Reply.json(200, page(call, rows, reasons, expected)));
    }

    private CompletableFuture<Map<Long, Explanation>> reasons(List<Long> waiting) {
        Map<Long, CompletableFuture<@Nullable Explanation>> asked = new HashMap<>();
        waiting.stream().limit(MOST_REASONS).forEach(id -> asked.put(id, why(id)));
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
                .thenApply(nothing -> {
                    Map<Long, Explanation> reasons = new HashMap<>();
                    asked.forEach((id, answer) -> {
                        Explanation known = answer.join();
                        if (known != null) {
                            reasons.put(id, known);
                        }
                    });
                    return reasons;
                });
    }

    private CompletableFuture<Reply> one(Call call) {
        JobRow row = visible(call);
        CompletableFuture<@Nullable Explanation> why =
                row.state() == JobState.PENDING ? why(row.id()) : CompletableFuture.completedFuture(null);
        return why.thenCombine(
                starts.of(row.state() == JobState.PENDING && call.flag("starts") ? Set.of(row.id()) : Set.of()),
                (known, expected) -> Reply.json(
                        200,
                        Views.whole(
                                row,
                                ports.nowMillis().getAsLong(),
                                known,
                                expected.get(row.id()),
                                ports.desk().progress(row.id()),
                                ports.reader().runs(row.id()),
                                preemptions(call, row.id(), MOST_PREEMPTIONS))));
    }

    /** Null when nobody knows: it has ended meanwhile, or the conductor has no time. */
    private CompletableFuture<@Nullable Explanation> why(long job) {
        return ports.desk()
                .explain(job)
                .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                .handle((known, error) -> known);
    }

    /** What the ledger says about a job, newest first. */
    private List<PreemptionView> preemptions(Call call, long job, int most) {
        return book.entries(EntryQuery.ofJob(job)).stream()
                .limit(most)
                .map(entry -> PreemptionViews.of(entry, call::mayKnow))
                .toList();
    }

    private CompletableFuture<Reply> explain(Call call) {
        JobRow row = visible(call);
        Set<Long> waiting = row.state() == JobState.PENDING ? Set.of(row.id()) : Set.of();
        return ports.desk()
                .explain(row.id())
                .thenCombine(
                        starts.of(waiting),
                        (why, expected) -> Reply.json(
                                200,
                                new ExplainView(
                                        why.job(),
                                        why.state(),
                                        why.reason(),
                                        why.message(),
                                        why.evidence(),
                                        why.unblockedBy(),
                                        why.state() == JobState.PENDING ? Starts.view(expected.get(why.job())) : null,
                                        why.position() > 0 ? why.position() : null,
                                        preemptions(call, row.id(), LATEST_PREEMPTIONS))));
    }

    private Page<JobRow> query(Call call, Set<JobState> states) {
        String user = call.text("user", "");
        String name = call.text("name", "");
        if (!name.isEmpty() && !call.may(dev.fermata.live.access.Role.OPERATOR)) {
            // Whoever may not see a name may not search for it either.
            if (!user.isEmpty() && !user.equals(call.visitor().user())) {
                return new Page<>(List.of(), false);
            }
            user = call.visitor().user();
        }
        return ports.reader()
                .jobs(new JobQuery(
                        states,
                        user,
                        call.text("queue", ""),
                        name,
                        call.number("array", -1, 0, Long.MAX_VALUE / 2),
                        call.number("cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE),
                        call.rows(ROWS, mostRows)));
    }

    private JobPage page(
            Call call, Page<JobRow> page, Map<Long, Explanation> reasons, Map<Long, ExpectedStart> expected) {
        long now = ports.nowMillis().getAsLong();
        List<JobView> items = page.rows().stream()
                .map(row -> Views.job(
                        row,
                        now,
                        call.mayKnow(row.user()),
                        reasons.get(row.id()),
                        expected.get(row.id()),
                        row.state().holdsGpus() ? ports.desk().progress(row.id()) : null))
                .toList();
        return new JobPage(
                items, page.more() ? Long.toString(items.get(items.size() - 1).id()) : null);
    }

    private static Set<JobState> states(String text) {
        Set<JobState> states = EnumSet.noneOf(JobState.class);
        for (String word : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            switch (word.strip().toUpperCase(Locale.ROOT)) {
                case "LIVE" -> states.addAll(finals(false));
                case "ENDED" -> states.addAll(finals(true));
                default -> states.add(state(word.strip()));
            }
        }
        return states;
    }

    private static JobState state(String word) {
        return Arrays.stream(JobState.values())
                .filter(state -> state.name().equalsIgnoreCase(word))
                .findFirst()
                .orElseThrow(() -> Refused.badRequest("state (" + Call.plain(word) + ") must be one of live, ended, "
                        + Arrays.stream(JobState.values()).map(Enum::name).collect(Collectors.joining(", "))));
    }

    private static Set<JobState> finals(boolean wanted) {
        return Arrays.stream(JobState.values())
                .filter(state -> state.isFinal() == wanted)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(JobState.class)));
    }
}
