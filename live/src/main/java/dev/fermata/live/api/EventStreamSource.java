package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.history.HistoryEntry;
import dev.fermata.live.api.view.EventView;
import dev.fermata.live.store.HistoryQuery;
import dev.fermata.live.store.RowPage;
import java.io.ByteArrayOutputStream;
import java.util.regex.Pattern;

/**
 * History entries as server-sent events. Each is read from the store by its sequence number, so a client that reconnects with
 * its last number misses no entry and receives none twice.
 */
final class EventStreamSource implements StreamSource {
    private static final int MAX_EVENTS = 200;
    private static final byte[] HEARTBEAT = ": alive\n\n".getBytes(UTF_8);
    private static final byte[] NOTHING = {};
    private static final Pattern BREAKS = Pattern.compile("[\\r\\n]");

    private final ApiPorts ports;
    private HistoryQuery query;
    private boolean opened;

    EventStreamSource(ApiPorts ports, HistoryQuery query) {
        this.ports = ports;
        this.query = query;
    }

    @Override
    public byte[] next() {
        if (!opened) {
            // The first bytes show the client that it is connected.
            opened = true;
            return HEARTBEAT;
        }
        long durable = ports.scheduler().health().lastSeq();
        if (durable <= query.afterSeq()) {
            return NOTHING;
        }
        RowPage<HistoryEntry> page = ports.reader().history(query);
        if (page.rows().isEmpty()) {
            // No entry so far is for this client: they are not read again.
            continueAfter(durable);
            return NOTHING;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (HistoryEntry entry : page.rows()) {
            out.writeBytes(event(entry));
            continueAfter(entry.seq());
        }
        return out.toByteArray();
    }

    @Override
    public byte[] heartbeat() {
        return HEARTBEAT;
    }

    @Override
    public void close() {}

    private void continueAfter(long seq) {
        query = new HistoryQuery(seq, query.sinceMillis(), query.jobId(), query.user(), query.types(), MAX_EVENTS);
    }

    private static byte[] event(HistoryEntry entry) {
        EventView view = Views.event(entry);
        String type = BREAKS.matcher(entry.type()).replaceAll("");
        String head = "id: " + entry.seq() + "\nevent: " + type + "\ndata: ";
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(head.getBytes(UTF_8));
        out.writeBytes(ApiJson.write(view));
        out.writeBytes("\n\n".getBytes(UTF_8));
        return out.toByteArray();
    }
}
