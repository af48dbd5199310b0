package dev.fermata.engine.slurm;

import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports what changes about Slurm's nodes: which there are, what they are fit for, and what jobs of others use of them. What
 * has not changed since the last report is not reported again.
 */
final class ClusterWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterWatch.class);

    private final SlurmServices services;
    private Map<String, EngineNode> nodes;
    private final Map<String, EngineEvent.NodeConditionReported> conditions = new LinkedHashMap<>();
    private final Map<String, EngineEvent.ForeignLoadReported> loads = new LinkedHashMap<>();

    ClusterWatch(SlurmServices services) {
        this.services = services;
        this.nodes = EngineNode.of(services.cluster().topology());
    }

    /** The nodes as they are now. */
    synchronized void update(List<SlurmNode> found, Map<String, List<String>> switches) {
        SlurmCluster cluster;
        try {
            cluster = SlurmCluster.of(found, switches);
        } catch (IllegalStateException e) {
            LOG.warn("{}; the nodes known before are kept", e.getMessage());
            return;
        }
        services.site().cluster().set(cluster);
        Map<String, EngineNode> now = EngineNode.of(cluster.topology());
        now.forEach((id, node) -> {
            if (!node.equals(nodes.get(id))) {
                services.events().accept(new EngineEvent.NodeReported(node));
            }
        });
        nodes.keySet().stream()
                .filter(id -> !now.containsKey(id))
                .forEach(id -> services.events().accept(new EngineEvent.NodeGone(id)));
        nodes = now;
        conditions.keySet().retainAll(now.keySet());
        loads.keySet().retainAll(now.keySet());
        now.values().forEach(node -> reportCondition(node, cluster));
    }

    private void reportCondition(EngineNode node, SlurmCluster cluster) {
        SlurmNode known = cluster.nodes().get(SlurmCluster.hostOf(node.name()));
        if (known == null) {
            return;
        }
        EngineEvent.Condition condition = known.isDown()
                ? EngineEvent.Condition.DOWN
                : known.isSilent() ? EngineEvent.Condition.UNREACHABLE : EngineEvent.Condition.UP;
        String cause = condition == EngineEvent.Condition.UP && !known.isDrained()
                ? ""
                : (known.state() + " in Slurm " + known.reason()).strip();
        EngineEvent.NodeConditionReported report =
                new EngineEvent.NodeConditionReported(node.id(), condition, known.isDrained(), cause);
        if (!report.equals(conditions.put(node.id(), report))) {
            services.events().accept(report);
        }
    }

    /** What jobs that this engine did not submit hold. */
    synchronized void update(JobListing listing) {
        Map<String, List<SlurmJob.Share>> foreign = new LinkedHashMap<>();
        for (SlurmJob job : listing.byId().values()) {
            boolean holds = job.phase() == SlurmJob.Phase.RUNNING || job.phase() == SlurmJob.Phase.ENDING;
            if (holds && !job.comment().startsWith(services.markerPrefix())) {
                job.shares()
                        .forEach((host, share) -> foreign.computeIfAbsent(host, name -> new ArrayList<>())
                                .add(share));
            }
        }
        for (EngineNode node : nodes.values()) {
            String host = SlurmCluster.hostOf(node.name());
            List<SlurmJob.Share> shares = foreign.getOrDefault(host, List.of());
            List<String> ids = node.gpus().stream().map(EngineNode.Gpu::id).toList();
            // Fermata's own jobs may have other GPUs of the node than those it counts as theirs, so only the number is
            // reported.
            int gpus = (int) shares.stream()
                    .flatMap(share -> share.gpus().stream())
                    .filter(index -> ids.contains(SlurmCluster.gpuId(host, index)))
                    .count();
            EngineEvent.ForeignLoadReported report = new EngineEvent.ForeignLoadReported(
                    node.id(),
                    gpus,
                    List.of(),
                    shares.stream().mapToLong(SlurmJob.Share::cpus).sum() * 1000,
                    shares.stream().mapToLong(SlurmJob.Share::memoryMib).sum());
            boolean first = !loads.containsKey(node.id());
            if (!report.equals(loads.put(node.id(), report)) || first) {
                services.events().accept(report);
            }
        }
    }
}
