package dev.fermata.live.api;

import static dev.fermata.live.access.Role.USER;
import static dev.fermata.live.api.Endpoint.Verb.GET;

import dev.fermata.live.api.Endpoint.Parameter;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.store.JobRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What jobs have written. Only numbers and two words lead to a file: no part of a request becomes part of a path. */
final class LogRoutes {
    static final String OFFSET = "Fermata-Log-Offset";
    private static final int MOST_RANK = 1_000_000;
    private static final long MOST_TAIL = 1_000_000;

    private final ApiPorts ports;
    private final JobRoutes jobs;
    private final Streams streams;

    LogRoutes(ApiPorts ports, JobRoutes jobs, Streams streams) {
        this.ports = ports;
        this.jobs = jobs;
        this.streams = streams;
    }

    List<Endpoint> endpoints() {
        return List.of(Endpoint.of(
                        GET,
                        "/api/v1/jobs/{id}/logs",
                        USER,
                        "What a job has written, as it wrote it; the header Fermata-Log-Offset says where in its output the answer begins")
                .with(
                        Parameter.query("stream", "stdout (unless said otherwise) or stderr"),
                        Parameter.number("attempt", "the attempt; the last one unless said otherwise"),
                        Parameter.number("rank", "the process of the job; 0 unless said otherwise"),
                        Parameter.number("offset", "begin at this byte of the output"),
                        Parameter.number("tail", "only so many lines from the end"),
                        Parameter.flag(
                                "follow",
                                "stay and send what is still to come, until the attempt has left; without an attempt, until the job has ended"))
                .fails(400, 404, 429)
                .answers(200, String.class, "text/plain", this::logs));
    }

    private CompletableFuture<Reply> logs(Call call) {
        JobRow job = jobs.visible(call);
        String stream = call.text("stream", "stdout");
        if (!stream.equals("stdout") && !stream.equals("stderr")) {
            throw Refused.badRequest("stream (" + stream + ") must be stdout or stderr");
        }
        int attempt = (int) call.number("attempt", Math.max(1, job.attempt()), 1, Integer.MAX_VALUE);
        int rank = (int) call.number("rank", 0, 0, MOST_RANK);
        long tail = call.number("tail", -1, 0, MOST_TAIL);
        long offset = call.number("offset", -1, 0, Long.MAX_VALUE / 2);
        boolean follow = call.flag("follow");
        boolean fixed = !call.text("attempt", "").isEmpty();
        streams.expectRoom();
        try {
            Optional<JobLogs.Output> output = ports.logs().open(job.id(), attempt, stream, rank);
            if (output.isEmpty() && !(follow && !fixed && !job.state().isFinal())) {
                throw Refused.notFound(
                        "job " + job.id() + " has no " + stream + " of attempt " + attempt + ", rank " + rank);
            }
            LogFeed feed = new LogFeed(ports, job.id(), attempt, stream, rank, follow, fixed);
            long begin = output.isEmpty() ? 0 : feed.begin(output.get(), offset, tail);
            return CompletableFuture.completedFuture(
                    Reply.stream("text/plain; charset=utf-8", Map.of(OFFSET, Long.toString(begin)), feed));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
