package dev.fermata.live.api;

import static dev.fermata.live.access.Role.USER;
import static dev.fermata.live.api.Endpoint.Verb.POST;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.api.Endpoint.Parameter;
import dev.fermata.live.api.view.Accepted;
import dev.fermata.live.api.view.ProspectView;
import dev.fermata.live.conductor.Prospect;
import dev.fermata.live.spec.JobFile;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.SpecException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Submissions. They are answered when they are durable, and no thread waits for that. */
final class SubmitRoutes {
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,128}");
    private static final int MOST_MISTAKES = 100;
    private static final long ANSWER_SECONDS = 10;

    private final ApiPorts ports;
    private final int mostJobs;

    SubmitRoutes(ApiPorts ports, ApiSettings settings) {
        this.ports = ports;
        this.mostJobs = settings.limits().jobsPerRequest();
    }

    List<Endpoint> endpoints() {
        return List.of(Endpoint.of(
                        POST,
                        "/api/v1/jobs",
                        USER,
                        "Submits a job, or all jobs of {\"jobs\": […]} together; with dryRun says what would come of it")
                .takes(JsonNode.class)
                .audits("submit", "")
                .with(
                        Parameter.flag("dryRun", "changes nothing; answers 200 with a prospect"),
                        Parameter.header(
                                "Idempotency-Key", "the same key again makes no second jobs but gives the same answer"))
                .fails(400, 409, 422, 429, 503)
                .later(201, Accepted.class, call -> call.flag("dryRun") ? dryRun(call) : submit(call)));
    }

    private CompletableFuture<Reply> submit(Call call) {
        long begin = System.nanoTime();
        String key = key(call);
        List<JobSpec> specs = allowed(call);
        // A copy, so that the conductor's own future is not the one that gives up.
        CompletableFuture<List<Long>> accepted =
                ports.desk().submit(call.actor(), specs, key).copy().orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS);
        return accepted.exceptionallyCompose(SubmitRoutes::unanswered).thenApply(ids -> {
            ports.meters().submitTook(System.nanoTime() - begin, ids.size());
            Reply reply = Reply.json(201, new Accepted(ids, warnings(specs)));
            return ids.size() == 1 ? reply.with("Location", "/api/v1/jobs/" + ids.get(0)) : reply;
        });
    }

    private static CompletableFuture<List<Long>> unanswered(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return CompletableFuture.failedFuture(
                cause instanceof TimeoutException
                        ? Refused.unavailable(
                                "the store did not take it within " + ANSWER_SECONDS
                                        + " s; it may still be accepted: sent again with the same Idempotency-Key it makes no second job")
                        : cause);
    }

    /** The jobs of the body, if they are well described and this caller may ask for them. */
    private List<JobSpec> allowed(Call call) {
        List<JobSpec> specs = read(ApiJson.tree(call.body()));
        specs.forEach(spec -> Patches.expectModest(call, spec.priority()));
        return specs;
    }

    private CompletableFuture<Reply> dryRun(Call call) {
        key(call);
        List<JobSpec> specs = allowed(call);
        if (specs.size() > 1 && specs.get(0).array().size() != specs.size()) {
            throw Refused.badRequest("a dry run takes one job at a time");
        }
        return ports.desk()
                .dryRun(call.actor(), specs.get(0))
                .thenApply(prospect -> Reply.json(200, view(call, prospect)));
    }

    private static ProspectView view(Call call, Prospect prospect) {
        return new ProspectView(
                prospect.feasible(),
                prospect.startsNow(),
                prospect.gpus(),
                prospect.pauses().stream()
                        .map(v -> new ProspectView.Victim(
                                v.job(), call.mayKnow(v.user()) ? v.name() : "", v.user(), v.gpus()))
                        .toList(),
                Views.seconds(prospect.gainMillis()),
                Views.seconds(prospect.costMillis()),
                prospect.reason(),
                prospect.message(),
                Starts.view(prospect.start()));
    }

    private static @Nullable String key(Call call) {
        String key = call.header("Idempotency-Key").orElse(null);
        if (key != null && !KEY.matcher(key).matches()) {
            throw Refused.badRequest("Idempotency-Key must have 1 to 128 visible characters");
        }
        return key;
    }

    private List<JobSpec> read(JsonNode body) {
        JsonNode many = body.isObject() && body.size() == 1 && body.has("jobs") ? body.get("jobs") : body;
        if (!many.isArray()) {
            List<JobSpec> specs = JobFile.read(body);
            expectFew(specs.size());
            return specs;
        }
        if (many.isEmpty()) {
            throw Refused.badRequest("jobs is empty; at least one job was expected");
        }
        expectFew(many.size());
        List<JobSpec> specs = new ArrayList<>();
        List<SpecException.Problem> problems = new ArrayList<>();
        for (int i = 0; i < many.size() && problems.size() < MOST_MISTAKES; i++) {
            try {
                specs.addAll(JobFile.read("jobs[" + i + "]", many.get(i)));
                expectFew(specs.size());
            } catch (SpecException e) {
                problems.addAll(e.problems());
            }
        }
        if (!problems.isEmpty()) {
            throw new SpecException(problems);
        }
        return specs;
    }

    private void expectFew(int jobs) {
        if (jobs > mostJobs) {
            throw Refused.tooLarge("more than " + mostJobs + " jobs in one request; submit them in parts");
        }
    }

    private static List<String> warnings(List<JobSpec> specs) {
        List<String> warnings = new ArrayList<>();
        JobSpec first = specs.get(0);
        if (first.limitMillis() > 0 && first.timeMillis() > first.limitMillis()) {
            warnings.add("time is longer than limit: the job will be stopped before it can be finished");
        }
        return warnings;
    }
}
