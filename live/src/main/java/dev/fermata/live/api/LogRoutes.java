package dev.fermata.live.api;

import static dev.fermata.live.access.Role.USER;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;

import dev.fermata.live.api.Endpoint.EndpointParameter;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.store.JobRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Routes of job output. Only numbers and two words select a file: no part of a request becomes part of a path. */
final class LogRoutes {
    static final String OFFSET = "Fermata-Log-Offset";
    private static final int MAX_RANK = 1_000_000;
    private static final long MAX_TAIL = 1_000_000;

    private final ApiPorts ports;
    private final JobRoutes jobs;
    private final OpenStreams streams;

    LogRoutes(ApiPorts ports, JobRoutes jobs, OpenStreams streams) {
        this.ports = ports;
        this.jobs = jobs;
        this.streams = streams;
    }

    List<Endpoint> endpoints() {
        return List.of(Endpoint.of(
                        GET,
                        "/api/v1/jobs/{id}/logs",
                        USER,
                        "The output of a job, unchanged; the header Fermata-Log-Offset is the offset of the first byte")
                .parameters(
                        EndpointParameter.query("stream", "stdout (the default) or stderr"),
                        EndpointParameter.number("attempt", "the attempt; the last one by default"),
                        EndpointParameter.number("rank", "the process of the job; 0 by default"),
                        EndpointParameter.number("offset", "begin at this byte of the output"),
                        EndpointParameter.number("tail", "only this many lines from the end"),
                        EndpointParameter.flag(
                                "follow",
                                "keep sending new output until the attempt has ended; without an attempt, until the job has ended"))
                .errors(400, 404, 429)
                .respond(200, String.class, "text/plain", this::logs));
    }

    private CompletableFuture<Reply> logs(ApiCall call) {
        JobRow job = jobs.visible(call);
        String stream = call.text("stream", "stdout");
        if (!stream.equals("stdout") && !stream.equals("stderr")) {
            throw ApiProblemException.badRequest("stream (" + stream + ") must be stdout or stderr");
        }
        int attempt = (int) call.number("attempt", Math.max(1, job.attempt()), 1, Integer.MAX_VALUE);
        int rank = (int) call.number("rank", 0, 0, MAX_RANK);
        long tail = call.number("tail", -1, 0, MAX_TAIL);
        long offset = call.number("offset", -1, 0, Long.MAX_VALUE / 2);
        boolean follow = call.flag("follow");
        boolean fixed = !call.text("attempt", "").isEmpty();
        streams.requireCapacity(call.caller().user());
        try {
            Optional<JobLogs.LogOutput> output = ports.logs().open(job.id(), attempt, stream, rank);
            if (output.isEmpty() && !(follow && !fixed && !job.state().isFinal())) {
                throw ApiProblemException.notFound(
                        "job " + job.id() + " has no " + stream + " of attempt " + attempt + ", rank " + rank);
            }
            LogStreamSource source = new LogStreamSource(ports, job.id(), attempt, stream, rank, follow, fixed);
            long begin = output.isEmpty() ? 0 : source.start(output.get(), offset, tail);
            return CompletableFuture.completedFuture(
                    Reply.stream("text/plain; charset=utf-8", Map.of(OFFSET, Long.toString(begin)), source));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
