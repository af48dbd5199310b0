package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Problem;
import dev.fermata.app.client.Query;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.RawOutput;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** The output of a job, as it is or as it comes. */
final class LogStream {
    private static final int BLOCK = 8192;
    private static final long LOOK_AGAIN_MILLIS = 300;
    private static final int NOT_FOUND = 404;
    private static final long PATIENCE_MILLIS = 120_000;

    /** Which part of it. {@code attempt} 0 is the latest, {@code tail} -1 everything, {@code rank} -1 the first. */
    record Part(List<String> streams, int attempt, int rank, int tail) {
        static final Part EVERYTHING = new Part(List.of("stdout", "stderr"), 0, -1, -1);
    }

    private final Verb verb;
    private final Door door;
    private final Part part;
    private final Interruption interruption;

    LogStream(Verb verb, Door door) {
        this(verb, door, Part.EVERYTHING);
    }

    LogStream(Verb verb, Door door, Part part) {
        this.verb = verb;
        this.door = door;
        this.part = part;
        this.interruption = verb.surroundings.interruption();
    }

    /** What there is now. */
    void show(long job) {
        for (String stream : part.streams()) {
            copy(job, part.attempt(), stream, false, 0);
        }
    }

    /** Everything from now on, from attempt to attempt, until the job has ended for good or somebody interrupts. */
    void follow(long job) {
        int attempt = part.attempt();
        boolean saidWhy = false;
        while (!interruption.asked()) {
            JobView now = new JobView(door.get(JobId.path(job)));
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
            if (now.ended()) {
                return;
            }
            if (!saidWhy && now.state().equals("PENDING")) {
                String why = now.remark();
                verb.remark("job " + job + " waits" + (why.isEmpty() ? "" : ": " + why));
                saidWhy = true;
            }
            interruption.pause(LOOK_AGAIN_MILLIS);
        }
    }

    private void followAttempt(long job, int attempt) {
        List<FutureTask<Void>> beside = new ArrayList<>();
        for (String stream : part.streams().subList(1, part.streams().size())) {
            FutureTask<Void> task = new FutureTask<>(() -> copyUntilLeft(job, attempt, stream), null);
            Thread thread = new Thread(task, stream + " of job " + job);
            thread.setDaemon(true);
            thread.start();
            beside.add(task);
        }
        copyUntilLeft(job, attempt, part.streams().get(0));
        for (FutureTask<Void> task : beside) {
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

    /** A daemon that goes away and comes back is asked for what follows the last byte seen. */
    private void copyUntilLeft(long job, int attempt, String stream) {
        long seen = 0;
        long away = 0;
        while (!interruption.asked()) {
            try {
                Copied[] copied = {new Copied(seen, false)};
                long from = seen;
                interruption.around(() -> copied[0] = copy(job, attempt, stream, true, from));
                seen = copied[0].next();
                away = 0;
                if (copied[0].whole()) {
                    return;
                }
            } catch (Complaint gone) {
                if (gone.exitCode() != ExitCode.UNREACHABLE || away > PATIENCE_MILLIS) {
                    throw gone;
                }
                away += LOOK_AGAIN_MILLIS;
            } catch (Problem problem) {
                if (problem.status() < 500) {
                    throw problem;
                }
            }
            interruption.pause(LOOK_AGAIN_MILLIS);
        }
    }

    /** @param whole whether the daemon said that there is no more */
    private record Copied(long next, boolean whole) {}

    private Copied copy(long job, int attempt, String stream, boolean follow, long from) {
        Query query = Query.to(JobId.path(job) + "/logs")
                .and("attempt", attempt > 0 ? String.valueOf(attempt) : "")
                .and("rank", part.rank() < 0 ? "" : String.valueOf(part.rank()))
                .and("stream", stream)
                .and("tail", part.tail() < 0 || from > 0 ? "" : String.valueOf(part.tail()))
                .and("offset", from > 0 ? String.valueOf(from) : "")
                .and("follow", follow ? "true" : "");
        RawOutput out = RawOutput.to(
                stream.equals("stderr") && part.streams().size() > 1 ? verb.err() : verb.out(),
                verb.surroundings.screen());
        Door.Stream answer;
        try {
            answer = door.stream(query.toString(), Map.of());
        } catch (Problem problem) {
            if (problem.status() == NOT_FOUND && follow) {
                return new Copied(from, left(job, attempt));
            }
            throw problem;
        }
        long[] next = {from > 0 ? from : answer.offset()};
        try (InputStream bytes = answer.body()) {
            return interruption.closing(bytes, () -> {
                byte[] block = new byte[BLOCK];
                for (int length = bytes.read(block); length >= 0; length = bytes.read(block)) {
                    out.write(block, length);
                    next[0] += length;
                }
                out.end();
                return new Copied(next[0], true);
            });
        } catch (IOException e) {
            return new Copied(next[0], false);
        }
    }

    private boolean left(long job, int attempt) {
        JobView now = new JobView(door.get(JobId.path(job)));
        if (now.ended() || now.attempt() > attempt) {
            return true;
        }
        for (JsonNode run : now.json().path("runs")) {
            if (run.path("attempt").asInt() == attempt) {
                return !JobView.text(run, "outcome").isEmpty();
            }
        }
        return false;
    }
}
