package dev.fermata.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.ApiClientException;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.client.EventStream;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** The daemon through its public API. */
final class DemoApiClient implements DemoApi, AutoCloseable {
    private static final int MAX_JOBS = 1000;
    private static final int CONFLICT = 409;

    private final DaemonClient api;
    private final Interruption stopping = new Interruption();
    private final Queue<JsonNode> received = new ConcurrentLinkedQueue<>();
    private volatile @Nullable RuntimeException failure;

    DemoApiClient(DaemonClient api) {
        this.api = api;
        long last = api.get("diag").path("lastSeq").asLong();
        Thread listener = new Thread(() -> follow(last), "demo-events");
        listener.setDaemon(true);
        listener.start();
    }

    private void follow(long after) {
        try {
            new EventStream(api, stopping).follow("", "", after, received::add);
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    @Override
    public long submit(JsonNode jobFile) {
        return api.post("jobs", jobFile, Map.of()).path("ids").path(0).asLong();
    }

    @Override
    public List<JsonNode> liveJobs() {
        return api.list("jobs?state=live", MAX_JOBS).items();
    }

    @Override
    public List<JsonNode> newEvents() {
        RuntimeException broken = failure;
        if (broken != null) {
            throw broken;
        }
        List<JsonNode> events = new ArrayList<>();
        for (JsonNode event = received.poll(); event != null; event = received.poll()) {
            events.add(event);
        }
        return events;
    }

    @Override
    public String output(long job, int attempt) {
        try (InputStream body = api.stream("jobs/" + job + "/logs?stream=stdout&attempt=" + attempt, Map.of())
                .body()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (ApiClientException problem) {
            return ""; // nothing that could be compared
        } catch (IOException e) {
            throw UserError.failed("the output of job " + job + " cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void cancel(long job) {
        try {
            api.delete("jobs/" + job);
        } catch (ApiClientException problem) {
            if (problem.status() != CONFLICT) { // it ended meanwhile
                throw problem;
            }
        }
    }

    @Override
    public void close() {
        stopping.request();
    }
}
