package dev.fermata.engine.slurm;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Node;
import dev.fermata.live.engine.EngineEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports nodes on which Slurm starts nothing, because they fail or are drained, and when that is over. What was reported
 * last is in a file, so a change while no daemon ran is reported too.
 */
final class NodeStates {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStates.class);

    private final SlurmServices services;
    private final Path file;

    NodeStates(SlurmServices services) {
        this.services = services;
        this.file = services.settings().data().resolve("slurm-nodes-down");
    }

    /** Reports what has changed. A node that Slurm no longer has is down. */
    void update(List<SlurmNode> found) {
        Map<String, SlurmNode> byName =
                found.stream().collect(Collectors.toMap(SlurmNode::name, Function.identity(), (a, b) -> a));
        Map<String, String> down = new LinkedHashMap<>();
        for (Node node : services.topology().nodes()) {
            SlurmNode known = byName.get(SlurmCluster.hostOf(node));
            if (known == null) {
                down.put(node.name(), "Slurm no longer has it");
            } else if (known.isDown() || known.isDrained()) {
                down.put(node.name(), known.state() + (known.reason().isEmpty() ? "" : ": " + known.reason()));
            }
        }
        Set<String> before = read();
        if (before.equals(down.keySet())) {
            return;
        }
        for (Node node : services.topology().nodes()) {
            boolean isDown = down.containsKey(node.name());
            if (isDown != before.contains(node.name())) {
                LOG.warn(
                        "node {}: {}", node.name(), isDown ? "down in Slurm: " + down.get(node.name()) : "up in Slurm");
                Event event = isDown ? new Event.NodeDown(node.index()) : new Event.NodeUp(node.index());
                services.events().accept(new EngineEvent.StateChanged(event, null));
            }
        }
        write(down.keySet());
    }

    private Set<String> read() {
        try {
            return Files.exists(file) ? new TreeSet<>(Files.readAllLines(file)) : Set.of();
        } catch (IOException e) {
            LOG.warn("nodes that are down: {} cannot be read: {}", file, e.toString());
            return Set.of();
        }
    }

    private void write(Set<String> down) {
        try {
            Path next = file.resolveSibling(file.getFileName() + ".new");
            Files.write(next, new TreeSet<>(down));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.warn("nodes that are down: {} cannot be written: {}", file, e.toString());
        }
    }
}
