package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.api.view.EventView;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.LineQuery;
import dev.fermata.live.store.Page;
import java.io.ByteArrayOutputStream;
import java.util.regex.Pattern;

/**
 * Lines as server-sent events. Each is read from the store by its number, so a client that comes back with the last number it saw
 * misses nothing and sees nothing twice.
 */
final class EventFeed implements Feed {
    private static final int AT_ONCE = 200;
    private static final byte[] HEARTBEAT = ": alive\n\n".getBytes(UTF_8);
    private static final byte[] NOTHING = {};
    private static final Pattern BREAKS = Pattern.compile("[\\r\\n]");

    private final ApiPorts ports;
    private LineQuery query;
    private boolean greeted;

    EventFeed(ApiPorts ports, LineQuery query) {
        this.ports = ports;
        this.query = query;
    }

    @Override
    public byte[] next() {
        if (!greeted) {
            // So that a client knows at once that it is connected.
            greeted = true;
            return HEARTBEAT;
        }
        long durable = ports.desk().pulse().lastSeq();
        if (durable <= query.afterSeq()) {
            return NOTHING;
        }
        Page<Line> page = ports.reader().lines(query);
        if (page.rows().isEmpty()) {
            // Nothing of this client's among the lines so far: they need not be looked at again.
            goOnAfter(durable);
            return NOTHING;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Line line : page.rows()) {
            out.writeBytes(event(line));
            goOnAfter(line.seq());
        }
        return out.toByteArray();
    }

    @Override
    public byte[] heartbeat() {
        return HEARTBEAT;
    }

    @Override
    public void close() {}

    private void goOnAfter(long seq) {
        query = new LineQuery(seq, query.sinceMillis(), query.jobId(), query.user(), query.kinds(), AT_ONCE);
    }

    private static byte[] event(Line line) {
        EventView view = Views.event(line);
        String kind = BREAKS.matcher(line.kind()).replaceAll("");
        String head = "id: " + line.seq() + "\nevent: " + kind + "\ndata: ";
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(head.getBytes(UTF_8));
        out.writeBytes(ApiJson.write(view));
        out.writeBytes("\n\n".getBytes(UTF_8));
        return out.toByteArray();
    }
}
