package dev.fermata.live.api;

import static dev.fermata.live.access.Role.USER;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.DELETE;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;
import static dev.fermata.live.api.Endpoint.HttpVerb.PATCH;
import static dev.fermata.live.api.Endpoint.HttpVerb.POST;

import dev.fermata.core.contract.JobState;
import dev.fermata.live.api.Endpoint.EndpointParameter;
import dev.fermata.live.api.view.AttemptPage;
import dev.fermata.live.api.view.ExplainView;
import dev.fermata.live.api.view.JobPage;
import dev.fermata.live.api.view.JobStatusView;
import dev.fermata.live.api.view.PatchRequest;
import dev.fermata.live.api.view.PreemptionView;
import dev.fermata.live.api.view.StartPredictionView;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.preemptions.PreemptionLogQuery;
import dev.fermata.live.preemptions.PreemptionLogReader;
import dev.fermata.live.service.Explanation;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.RowPage;
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

/** Routes of jobs: their state and the actions on them. */
final class JobRoutes {
    private static final int DEFAULT_ROWS = 100;
    /** Reasons cost time of the scheduler loop: one list requests at most this many. */
    private static final int MAX_REASONS = 200;

    private static final long ANSWER_SECONDS = 5;
    private static final int MAX_PREEMPTIONS = 100;
    private static final int LATEST_PREEMPTIONS = 3;
    private static final List<EndpointParameter> FILTERS = List.of(
            EndpointParameter.query("user", "only jobs of this user"),
            EndpointParameter.query("queue", "only this queue and those below it"),
            EndpointParameter.query(
                    "name", "only jobs whose name contains this; own jobs only, unless the caller is an operator"),
            EndpointParameter.number("array", "only jobs of the array with this id"),
            EndpointParameter.number("limit", "rows of a page"),
            EndpointParameter.query("cursor", "the next page; the value of next in the page before"));

    private final ApiPorts ports;
    private final StartPredictions starts;
    private final PreemptionLogReader preemptionLog;
    private final int maxRows;

    JobRoutes(ApiPorts ports, ApiSettings settings, StartPredictions starts, PreemptionLogReader preemptionLog) {
        this.ports = ports;
        this.starts = starts;
        this.preemptionLog = preemptionLog;
        this.maxRows = settings.limits().size().pageRows();
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(
                                GET,
                                "/api/v1/jobs",
                                VIEWER,
                                "Jobs, newest first; jobs of other users without name, command and environment")
                        .parameters(
                                EndpointParameter.query(
                                        "state", "states, separated by commas; live and ended stand for several"),
                                EndpointParameter.flag("reasons", "adds the reasons of pending jobs"),
                                EndpointParameter.flag("starts", "adds the predicted starts of pending jobs"))
                        .parameters(FILTERS)
                        .errors(400)
                        .respondAsync(200, JobPage.class, this::list),
                Endpoint.of(GET, "/api/v1/history", VIEWER, "Jobs that have ended, newest first")
                        .parameters(FILTERS)
                        .errors(400)
                        .respondNow(
                                JobPage.class,
                                call -> page(call, query(call, statesByFinality(true)), Map.of(), Map.of())),
                Endpoint.of(
                                GET,
                                "/api/v1/jobs/{id}",
                                VIEWER,
                                "One job with its spec and its attempts; own jobs only, unless the caller is an"
                                        + " operator")
                        .parameters(EndpointParameter.flag("starts", "adds the predicted start of a pending job"))
                        .errors(400, 404)
                        .respondAsync(200, JobStatusView.class, this::describe),
                Endpoint.of(
                                GET,
                                "/api/v1/jobs/{id}/explain",
                                VIEWER,
                                "Why a job is in its state, and what would change that")
                        .errors(400, 404)
                        .respondAsync(200, ExplainView.class, this::explain),
                Endpoint.of(GET, "/api/v1/jobs/{id}/attempts", VIEWER, "The attempts of a job, oldest first")
                        .errors(400, 404)
                        .respondNow(
                                AttemptPage.class,
                                call -> new AttemptPage(
                                        ports.reader().attempts(visible(call).id()).stream()
                                                .map(Views::attempt)
                                                .toList())),
                Endpoint.of(DELETE, "/api/v1/jobs/{id}", USER, "Cancels a job in any state")
                        .audit("cancel", "job {id}")
                        .errors(400, 404, 409, 503)
                        .respondEmpty(call -> ports.scheduler()
                                .cancel(call.actor(), visible(call).id())),
                Endpoint.of(POST, "/api/v1/jobs/{id}/hold", USER, "Holds a pending job")
                        .audit("hold", "job {id}")
                        .errors(400, 404, 409, 503)
                        .respondEmpty(call -> ports.scheduler()
                                .hold(call.actor(), visible(call).id())),
                Endpoint.of(POST, "/api/v1/jobs/{id}/release", USER, "Releases a held job")
                        .audit("release", "job {id}")
                        .errors(400, 404, 409, 503)
                        .respondEmpty(call -> ports.scheduler()
                                .release(call.actor(), visible(call).id())),
                Endpoint.of(
                                POST,
                                "/api/v1/jobs/{id}/suspend",
                                USER,
                                "Suspends a running job in place, until it is resumed")
                        .audit("suspend", "job {id}")
                        .errors(400, 404, 409, 503)
                        .respondEmpty(call -> ports.scheduler()
                                .suspend(call.actor(), visible(call).id())),
                Endpoint.of(POST, "/api/v1/jobs/{id}/resume", USER, "Lets a suspended job go on")
                        .audit("resume", "job {id}")
                        .errors(400, 404, 409, 503)
                        .respondEmpty(call -> ports.scheduler()
                                .resume(call.actor(), visible(call).id())),
                Endpoint.of(PATCH, "/api/v1/jobs/{id}", USER, "Changes a job that has not ended")
                        .audit("update", "job {id}")
                        .requestBody(PatchRequest.class)
                        .errors(400, 404, 409, 503)
                        .respondEmpty(call -> ports.scheduler()
                                .update(call.actor(), visible(call).id(), PatchRules.read(call))));
    }

    /** The job, if the caller may see all of it; otherwise it is reported as not found. */
    JobRow visible(ApiCall call) {
        long id = call.id();
        return ports.reader()
                .job(id)
                .filter(row -> call.canSee(row.user()))
                .orElseThrow(() -> ApiProblemException.notFound("there is no job " + id + " of yours"));
    }

    private CompletableFuture<Reply> list(ApiCall call) {
        RowPage<JobRow> rows = query(call, states(call.text("state", "")));
        List<Long> waiting = rows.rows().stream()
                .filter(row -> row.state() == JobState.PENDING)
                .map(JobRow::id)
                .toList();
        return reasons(call.flag("reasons") ? waiting : List.of())
                .thenCombine(
                        starts.forJobs(call.flag("starts") ? Set.copyOf(waiting) : Set.of()),
                        (reasons, expected) -> Reply.json(200, page(call, rows, reasons, expected)));
    }

    private CompletableFuture<Map<Long, Explanation>> reasons(List<Long> waiting) {
        Map<Long, CompletableFuture<@Nullable Explanation>> asked = new HashMap<>();
        waiting.stream().limit(MAX_REASONS).forEach(id -> asked.put(id, explanationOf(id)));
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

    private CompletableFuture<Reply> describe(ApiCall call) {
        JobRow row = visible(call);
        CompletableFuture<@Nullable Explanation> explanation =
                row.state() == JobState.PENDING ? explanationOf(row.id()) : CompletableFuture.completedFuture(null);
        return explanation.thenCombine(
                starts.forJobs(row.state() == JobState.PENDING && call.flag("starts") ? Set.of(row.id()) : Set.of()),
                (known, expected) -> Reply.json(
                        200,
                        Views.jobDetails(
                                row,
                                ports.nowMillis().getAsLong(),
                                known,
                                expected.get(row.id()),
                                ports.scheduler().progress(row.id()),
                                ports.reader().attempts(row.id()),
                                preemptions(call, row.id(), MAX_PREEMPTIONS))));
    }

    /** Null for unknown: the job has ended meanwhile, or the scheduler loop is too busy. */
    private CompletableFuture<@Nullable Explanation> explanationOf(long job) {
        return ports.scheduler()
                .explain(job)
                .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                .handle((known, error) -> known);
    }

    /** Entries of the preemption log about a job, newest first. */
    private List<PreemptionView> preemptions(ApiCall call, long job, int max) {
        return preemptionLog.entries(PreemptionLogQuery.ofJob(job)).stream()
                .limit(max)
                .map(entry -> PreemptionViews.of(entry, call::canSee))
                .toList();
    }

    private CompletableFuture<Reply> explain(ApiCall call) {
        JobRow row = visible(call);
        boolean pending = row.state() == JobState.PENDING;
        CompletableFuture<@Nullable StartPredictionView> start = starts.forJobs(pending ? Set.of(row.id()) : Set.of())
                .thenApply(expected -> pending ? StartPredictions.view(expected.get(row.id())) : null);
        return ports.scheduler()
                .explain(row.id())
                .thenCombine(
                        start,
                        (explanation, predicted) -> Reply.json(
                                200,
                                Views.explanation(
                                        explanation, predicted, preemptions(call, row.id(), LATEST_PREEMPTIONS))));
    }

    private RowPage<JobRow> query(ApiCall call, Set<JobState> states) {
        String user = call.text("user", "");
        String name = call.text("name", "");
        if (!name.isEmpty() && !call.hasRole(dev.fermata.live.access.Role.OPERATOR)) {
            // A caller that may not see a name may not search for it either.
            if (!user.isEmpty() && !user.equals(call.caller().user())) {
                return new RowPage<>(List.of(), false);
            }
            user = call.caller().user();
        }
        return ports.reader()
                .jobs(new JobQuery(
                        states,
                        user,
                        call.text("queue", ""),
                        name,
                        call.number("array", -1, 0, Long.MAX_VALUE / 2),
                        call.number("cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE),
                        call.pageSize(DEFAULT_ROWS, maxRows)));
    }

    private JobPage page(
            ApiCall call, RowPage<JobRow> page, Map<Long, Explanation> reasons, Map<Long, StartPrediction> expected) {
        long now = ports.nowMillis().getAsLong();
        List<JobStatusView> items = page.rows().stream()
                .map(row -> Views.job(
                        row,
                        now,
                        call.canSee(row.user()),
                        reasons.get(row.id()),
                        expected.get(row.id()),
                        row.state().holdsGpus() ? ports.scheduler().progress(row.id()) : null))
                .toList();
        return new JobPage(
                items, page.more() ? Long.toString(items.get(items.size() - 1).id()) : null);
    }

    private static Set<JobState> states(String text) {
        Set<JobState> states = EnumSet.noneOf(JobState.class);
        for (String word : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            switch (word.strip().toUpperCase(Locale.ROOT)) {
                case "LIVE" -> states.addAll(statesByFinality(false));
                case "ENDED" -> states.addAll(statesByFinality(true));
                default -> states.add(state(word.strip()));
            }
        }
        return states;
    }

    private static JobState state(String word) {
        return Arrays.stream(JobState.values())
                .filter(state -> state.name().equalsIgnoreCase(word))
                .findFirst()
                .orElseThrow(() -> ApiProblemException.badRequest("state (" + ApiCall.sanitize(word)
                        + ") must be one of live, ended, "
                        + Arrays.stream(JobState.values()).map(Enum::name).collect(Collectors.joining(", "))));
    }

    private static Set<JobState> statesByFinality(boolean wanted) {
        return Arrays.stream(JobState.values())
                .filter(state -> state.isFinal() == wanted)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(JobState.class)));
    }
}
