package dev.fermata.live.api;

import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;
import static dev.fermata.live.api.Endpoint.HttpVerb.POST;
import static dev.fermata.live.api.Endpoint.HttpVerb.PUT;

import dev.fermata.core.contract.ForeignLoad;
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
import dev.fermata.live.state.NodeState;
import dev.fermata.live.state.QueueState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Routes of nodes and queues. */
final class ClusterRoutes {
    private static final int MAX_QUEUES = 10_000;
    private static final int MAX_REASON = 200;

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
                        .parameters(Endpoint.EndpointParameter.query("reason", "why, for other people"))
                        .errors(400, 404, 503)
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
        List<NodeState> states = ports.scheduler().nodes();
        Topology topology = ports.scheduler().topology(); // after the GPUs, so that it has all their numbers
        return new NodePage(topology.nodes().stream()
                .map(node -> node(
                        topology,
                        node,
                        node.index() < states.size() ? states.get(node.index()) : NodeState.plain(node.index()),
                        gpus.stream().filter(gpu -> gpu.node() == node.index()).toList()))
                .toList());
    }

    private static NodeView node(Topology topology, Node node, NodeState state, List<GpuState> gpus) {
        return new NodeView(
                node.index(),
                node.id(),
                node.name(),
                topology.racks().get(node.rack()).name(),
                topology.types().get(node.type()).name(),
                new NodeView.NodeStateView(
                        gpus.stream().anyMatch(GpuState::up),
                        !gpus.isEmpty() && gpus.stream().allMatch(GpuState::drained),
                        state.unreachable(),
                        state.excluded(),
                        text(state.drain().reason()),
                        text(state.drain().by()),
                        foreign(state.foreign())),
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

    private static @Nullable String text(String value) {
        return value.isEmpty() ? null : value;
    }

    private static NodeView.@Nullable ForeignLoadView foreign(ForeignLoad load) {
        return load.equals(ForeignLoad.NONE)
                ? null
                : new NodeView.ForeignLoadView(load.gpus(), load.cpuMilli() / 1000.0, load.memoryMib());
    }

    private CompletableFuture<Void> drain(ApiCall call, boolean drained) {
        String name = call.path("name");
        String reason = drained ? call.text("reason", "") : "";
        if (reason.length() > MAX_REASON) {
            throw ApiProblemException.badRequest("reason has more than " + MAX_REASON + " characters");
        }
        Node node = ports.scheduler().topology().nodes().stream()
                .filter(n ->
                        n.name().equals(name) || Integer.toString(n.index()).equals(name))
                .findFirst()
                .orElseThrow(() -> ApiProblemException.notFound("there is no node '" + ApiCall.sanitize(name) + "'"));
        return ports.scheduler().drain(call.actor(), node.index(), drained, reason);
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
