package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.bench.measure.DaemonSpeed.Measurement;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Measures a daemon with many users at once. Each follows its events, submits and lists: first by themselves, then while one more
 * sends as much as it can.
 */
public final class ClientsSpeed {
    private static final int GPUS = 8;
    /** Connections of the user that floods the daemon. */
    private static final int FLOOD_THREADS = 32;

    private static final int PAUSE_MILLIS = 200;
    private static final int STREAMS_SECONDS = 60;
    private static final int TOO_MANY_REQUESTS = 429;

    private final ChildDaemon daemon;
    private final HttpClient http = DaemonUser.newHttp();
    private final BooleanSupplier stop;
    private final AtomicInteger errors = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();

    private ClientsSpeed(ChildDaemon daemon, BooleanSupplier stop) {
        this.daemon = daemon;
        this.stop = stop;
    }

    /** What all users saw together. */
    private record Seen(LatencySample submits, LatencySample lists) {}

    /** @param seconds how long each part takes */
    public static List<Measurement> measure(
            Path folder, int clients, int seconds, BooleanSupplier stop, Consumer<String> progress)
            throws IOException, InterruptedException {
        try (ChildDaemon daemon = ChildDaemon.start(folder, GPUS)) {
            ClientsSpeed speed = new ClientsSpeed(daemon, stop);
            try {
                return speed.measure(clients, seconds, progress);
            } catch (ExecutionException e) {
                throw new IOException("a client failed: " + e.getCause(), e);
            } finally {
                speed.over.set(true);
            }
        }
    }

    private List<Measurement> measure(int clients, int seconds, Consumer<String> progress)
            throws IOException, InterruptedException, ExecutionException {
        List<DaemonUser> users = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            users.add(DaemonUser.of(daemon.api(), http, "user" + i, "user"));
        }
        DaemonUser flood = DaemonUser.of(daemon.api(), http, "flood", "user");
        ExecutorService threads = Executors.newFixedThreadPool(2 * clients + FLOOD_THREADS);
        AtomicInteger followed = new AtomicInteger();
        CountDownLatch following = new CountDownLatch(clients);
        try {
            for (DaemonUser user : users) {
                var unused = threads.submit(() -> follow(user, following, followed));
            }
            if (!following.await(STREAMS_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException(following.getCount() + " of " + clients + " users get no events");
            }
            progress.accept(clients + " users for " + seconds + " s");
            Seen alone = run(threads, users, seconds);
            progress.accept("the same, and one that floods, for " + seconds + " s");
            AtomicLong answered = new AtomicLong();
            AtomicLong refused = new AtomicLong();
            AtomicBoolean enough = new AtomicBoolean();
            List<Future<?>> floods = new ArrayList<>();
            for (int i = 0; i < FLOOD_THREADS; i++) {
                floods.add(threads.submit(() -> flood(flood, enough, answered, refused)));
            }
            Seen together = run(threads, users, seconds);
            enough.set(true);
            for (Future<?> one : floods) {
                one.get();
            }
            awaitEvents(followed, alone.submits.count() + together.submits.count());
            List<Measurement> figures = new ArrayList<>();
            figures.add(new Measurement("errors of " + clients + " users", errors.get(), "", 0, true));
            add(figures, "", alone);
            add(figures, ", with a flood", together);
            figures.add(new Measurement(
                    "requests of the flood, answered", answered.get() / (double) seconds, "/s", 0, false));
            figures.add(new Measurement("the same, refused", refused.get() / (double) seconds, "/s", 0, false));
            figures.add(new Measurement(
                    "events followed, of those submitted",
                    100.0 * followed.get() / (alone.submits.count() + together.submits.count()),
                    "%",
                    100,
                    false));
            return figures;
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
    }

    private static void add(List<Measurement> figures, String when, Seen seen) {
        figures.add(new Measurement("durable submits" + when, seen.submits.count(), "", 1, false));
        for (int percent : new int[] {50, 99, 100}) {
            String which = percent == 100 ? "slowest" : "p" + percent;
            figures.add(new Measurement(
                    "durable submit, " + which + when,
                    seen.submits.percentileMicros(percent) / 1000,
                    "ms",
                    1_000,
                    true));
        }
        figures.add(
                new Measurement("list of jobs, p99" + when, seen.lists.percentileMicros(99) / 1000, "ms", 1_000, true));
    }

    private Seen run(ExecutorService threads, List<DaemonUser> users, int seconds)
            throws InterruptedException, ExecutionException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        List<Callable<Seen>> work = new ArrayList<>();
        users.forEach(user -> work.add(() -> work(user, end)));
        Seen all = new Seen(new LatencySample(), new LatencySample());
        for (Future<Seen> one : threads.invokeAll(work)) {
            all.submits.addAll(one.get().submits);
            all.lists.addAll(one.get().lists);
        }
        return all;
    }

    /** One user: a job, a look at the list, a pause. */
    private Seen work(DaemonUser user, long end) throws IOException, InterruptedException {
        Seen seen = new Seen(new LatencySample(), new LatencySample());
        ObjectNode job = HistoryGenerator.job("held", 1, "true").put("hold", true);
        while (System.nanoTime() < end && !stop.getAsBoolean()) {
            long begin = System.nanoTime();
            count(user.post("/api/v1/jobs", job.toString()), 201);
            long submitted = System.nanoTime();
            count(user.get("/api/v1/jobs?state=live&limit=20"), 200);
            seen.submits.add(submitted - begin);
            seen.lists.add(System.nanoTime() - submitted);
            Thread.sleep(PAUSE_MILLIS);
        }
        return seen;
    }

    private void count(HttpResponse<String> answer, int expected) {
        if (answer.statusCode() != expected) {
            errors.incrementAndGet();
        }
    }

    /** Sends as much as it can until it is enough. */
    private static Void flood(DaemonUser user, AtomicBoolean enough, AtomicLong answered, AtomicLong refused)
            throws IOException, InterruptedException {
        ObjectNode job = HistoryGenerator.job("flood", 1, "true").put("hold", true);
        while (!enough.get()) {
            int status = user.post("/api/v1/jobs", job.toString()).statusCode();
            (status == TOO_MANY_REQUESTS ? refused : answered).incrementAndGet();
        }
        return null;
    }

    /** Counts the jobs that a user is told of. */
    private Void follow(DaemonUser user, CountDownLatch following, AtomicInteger followed)
            throws IOException, InterruptedException {
        try (Stream<String> lines = user.events().body()) {
            following.countDown();
            lines.takeWhile(line -> !over.get())
                    .filter("event: Submitted"::equals)
                    .forEach(line -> followed.incrementAndGet());
        } catch (java.io.UncheckedIOException e) {
            if (!over.get()) {
                errors.incrementAndGet();
            }
        }
        return null;
    }

    private void awaitEvents(AtomicInteger followed, int submitted) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (followed.get() < submitted && System.nanoTime() < end && !stop.getAsBoolean()) {
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
