package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;
import static dev.fermata.live.api.Endpoint.HttpVerb.POST;
import static dev.fermata.live.api.Endpoint.HttpVerb.PUT;

import dev.fermata.core.model.Node;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.live.api.view.NodePage;
import dev.fermata.live.api.view.NodeView;
import dev.fermata.live.api.view.QueuePage;
import dev.fermata.live.api.view.QueueView;
import dev.fermata.live.api.view.QueuesRequest;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.state.GpuState;
import dev.fermata.live.state.QueueState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Routes of nodes and queues. */
final class ClusterRoutes {
    private static final int MAX_QUEUES = 10_000;

    private final ApiPorts ports;

    ClusterRoutes(ApiPorts ports) {
        this.ports = ports;
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(GET, "/api/v1/nodes", VIEWER, "All nodes, their GPUs and the jobs on them")
                        .respondNow(NodePage.class, call -> nodes()),
                Endpoint.of(
                                POST,
                                "/api/v1/nodes/{name}/drain",
                                OPERATOR,
                                "Drains a node: no new starts; running jobs go on")
                        .audit("drain", "node {name}")
                        .errors(404, 503)
                        .respondEmpty(call -> drain(call, true)),
                Endpoint.of(POST, "/api/v1/nodes/{name}/undrain", OPERATOR, "Undrains a node: starts are allowed again")
                        .audit("undrain", "node {name}")
                        .errors(404, 503)
                        .respondEmpty(call -> drain(call, false)),
                Endpoint.of(GET, "/api/v1/queues", VIEWER, "All queues, their rules and usage")
                        .respondNow(
                                QueuePage.class,
                                call -> new QueuePage(ports.scheduler().queues().stream()
                                        .map(ClusterRoutes::queue)
                                        .toList())),
                Endpoint.of(PUT, "/api/v1/queues", OPERATOR, "Sets the rules of all queues")
                        .requestBody(QueuesRequest.class)
                        .audit("queues", "")
                        .errors(400, 503)
                        .respondEmpty(call ->
                                ports.scheduler().setQueues(call.actor(), rules(call.body(QueuesRequest.class)))));
    }

    private NodePage nodes() {
        List<GpuState> gpus = ports.scheduler().gpus();
        Topology topology = ports.scheduler().topology(); // after the GPUs, so that it has all their numbers
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
                node.id(),
                node.name(),
                topology.racks().get(node.rack()).name(),
                topology.types().get(node.type()).name(),
                new NodeView.NodeStateView(
                        gpus.stream().anyMatch(GpuState::up),
                        !gpus.isEmpty() && gpus.stream().allMatch(GpuState::drained)),
                new NodeView.NodeCapacityView(
                        node.cpuMilli() >= Node.UNLIMITED ? null : node.cpuMilli() / 1000.0,
                        node.memoryMib() >= Node.UNLIMITED ? null : node.memoryMib(),
                        topology.types().get(node.type()).memoryMib(),
                        topology.types().get(node.type()).speed()),
                gpus.stream()
                        .map(gpu -> new NodeView.GpuView(
                                gpu.gpu(),
                                topology.gpuId(gpu.gpu()),
                                topology.isMissing(gpu.gpu()),
                                gpu.up(),
                                gpu.drained(),
                                gpu.jobs(),
                                gpu.reservedFor() < 0 ? null : gpu.reservedFor()))
                        .toList());
    }

    private CompletableFuture<Void> drain(ApiCall call, boolean drained) {
        String name = call.path("name");
        Node node = ports.scheduler().topology().nodes().stream()
                .filter(n ->
                        n.name().equals(name) || Integer.toString(n.index()).equals(name))
                .findFirst()
                .orElseThrow(() -> ApiProblemException.notFound("there is no node '" + ApiCall.sanitize(name) + "'"));
        return ports.scheduler().drain(call.actor(), node.index(), drained);
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
        if (request.queues() == null || request.queues().size() > MAX_QUEUES) {
            throw ApiProblemException.badRequest("queues must be a list of at most " + MAX_QUEUES + " rules");
        }
        Set<String> seen = new HashSet<>();
        try {
            return request.queues().stream()
                    .map(rule -> {
                        String path = JobFileParser.queue("path", String.valueOf(rule.path()));
                        if (!seen.add(path)) {
                            throw new IllegalArgumentException("queue (" + path + ") is named twice");
                        }
                        return new QueueRule(
                                path,
                                rule.guarantee() == null ? 0 : rule.guarantee(),
                                rule.limit() == null ? QueueRule.NO_LIMIT : rule.limit(),
                                rule.weight() == null ? 1 : rule.weight(),
                                QueueTermsReader.read(rule.terms()));
                    })
                    .toList();
        } catch (IllegalArgumentException e) {
            throw ApiProblemException.badRequest(ApiCall.sanitize(e.getMessage()));
        }
    }
}
