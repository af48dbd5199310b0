package dev.fermata.bench.path;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.bench.virtual.VirtualTimeDaemon;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.live.Daemon;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** A real daemon that runs one job, and predicts the start of another. {@link TypePathTest} notes which types that uses. */
final class TracedDaemon {
    private static final String JOB = "{\"name\":\"one\",\"gpus\":1,\"run\":\"true\"}";

    private TracedDaemon() {}

    public static void main(String[] args) throws Exception {
        Path data = Path.of(args[0]);
        DaemonSettings settings = DaemonSettings.forDataFolder(data)
                .withGpus("virtual:2")
                .withRunAs("daemon")
                .withPolicy(args[1])
                .withApi(ApiSettings.local(0));
        try (Daemon daemon = Daemon.start(settings, "test", TracedDaemon::predict)) {
            String token = daemon.tokens().issue("ann", Role.USER, "", -1).token();
            runOne(daemon, token); // classes are loaded, and idle work is under way
            RecordedTypes.begin("job");
            runOne(daemon, token);
            RecordedTypes.begin(RecordedTypes.REST);
        }
        askInVirtualTime(data.resolve("virtual"));
    }

    /** In one thread and without an engine's own work, so that nothing but the question runs. */
    private static void askInVirtualTime(Path folder) throws IOException {
        Topology cluster =
                Topology.builder().node(new GpuType("H100", 81_920, 1.0), 1).build();
        JobSpec spec = JobFileParser.parse(new ObjectMapper().readTree(JOB)).get(0);
        try (VirtualTimeDaemon daemon = new VirtualTimeDaemon(
                Files.createDirectories(folder), cluster, "fermata", Costs.NONE, TracedDaemon::predict)) {
            daemon.submit(spec, 3_600_000);
            long waiting = daemon.submit(spec, 3_600_000);
            daemon.advanceTo(60_000);
            RecordedTypes.begin("question");
            CompletableFuture<Map<Long, StartPrediction>> starts =
                    daemon.service().predictedStarts(Set.of(waiting));
            daemon.runCycle();
            boolean predicted = starts.join().containsKey(waiting);
            RecordedTypes.begin(RecordedTypes.REST);
            if (!predicted) {
                throw new IllegalStateException("job " + waiting + " has no predicted start");
            }
        }
    }

    private static Map<Long, StartPrediction> predict(ClusterSnapshot snapshot) {
        RecordedTypes.begin(RecordedTypes.REST);
        Map<Long, StartPrediction> starts = new HashMap<>();
        snapshot.scheduler()
                .jobs()
                .forEach(job -> starts.put(
                        job.job().id(), StartPrediction.unknown(snapshot.nowMillis(), "not predicted here")));
        return starts;
    }

    private static void runOne(Daemon daemon, String token) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        AutoCloseable subscription = daemon.scheduler().subscribe(entry -> {
            if (entry.type().equals("AttemptEnded")) {
                ended.countDown();
            }
        });
        submit(daemon, token);
        ended.await();
        subscription.close();
    }

    private static void submit(Daemon daemon, String token) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(daemon.url() + "/api/v1/jobs"))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(JOB, UTF_8))
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IllegalStateException(answer.body());
        }
    }
}
