package dev.fermata.live.loop;

import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes events of nodes from what the engine reports of its machines: which there are, their condition, and what others use of
 * them. Silence is no failure: only after the time that the operator has set, attempts on an unreachable node count as lost.
 */
final class InventoryHandler {
    private static final Logger LOG = LoggerFactory.getLogger(InventoryHandler.class);
    /** Drains by the engine's own operators begin with it; only such drains end when the engine says so. */
    static final String ENGINE = "engine";

    private final Scheduler scheduler;
    private final EngineOutbox outbox;
    private final Inventory inventory;
    private final long nodeLossMillis;
    /** Since when nodes are unreachable whose attempts are not given up yet, by slot. */
    private final Map<Integer, Long> silentSince = new TreeMap<>();

    /** @param found the cluster as the engine found it when it was opened */
    InventoryHandler(Scheduler scheduler, EngineOutbox outbox, Topology found, long nodeLossMillis) {
        this.scheduler = scheduler;
        this.outbox = outbox;
        this.inventory = new Inventory(found);
        this.nodeLossMillis = nodeLossMillis;
    }

    /** Which nodes were added, removed or changed. The rest of what the engine reports is about the cluster after that. */
    List<Event> changes(List<EngineEvent> events) {
        for (EngineEvent event : events) {
            if (event instanceof EngineEvent.NodeReported reported) {
                inventory.report(reported.node());
            } else if (event instanceof EngineEvent.NodeGone gone) {
                inventory.remove(gone.nodeId());
            }
        }
        return inventory.takeChanges(topology());
    }

    /** Adds what keeps attempts from nodes; returns the ends of attempts that count as lost now. */
    List<EngineEvent.StateChanged> handle(List<EngineEvent> events, CycleOutput output) {
        Map<String, EngineEvent.NodeConditionReported> conditions = new LinkedHashMap<>();
        Map<String, EngineEvent.ForeignLoadReported> loads = new LinkedHashMap<>();
        for (EngineEvent event : events) {
            if (event instanceof EngineEvent.NodeConditionReported condition) {
                conditions.put(condition.nodeId(), condition);
            } else if (event instanceof EngineEvent.ForeignLoadReported load) {
                loads.put(load.nodeId(), load);
            }
        }
        conditions.values().forEach(condition -> apply(condition, output));
        loads.values().forEach(load -> apply(load, output));
        return giveUpSilent(output);
    }

    /** When {@link #handle} has something to do without news. */
    long nextMillis() {
        return nodeLossMillis <= 0
                ? Plan.NEVER
                : silentSince.values().stream()
                        .mapToLong(since -> since + nodeLossMillis)
                        .min()
                        .orElse(Plan.NEVER);
    }

    private Topology topology() {
        return scheduler.view().topology();
    }

    // ---- conditions ----

    private void apply(EngineEvent.NodeConditionReported reported, CycleOutput output) {
        List<Node> nodes = Inventory.nodesOf(reported.nodeId(), topology());
        if (nodes.isEmpty()) {
            LOG.debug("node {}: no GPUs, its condition {} is ignored", reported.nodeId(), reported.condition());
        }
        for (Node node : nodes) {
            setUnreachable(node, reported.condition() == EngineEvent.Condition.UNREACHABLE, reported.cause(), output);
            boolean known = scheduler.gpuUse().isNodeDown(node.index());
            boolean down = reported.condition() == EngineEvent.Condition.DOWN
                    || (reported.condition() == EngineEvent.Condition.UNREACHABLE && known); // given up stays given up
            if (down != known) {
                LOG.warn("node {}: {} {}", node.name(), down ? "down" : "up", reported.cause());
                output.addEvent(down ? new Event.NodeDown(node.index()) : new Event.NodeUp(node.index()));
            }
            setDrained(node, reported, output);
        }
    }

    private void setUnreachable(Node node, boolean unreachable, String cause, CycleOutput output) {
        if (unreachable == scheduler.gpuUse().isUnreachable(node.index())) {
            if (unreachable && !scheduler.gpuUse().isNodeDown(node.index())) {
                silentSince.putIfAbsent(node.index(), output.nowMillis); // known from before a restart
            }
            return;
        }
        if (unreachable) {
            LOG.warn("node {}: unreachable: {}; its attempts are not known to have ended", node.name(), cause);
            silentSince.put(node.index(), output.nowMillis);
            output.addEvent(new Event.NodeUnreachable(node.index()));
        } else {
            LOG.info("node {}: reachable again", node.name());
            silentSince.remove(node.index());
            output.addEvent(new Event.NodeReachable(node.index()));
        }
        output.addEngineAnswer("node", unreachable ? "unreachable" : "reachable");
    }

    private void setDrained(Node node, EngineEvent.NodeConditionReported reported, CycleOutput output) {
        boolean drained = scheduler.gpuUse().isDrained(node.index());
        boolean byEngine = scheduler.gpuUse().drainNote(node.index()).by().equals(ENGINE);
        if (reported.drained() && !drained) {
            output.addEvent(new Event.NodeDrained(node.index(), new DrainNote(reported.cause(), ENGINE)));
        } else if (!reported.drained() && drained && byEngine) {
            output.addEvent(new Event.NodeUndrained(node.index()));
        }
    }

    private List<EngineEvent.StateChanged> giveUpSilent(CycleOutput output) {
        List<EngineEvent.StateChanged> lost = new ArrayList<>();
        if (nodeLossMillis <= 0) {
            return lost;
        }
        List<Integer> due = silentSince.entrySet().stream()
                .filter(entry -> entry.getValue() + nodeLossMillis <= output.nowMillis)
                .map(Map.Entry::getKey)
                .toList();
        Set<Long> seen = new HashSet<>();
        for (int slot : due) {
            silentSince.remove(slot);
            Node node = topology().node(slot);
            LOG.warn("node {}: unreachable for {} s; it counts as lost", node.name(), nodeLossMillis / 1000);
            output.addEngineAnswer("node", "lost");
            output.addEvent(new Event.NodeDown(slot));
            for (int gpu = node.firstGpu(); gpu < node.endGpu(); gpu++) {
                for (JobView job : scheduler.gpuUse().jobsOn(gpu)) {
                    if (seen.add(job.id())) {
                        lost.add(lose(job, node, output));
                    }
                }
            }
        }
        return lost;
    }

    /** The attempt counts as lost. Should it run after all, the engine ends it when the node is back. */
    private EngineEvent.StateChanged lose(JobView job, Node node, CycleOutput output) {
        LOG.warn("attempt {}.{}: lost with node {}", job.id(), job.attempt(), node.name());
        long running = Math.max(job.startedMillis(), job.runningMillis());
        outbox.endAttempt(job.id(), job.attempt());
        outbox.add(new EngineOrder.Kill(job.id(), job.attempt()));
        return new EngineEvent.StateChanged(
                new Event.AttemptEnded(
                        job.id(),
                        job.attempt(),
                        Outcome.LOST,
                        new Usage(
                                running - job.startedMillis(),
                                0,
                                output.nowMillis - running,
                                0,
                                0,
                                job.savedWorkMillis())),
                new EngineEvent.AttemptExit(
                        null,
                        0,
                        "node " + node.name() + " was unreachable for " + nodeLossMillis / 1000
                                + " s and counts as lost"));
    }

    // ---- the load of others ----

    private void apply(EngineEvent.ForeignLoadReported reported, CycleOutput output) {
        List<Node> nodes = Inventory.nodesOf(reported.nodeId(), topology());
        long all = nodes.stream().mapToLong(Node::presentGpus).sum();
        int left = reported.gpuIds().isEmpty() ? reported.gpus() : 0;
        for (Node node : nodes) {
            List<Integer> named = presentGpus(node)
                    .filter(gpu -> reported.gpuIds().contains(topology().gpuId(gpu)))
                    .boxed()
                    .toList();
            List<Integer> used = named.isEmpty() ? choose(node, left) : named;
            left -= named.isEmpty() ? used.size() : 0;
            long part = node.presentGpus();
            ForeignLoad load = new ForeignLoad(
                    used,
                    all == 0 ? 0 : reported.cpuMilli() * part / all,
                    all == 0 ? 0 : reported.memoryMib() * part / all);
            if (!load.equals(scheduler.gpuUse().foreignLoad(node.index()))) {
                output.addEvent(new Event.ForeignLoadChanged(node.index(), load));
            }
        }
    }

    private IntStream presentGpus(Node node) {
        return IntStream.range(node.firstGpu(), node.endGpu())
                .filter(gpu -> !topology().isMissing(gpu));
    }

    /** GPUs for a load of which only the number is known: none of ours, those chosen before first, then the last ones. */
    private List<Integer> choose(Node node, int count) {
        List<Integer> before = scheduler.gpuUse().foreignLoad(node.index()).gpus();
        return presentGpus(node)
                .filter(gpu -> scheduler.gpuUse().jobsOn(gpu).isEmpty())
                .boxed()
                .sorted(Comparator.<Integer, Boolean>comparing(gpu -> !before.contains(gpu))
                        .thenComparing(Comparator.reverseOrder()))
                .limit(Math.max(0, count))
                .toList();
    }
}
