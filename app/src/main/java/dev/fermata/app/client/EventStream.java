package dev.fermata.app.client;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.exit.Interruption;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The daemon's stream of events (SSE). A connection that breaks is made again, and goes on after the last event seen. */
public final class EventStream {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long AGAIN_MILLIS = 500;
    private static final long PATIENCE_MILLIS = 120_000;

    private final Door door;
    private final Interruption interruption;

    public EventStream(Door door, Interruption interruption) {
        this.door = door;
        this.interruption = interruption;
    }

    /**
     * Tells every event until somebody interrupts.
     *
     * @param job empty for all jobs
     * @param kind empty for all kinds
     * @param after the last event that is known already, -1 for none: then only what happens from now on is told
     */
    public void follow(String job, String kind, long after, Consumer<JsonNode> listener) {
        String path = Query.to("events").and("job", job).and("kind", kind).toString();
        long[] last = {after};
        long away = 0;
        while (!interruption.asked()) {
            try {
                interruption.around(() -> last[0] = read(path, last[0], listener));
                away = 0;
            } catch (Complaint gone) {
                if (gone.exitCode() != ExitCode.UNREACHABLE || away > PATIENCE_MILLIS) {
                    throw gone;
                }
            }
            away += AGAIN_MILLIS;
            interruption.pause(AGAIN_MILLIS);
        }
    }

    private long read(String path, long last, Consumer<JsonNode> listener) {
        try (InputStream bytes = door.stream(path, headers(last)).body()) {
            return interruption.closing(bytes, () -> read(bytes, last, listener));
        } catch (IOException e) {
            return last; // it could not even be closed: made again
        }
    }

    private static Map<String, String> headers(long last) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Accept", "text/event-stream");
        if (last >= 0) {
            headers.put("Last-Event-ID", String.valueOf(last));
        }
        return headers;
    }

    private static long read(InputStream bytes, long after, Consumer<JsonNode> listener) throws IOException {
        long last = after;
        BufferedReader lines = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
        StringBuilder data = new StringBuilder();
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("data:")) {
                    data.append(line.substring(line.startsWith("data: ") ? 6 : 5));
                } else if (line.isEmpty() && data.length() > 0) {
                    JsonNode event = JSON.readTree(data.toString());
                    data.setLength(0);
                    if (event.path("seq").asLong() > last) {
                        last = event.path("seq").asLong();
                        listener.accept(event);
                    }
                }
            }
        } catch (JacksonException e) {
            throw Complaint.failed("the daemon's stream of events is not readable", e);
        } catch (IOException e) {
            return last;
        }
        return last;
    }
}
