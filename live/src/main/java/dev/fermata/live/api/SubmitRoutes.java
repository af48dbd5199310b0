package dev.fermata.live.api;

import static dev.fermata.live.access.Role.USER;
import static dev.fermata.live.api.Endpoint.HttpVerb.POST;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.api.Endpoint.EndpointParameter;
import dev.fermata.live.api.view.DryRunView;
import dev.fermata.live.api.view.SubmissionView;
import dev.fermata.live.service.DryRunResult;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSize;
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

/** Routes of submissions. A submission is acknowledged when it is durable; no thread waits for that. */
final class SubmitRoutes {
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,128}");
    private static final int MAX_MISTAKES = 100;
    private static final long ANSWER_SECONDS = 10;
    private static final long MIB = 1 << 20;

    private final ApiPorts ports;
    private final int maxJobs;
    private final long maxKeptBytes;

    SubmitRoutes(ApiPorts ports, ApiSettings settings) {
        this.ports = ports;
        this.maxJobs = settings.limits().size().jobsPerRequest();
        this.maxKeptBytes = settings.limits().size().memory().keptPerRequest();
    }

    List<Endpoint> endpoints() {
        return List.of(Endpoint.of(
                        POST,
                        "/api/v1/jobs",
                        USER,
                        "Submits a job, or all jobs of {\"jobs\": […]} in one transaction; with dryRun predicts the result")
                .requestBody(JsonNode.class)
                .audit("submit", "")
                .parameters(
                        EndpointParameter.flag("dryRun", "changes nothing; responds 200 with a prediction"),
                        EndpointParameter.header(
                                "Idempotency-Key", "a repeated key submits nothing again and gets the same response"))
                .errors(400, 409, 422, 429, 503)
                .respondAsync(201, SubmissionView.class, call -> call.flag("dryRun") ? dryRun(call) : submit(call)));
    }

    private CompletableFuture<Reply> submit(ApiCall call) {
        long begin = System.nanoTime();
        String key = idempotencyKey(call);
        List<JobSpec> specs = parseAllowed(call);
        // A copy, so that the timeout does not complete the scheduler loop's own future.
        CompletableFuture<List<Long>> accepted =
                ports.scheduler().submit(call.actor(), specs, key).copy().orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS);
        return accepted.exceptionallyCompose(SubmitRoutes::onSubmitFailure).thenApply(ids -> {
            ports.metrics().recordSubmission(System.nanoTime() - begin, ids.size());
            Reply reply = Reply.json(201, new SubmissionView(ids, warnings(specs)));
            return ids.size() == 1 ? reply.with("Location", "/api/v1/jobs/" + ids.get(0)) : reply;
        });
    }

    private static CompletableFuture<List<Long>> onSubmitFailure(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        return CompletableFuture.failedFuture(
                cause instanceof TimeoutException
                        ? ApiProblemException.unavailable(
                                "the store did not confirm it within " + ANSWER_SECONDS
                                        + " s; it may still be accepted. A retry with the same Idempotency-Key submits no second job")
                        : cause);
    }

    /** The jobs of the body, if they are valid and the caller may submit them. */
    private List<JobSpec> parseAllowed(ApiCall call) {
        List<JobSpec> specs = read(ApiJson.tree(call.body()));
        requireKeptBytes(specs);
        specs.forEach(spec -> PatchRules.requireAllowedPriority(call, spec.priority()));
        return specs;
    }

    private CompletableFuture<Reply> dryRun(ApiCall call) {
        idempotencyKey(call);
        List<JobSpec> specs = parseAllowed(call);
        if (specs.size() > 1 && specs.get(0).array().size() != specs.size()) {
            throw ApiProblemException.badRequest("a dry run takes one job at a time");
        }
        return ports.scheduler()
                .dryRun(call.actor(), specs.get(0))
                .thenApply(result -> Reply.json(200, view(call, result)));
    }

    private static DryRunView view(ApiCall call, DryRunResult result) {
        return new DryRunView(
                result.feasible(),
                result.startsNow(),
                result.gpus(),
                new DryRunView.DryRunPreemptionView(
                        result.victims().stream()
                                .map(v -> new DryRunView.DryRunVictim(
                                        v.job(), call.canSee(v.user()) ? v.name() : "", v.user(), v.gpus()))
                                .toList(),
                        Views.seconds(result.gainMillis()),
                        Views.seconds(result.costMillis())),
                result.reason(),
                result.message(),
                StartPredictions.view(result.start()));
    }

    private static @Nullable String idempotencyKey(ApiCall call) {
        String key = call.header("Idempotency-Key").orElse(null);
        if (key != null && !KEY.matcher(key).matches()) {
            throw ApiProblemException.badRequest("Idempotency-Key must have 1 to 128 visible characters");
        }
        return key;
    }

    private List<JobSpec> read(JsonNode body) {
        JsonNode many = body.isObject() && body.size() == 1 && body.has("jobs") ? body.get("jobs") : body;
        if (!many.isArray()) {
            List<JobSpec> specs = JobFileParser.parse(body);
            requireJobLimit(specs.size());
            return specs;
        }
        if (many.isEmpty()) {
            throw ApiProblemException.badRequest("jobs is empty; at least one job was expected");
        }
        requireJobLimit(many.size());
        List<JobSpec> specs = new ArrayList<>();
        List<SpecException.SpecProblem> problems = new ArrayList<>();
        for (int i = 0; i < many.size() && problems.size() < MAX_MISTAKES; i++) {
            try {
                specs.addAll(JobFileParser.parse("jobs[" + i + "]", many.get(i)));
                requireJobLimit(specs.size());
            } catch (SpecException e) {
                problems.addAll(e.problems());
            }
        }
        if (!problems.isEmpty()) {
            throw new SpecException(problems);
        }
        return specs;
    }

    private void requireJobLimit(int jobs) {
        if (jobs > maxJobs) {
            throw ApiProblemException.tooLarge("more than " + maxJobs + " jobs in one request; submit them in parts");
        }
    }

    /** Counts every job of an array: each is stored, and kept while it is live. */
    private void requireKeptBytes(List<JobSpec> specs) {
        long bytes = 0;
        for (JobSpec spec : specs) {
            bytes += JobSize.bytes(spec);
        }
        if (bytes > maxKeptBytes) {
            throw ApiProblemException.tooLarge("the jobs of this request need " + bytes / MIB + " MiB; at most "
                    + maxKeptBytes / MIB + " MiB are taken at once. Put scripts into files, or submit in parts");
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
