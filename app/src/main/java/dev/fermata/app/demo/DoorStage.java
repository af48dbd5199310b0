package dev.fermata.app.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.EventStream;
import dev.fermata.app.client.Problem;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.Interruption;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** The daemon through its API, as anybody else would use it. */
final class DoorStage implements Stage, AutoCloseable {
    private static final int MOST_JOBS = 1000;
    private static final int GONE = 409;

    private final Door door;
    private final Interruption leaving = new Interruption();
    private final Queue<JsonNode> heard = new ConcurrentLinkedQueue<>();
    private volatile @Nullable RuntimeException trouble;

    DoorStage(Door door) {
        this.door = door;
        long last = door.get("diag").path("lastSeq").asLong();
        Thread ear = new Thread(() -> listen(last), "demo-events");
        ear.setDaemon(true);
        ear.start();
    }

    private void listen(long after) {
        try {
            new EventStream(door, leaving).follow("", "", after, heard::add);
        } catch (RuntimeException e) {
            trouble = e;
        }
    }

    @Override
    public long submit(JsonNode jobFile) {
        return door.post("jobs", jobFile, Map.of()).path("ids").path(0).asLong();
    }

    @Override
    public List<JsonNode> living() {
        return door.list("jobs?state=live", MOST_JOBS).items();
    }

    @Override
    public List<JsonNode> news() {
        RuntimeException broken = trouble;
        if (broken != null) {
            throw broken;
        }
        List<JsonNode> news = new ArrayList<>();
        for (JsonNode event = heard.poll(); event != null; event = heard.poll()) {
            news.add(event);
        }
        return news;
    }

    @Override
    public String output(long job, int attempt) {
        try (InputStream body = door.stream("jobs/" + job + "/logs?stream=stdout&attempt=" + attempt, Map.of())
                .body()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (Problem problem) {
            return ""; // nothing that could be compared
        } catch (IOException e) {
            throw Complaint.failed("the output of job " + job + " cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public void cancel(long job) {
        try {
            door.delete("jobs/" + job);
        } catch (Problem problem) {
            if (problem.status() != GONE) { // it ended meanwhile
                throw problem;
            }
        }
    }

    @Override
    public void close() {
        leaving.ask();
    }
}
