package dev.fermata.cli.client;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
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
    /** Backoff after a broken connection. */
    private static final long BACKOFF_MILLIS = 500;

    private static final long TIMEOUT_MILLIS = 120_000;

    private final DaemonClient api;
    private final Interruption interruption;

    public EventStream(DaemonClient api, Interruption interruption) {
        this.api = api;
        this.interruption = interruption;
    }

    /**
     * Delivers every event until the user interrupts.
     *
     * @param job empty for all jobs
     * @param type empty for all types
     * @param after the last event that is known already, -1 for none: then only events from now on are delivered
     */
    public void follow(String job, String type, long after, Consumer<JsonNode> listener) {
        String path = ApiQuery.to("events").and("job", job).and("type", type).toString();
        long[] last = {after};
        long outageMillis = 0;
        while (!interruption.isRequested()) {
            try {
                interruption.runInterruptibly(() -> last[0] = read(path, last[0], listener));
                outageMillis = 0;
            } catch (UserError unreachable) {
                if (unreachable.exitCode() != ExitCode.UNREACHABLE || outageMillis > TIMEOUT_MILLIS) {
                    throw unreachable;
                }
            }
            outageMillis += BACKOFF_MILLIS;
            interruption.sleep(BACKOFF_MILLIS);
        }
    }

    private long read(String path, long last, Consumer<JsonNode> listener) {
        try (InputStream bytes = api.stream(path, headers(last)).body()) {
            return interruption.readInterruptibly(bytes, () -> read(bytes, last, listener));
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
            throw UserError.failed("the daemon's stream of events is not readable", e);
        } catch (IOException e) {
            return last;
        }
        return last;
    }
}
