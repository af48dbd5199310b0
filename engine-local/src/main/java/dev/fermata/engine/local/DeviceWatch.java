package dev.fermata.engine.local;

import dev.fermata.core.model.Topology;
import dev.fermata.live.attempt.SingleLine;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineNode;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The GPUs of this machine, found again from time to time. It reports those that appear or vanish, by their UUIDs, and keeps the
 * device number of each GPU of the cluster right. It ends no attempt.
 */
final class DeviceWatch {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceWatch.class);

    private final Supplier<Hardware> search;
    private final Consumer<EngineEvent> events;
    /** The GPUs in the numbers of the cluster. */
    private volatile Hardware numbered;

    private Hardware found;
    private boolean failing;

    /** @param search asks for the GPUs; fails where they cannot be read now */
    DeviceWatch(Supplier<Hardware> search, Hardware found, Consumer<EngineEvent> events) {
        this.search = search;
        this.found = found;
        this.events = events;
        this.numbered = found;
    }

    /** The GPUs in the numbers of the cluster. */
    Hardware numbered() {
        return numbered;
    }

    /** The GPUs as they were found last. */
    synchronized Hardware found() {
        return found;
    }

    /** The scheduler has these numbers from now on. */
    synchronized void number(Topology cluster) {
        numbered = found.numberedAs(cluster);
    }

    /** Looks for changes. Where the GPUs cannot be read, those known before stay. */
    void check() {
        Hardware now;
        try {
            now = search.get();
        } catch (IllegalStateException e) {
            if (Thread.currentThread().isInterrupted()) {
                return; // the engine is being closed
            }
            if (!failing) {
                LOG.warn("GPUs: {}; those known before are kept", SingleLine.of(String.valueOf(e.getMessage()), 200));
            }
            failing = true;
            return;
        }
        if (failing) {
            LOG.info("GPUs: they can be read again");
            failing = false;
        }
        update(now);
    }

    private synchronized void update(Hardware now) {
        Map<String, EngineNode> before = EngineNode.of(found.topology());
        Map<String, EngineNode> after = EngineNode.of(now.topology());
        found = now;
        numbered = now.numberedAs(numbered.topology());
        after.forEach((id, node) -> { // first what is there: what is gone from one node may be on another
            if (!node.equals(before.get(id))) {
                events.accept(new EngineEvent.NodeReported(node));
            }
        });
        before.keySet().stream()
                .filter(id -> !after.containsKey(id))
                .forEach(id -> events.accept(new EngineEvent.NodeGone(id)));
    }
}
