package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.ApiClientException;
import dev.fermata.cli.client.ApiQuery;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.output.RawOutput;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** The output of a job, stored or as it is written. */
final class LogStream {
    private static final int BLOCK = 8192;
    private static final long POLL_AGAIN_MILLIS = 300;
    private static final int NOT_FOUND = 404;
    private static final long TIMEOUT_MILLIS = 120_000;

    /** Which part of it. {@code attempt} 0 is the latest, {@code tail} -1 everything, {@code rank} -1 the first. */
    record LogRange(List<String> streams, int attempt, int rank, int tail) {
        static final LogRange EVERYTHING = new LogRange(List.of("stdout", "stderr"), 0, -1, -1);
    }

    private final RemoteCommand command;
    private final DaemonClient api;
    private final LogRange part;
    private final Interruption interruption;

    LogStream(RemoteCommand command, DaemonClient api) {
        this(command, api, LogRange.EVERYTHING);
    }

    LogStream(RemoteCommand command, DaemonClient api, LogRange part) {
        this.command = command;
        this.api = api;
        this.part = part;
        this.interruption = command.invocation.interruption();
    }

    /** What there is now. */
    void show(long job) {
        for (String stream : part.streams()) {
            copy(job, part.attempt(), stream, false, 0);
        }
    }

    /** Everything from now on, from attempt to attempt, until the job has ended or the user interrupts. */
    void follow(long job) {
        int attempt = part.attempt();
        boolean reasonPrinted = false;
        while (!interruption.isRequested()) {
            JobText now = new JobText(api.get(JobId.path(job)));
            int latest = now.attempt();
            if (attempt == 0 && latest > 0) {
                attempt = latest;
            }
            if (attempt > 0 && attempt <= latest) {
                followAttempt(job, attempt);
                if (part.attempt() > 0) {
                    return;
                }
                attempt++;
                continue;
            }
            if (now.isEnded()) {
                return;
            }
            if (!reasonPrinted && now.state().equals("PENDING")) {
                String why = now.reasonText();
                command.printRemark("job " + job + " waits" + (why.isEmpty() ? "" : ": " + why));
                reasonPrinted = true;
            }
            interruption.sleep(POLL_AGAIN_MILLIS);
        }
    }

    private void followAttempt(long job, int attempt) {
        List<FutureTask<Void>> others = new ArrayList<>();
        for (String stream : part.streams().subList(1, part.streams().size())) {
            FutureTask<Void> task = new FutureTask<>(() -> copyUntilEnded(job, attempt, stream), null);
            Thread thread = new Thread(task, stream + " of job " + job);
            thread.setDaemon(true);
            thread.start();
            others.add(task);
        }
        copyUntilEnded(job, attempt, part.streams().get(0));
        for (FutureTask<Void> task : others) {
            try {
                task.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException problem) {
                    throw problem;
                }
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** After a lost connection, reading continues behind the last byte received. */
    private void copyUntilEnded(long job, int attempt, String stream) {
        long seen = 0;
        long outageMillis = 0;
        while (!interruption.isRequested()) {
            try {
                CopyResult[] copied = {new CopyResult(seen, false)};
                long from = seen;
                interruption.runInterruptibly(() -> copied[0] = copy(job, attempt, stream, true, from));
                seen = copied[0].next();
                outageMillis = 0;
                if (copied[0].complete()) {
                    return;
                }
            } catch (UserError unreachable) {
                if (unreachable.exitCode() != ExitCode.UNREACHABLE || outageMillis > TIMEOUT_MILLIS) {
                    throw unreachable;
                }
                outageMillis += POLL_AGAIN_MILLIS;
            } catch (ApiClientException problem) {
                if (problem.status() < 500) {
                    throw problem;
                }
            }
            interruption.sleep(POLL_AGAIN_MILLIS);
        }
    }

    /** @param complete whether the daemon said that there is no more */
    private record CopyResult(long next, boolean complete) {}

    private CopyResult copy(long job, int attempt, String stream, boolean follow, long from) {
        ApiQuery query = ApiQuery.to(JobId.path(job) + "/logs")
                .and("attempt", attempt > 0 ? String.valueOf(attempt) : "")
                .and("rank", part.rank() < 0 ? "" : String.valueOf(part.rank()))
                .and("stream", stream)
                .and("tail", part.tail() < 0 || from > 0 ? "" : String.valueOf(part.tail()))
                .and("offset", from > 0 ? String.valueOf(from) : "")
                .and("follow", follow ? "true" : "");
        RawOutput out = RawOutput.to(
                stream.equals("stderr") && part.streams().size() > 1 ? command.err() : command.out(),
                command.invocation.screen());
        DaemonClient.LogBody answer;
        try {
            answer = api.stream(query.toString(), Map.of());
        } catch (ApiClientException problem) {
            if (problem.status() == NOT_FOUND && follow) {
                return new CopyResult(from, hasEnded(job, attempt));
            }
            throw problem;
        }
        long[] next = {from > 0 ? from : answer.offset()};
        try (InputStream bytes = answer.body()) {
            return interruption.readInterruptibly(bytes, () -> {
                byte[] block = new byte[BLOCK];
                for (int length = bytes.read(block); length >= 0; length = bytes.read(block)) {
                    out.write(block, length);
                    next[0] += length;
                }
                out.end();
                return new CopyResult(next[0], true);
            });
        } catch (IOException e) {
            return new CopyResult(next[0], false);
        }
    }

    private boolean hasEnded(long job, int attempt) {
        JobText now = new JobText(api.get(JobId.path(job)));
        if (now.isEnded() || now.attempt() > attempt) {
            return true;
        }
        for (JsonNode run : now.json().path("attempts")) {
            if (run.path("attempt").asInt() == attempt) {
                return !JobText.text(run, "outcome").isEmpty();
            }
        }
        return false;
    }
}
