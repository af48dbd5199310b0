package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.Verb.GET;
import static dev.fermata.live.api.Endpoint.Verb.POST;
import static dev.fermata.live.api.Endpoint.Verb.PUT;

import dev.fermata.core.model.Node;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.live.api.view.NodePage;
import dev.fermata.live.api.view.NodeView;
import dev.fermata.live.api.view.QueuePage;
import dev.fermata.live.api.view.QueueView;
import dev.fermata.live.api.view.QueuesRequest;
import dev.fermata.live.conductor.GpuState;
import dev.fermata.live.conductor.QueueState;
import dev.fermata.live.spec.JobFile;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Machines and queues. */
final class ClusterRoutes {
    private static final int MOST_QUEUES = 10_000;

    private final ApiPorts ports;

    ClusterRoutes(ApiPorts ports) {
        this.ports = ports;
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(GET, "/api/v1/nodes", VIEWER, "All machines, their GPUs and who is on them")
                        .now(NodePage.class, call -> nodes()),
                Endpoint.of(
                                POST,
                                "/api/v1/nodes/{name}/drain",
                                OPERATOR,
                                "No new starts on a machine; what runs there goes on")
                        .audits("drain", "node {name}")
                        .fails(404, 503)
                        .done(call -> drain(call, true)),
                Endpoint.of(POST, "/api/v1/nodes/{name}/undrain", OPERATOR, "Starts on a machine are allowed again")
                        .audits("undrain", "node {name}")
                        .fails(404, 503)
                        .done(call -> drain(call, false)),
                Endpoint.of(GET, "/api/v1/queues", VIEWER, "All queues, their rules and what they use")
                        .now(
                                QueuePage.class,
                                call -> new QueuePage(ports.desk().queues().stream()
                                        .map(ClusterRoutes::queue)
                                        .toList())),
                Endpoint.of(PUT, "/api/v1/queues", OPERATOR, "Sets the rules of all queues")
                        .takes(QueuesRequest.class)
                        .audits("queues", "")
                        .fails(400, 503)
                        .done(call -> ports.desk().setQueues(call.actor(), rules(call.body(QueuesRequest.class)))));
    }

    private NodePage nodes() {
        Topology topology = ports.desk().topology();
        List<GpuState> gpus = ports.desk().gpus();
        return new NodePage(topology.nodes().stream()
                .map(node -> node(
                        topology,
                        node,
                        gpus.stream().filter(gpu -> gpu.node() == node.index()).toList()))
                .toList());
    }

    private static NodeView node(Topology topology, Node node, List<GpuState> gpus) {
        return new NodeView(
                node.index(),
                node.name(),
                topology.racks().get(node.rack()).name(),
                topology.types().get(node.type()).name(),
                gpus.stream().anyMatch(GpuState::up),
                !gpus.isEmpty() && gpus.stream().allMatch(GpuState::drained),
                node.cpuMilli() >= Node.UNLIMITED ? null : node.cpuMilli() / 1000.0,
                node.memoryMib() >= Node.UNLIMITED ? null : node.memoryMib(),
                topology.types().get(node.type()).memoryMib(),
                topology.types().get(node.type()).speed(),
                gpus.stream()
                        .map(gpu -> new NodeView.Gpu(
                                gpu.gpu(),
                                gpu.up(),
                                gpu.drained(),
                                gpu.jobs(),
                                gpu.promisedTo() < 0 ? null : gpu.promisedTo()))
                        .toList());
    }

    private CompletableFuture<Void> drain(Call call, boolean drained) {
        String name = call.path("name");
        Node node = ports.desk().topology().nodes().stream()
                .filter(n ->
                        n.name().equals(name) || Integer.toString(n.index()).equals(name))
                .findFirst()
                .orElseThrow(() -> Refused.notFound("there is no machine '" + Call.plain(name) + "'"));
        return ports.desk().drain(call.actor(), node.index(), drained);
    }

    private static QueueView queue(QueueState queue) {
        boolean limited = queue.limitGpus() >= 0 && queue.limitGpus() != QueueRule.NO_LIMIT;
        return new QueueView(
                queue.path(),
                queue.guaranteeGpus(),
                limited ? queue.limitGpus() : null,
                queue.weight(),
                queue.usedGpus(),
                queue.pendingJobs(),
                queue.runningJobs());
    }

    private static List<QueueRule> rules(QueuesRequest request) {
        if (request.queues() == null || request.queues().size() > MOST_QUEUES) {
            throw Refused.badRequest("queues must be a list of at most " + MOST_QUEUES + " rules");
        }
        Set<String> seen = new HashSet<>();
        try {
            return request.queues().stream()
                    .map(rule -> {
                        String path = JobFile.queue("path", String.valueOf(rule.path()));
                        if (!seen.add(path)) {
                            throw new IllegalArgumentException("queue (" + path + ") is named twice");
                        }
                        return new QueueRule(
                                path,
                                rule.guarantee() == null ? 0 : rule.guarantee(),
                                rule.limit() == null ? QueueRule.NO_LIMIT : rule.limit(),
                                rule.weight() == null ? 1 : rule.weight());
                    })
                    .toList();
        } catch (IllegalArgumentException e) {
            throw Refused.badRequest(Call.plain(e.getMessage()));
        }
    }
}
