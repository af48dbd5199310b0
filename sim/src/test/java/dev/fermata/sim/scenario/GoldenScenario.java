package dev.fermata.sim.scenario;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A scenario in a few lines of text.
 *
 * <pre>
 * cluster 1x4
 * policy srtf
 * t=0 job A 4 gpus 100s pause=5s build=10s
 * expect
 * 0s A starts on node0[0-3]
 * </pre>
 *
 * Options of a job: pause build restore warmup grace checkpoint declared minrun limit (times), min, mem (MiB), types
 * (V100|K80), priority, max-preemptions, class (trial), iteration (active/idle milliseconds), gradient (MiB that a gang
 * exchanges in each iteration of 100 ms), cpu and ram (milli-CPUs and MiB for each GPU), true-pause (what saving really
 * takes), queue, after (A or A:any), array and array-limit. Further lines: {@code estimator declared}, {@code host
 * cpu=8000 ram=65536} (of every node), {@code faults node=300s repair=60s seed=3}, {@code queue research guarantee=4
 * limit=8 weight=2}, {@code t=5 hold A}, {@code t=9 release A}, {@code t=9 cancel A}, {@code t=9 drain 0}, {@code t=9
 * undrain 0} (a node).
 */
final class GoldenScenario {
    private final List<String> expected = new ArrayList<>();
    private final List<String> actual = new ArrayList<>();
    private final Map<Long, String> names = new HashMap<>();
    private final Map<String, Long> ids = new HashMap<>();
    private final Map<Long, Long> startedAt = new HashMap<>();
    private Topology topology = ClusterSpec.parse("1x1");
    private String policy = "fifo";
    private String estimator = "oracle";
    private Faults.FaultRates faults = Faults.FaultRates.NONE;
    private long seed;
    private final List<String[]> jobs = new ArrayList<>();
    private final List<String[]> requests = new ArrayList<>();
    private final List<QueueRule> rules = new ArrayList<>();
    private final Map<String, Long> arrays = new HashMap<>();

    static GoldenScenario parse(List<String> lines) {
        GoldenScenario scenario = new GoldenScenario();
        boolean inputSection = true;
        for (String raw : lines) {
            String line = raw.replaceFirst("#.*", "").strip();
            if (line.isEmpty()) {
                continue;
            }
            if (line.equals("expect")) {
                inputSection = false;
            } else if (inputSection) {
                scenario.parseLine(line.split("\\s+"));
            } else {
                scenario.expected.add(line);
            }
        }
        return scenario;
    }

    private void parseLine(String[] tokens) {
        switch (tokens[0]) {
            case "cluster" -> topology = ClusterSpec.parse(tokens[1]);
            case "policy" -> policy = tokens[1];
            case "queue" -> {
                Map<String, String> options = options(tokens, 2);
                rules.add(new QueueRule(
                        tokens[1],
                        Integer.parseInt(options.getOrDefault("guarantee", "0")),
                        Integer.parseInt(options.getOrDefault("limit", "" + QueueRule.NO_LIMIT)),
                        Double.parseDouble(options.getOrDefault("weight", "1"))));
            }
            case "host" -> topology = limited(topology, options(tokens, 1));
            case "estimator" -> estimator = tokens[1];
            case "faults" -> {
                Map<String, String> options = options(tokens, 1);
                faults = new Faults.FaultRates(
                        millis(options, "node", "0"),
                        0,
                        millis(options, "repair", "60s"),
                        new Faults.NodeChangeRates(
                                millis(options, "leave", "0"),
                                millis(options, "absent", "60s"),
                                millis(options, "unreachable", "0"),
                                millis(options, "silent", "60s"),
                                millis(options, "foreign", "0"),
                                millis(options, "load", "60s")));
                seed = Long.parseLong(options.getOrDefault("seed", "1"));
            }
            default -> (tokens[1].equals("job") ? jobs : requests).add(tokens);
        }
    }

    /** The same cluster, each node with this much CPU and RAM. */
    private static Topology limited(Topology all, Map<String, String> options) {
        Topology.Builder builder = Topology.builder().network(all.network());
        for (int rack = 0; rack < all.racks().size(); rack++) {
            builder.rack();
            for (Node node : all.nodes()) {
                if (node.rack() == rack) {
                    builder.node(
                            node.name(),
                            all.types().get(node.type()),
                            node.gpus(),
                            Long.parseLong(options.getOrDefault("cpu", "" + Node.UNLIMITED)),
                            Long.parseLong(options.getOrDefault("ram", "" + Node.UNLIMITED)));
                }
            }
        }
        return builder.build();
    }

    List<String> expected() {
        return expected;
    }

    List<String> run() {
        TestSimulation simulation =
                TestSimulation.on(topology, policy).estimator(estimator).faults(faults, seed);
        long id = 1;
        for (String[] tokens : jobs) {
            names.put(id, tokens[2]);
            ids.put(tokens[2], id);
            simulation.job(trueJob(job(id++, tokens), tokens));
        }
        if (!rules.isEmpty()) {
            simulation.request(0, new Event.QueuesSet(rules));
        }
        for (String[] tokens : requests) {
            String target = tokens[2];
            simulation.request(
                    millis(tokens[0].substring("t=".length())) / 1000,
                    switch (tokens[1]) {
                        case "hold" -> new Event.HoldRequested(ids.get(target));
                        case "release" -> new Event.ReleaseRequested(ids.get(target));
                        case "cancel" -> new Event.CancelRequested(ids.get(target));
                        case "drain" -> new Event.NodeDrained(Integer.parseInt(target));
                        case "undrain" -> new Event.NodeUndrained(Integer.parseInt(target));
                        case "remove" -> new Event.NodeRemoved(Integer.parseInt(target));
                        case "add" -> new Event.NodeAdded(NodeSpec.of(topology, Integer.parseInt(target)));
                        case "unreachable" -> new Event.NodeUnreachable(Integer.parseInt(target));
                        case "reachable" -> new Event.NodeReachable(Integer.parseInt(target));
                        case "foreign" -> foreign(Integer.parseInt(target), Integer.parseInt(tokens[3]));
                        default -> throw new IllegalArgumentException("unknown request '" + tokens[1] + "'");
                    });
        }
        simulation.run((now, record) -> onRecord(now, record, simulation));
        return actual;
    }

    /** Others use the last GPUs of a node. */
    private Event foreign(int node, int gpus) {
        int end = topology.node(node).endGpu();
        return new Event.ForeignLoadChanged(
                node, new ForeignLoad(IntStream.range(end - gpus, end).boxed().toList(), 0, 0));
    }

    private static SimulatedJob trueJob(Job job, String[] tokens) {
        SimulatedJob plain = SimulatedJob.of(job, millis(tokens[0].substring("t=".length())), millis(tokens[5]));
        String truePause = options(tokens, 6).get("true-pause");
        Costs declared = job.costs();
        return truePause == null
                ? plain
                : new SimulatedJob(
                        job,
                        plain.submitMillis(),
                        plain.durationMillis(),
                        plain.peakMemoryMib(),
                        new Costs(
                                millis(truePause),
                                declared.buildMillis(),
                                declared.restoreMillis(),
                                declared.warmupMillis()));
    }

    /** {@code t=0 job A 4 gpus 100s key=value ...}. */
    private Job job(long id, String[] tokens) {
        Map<String, String> options = options(tokens, 6);
        int gpus = Integer.parseInt(tokens[3]);
        String types = options.getOrDefault("types", "");
        return Job.builder(id, gpus)
                .name(tokens[2])
                .jobClass(
                        JobClass.valueOf(options.getOrDefault("class", "batch").toUpperCase(Locale.ROOT)))
                .demand(new Demand(
                        Integer.parseInt(options.getOrDefault("min", tokens[3])),
                        gpus,
                        Integer.parseInt(options.getOrDefault("mem", "0")),
                        1000,
                        types.isEmpty() ? List.of() : List.of(types.split("\\|", -1)),
                        Long.parseLong(options.getOrDefault("cpu", "0")),
                        Long.parseLong(options.getOrDefault("ram", "0")),
                        Boolean.parseBoolean(options.getOrDefault("split", "false"))))
                .costs(new Costs(
                        millis(options, "pause", "0"),
                        millis(options, "build", "0"),
                        millis(options, "restore", "0"),
                        millis(options, "warmup", "0")))
                .profile(profile(options))
                .graceMillis(millis(options, "grace", "120s"))
                .checkpointMillis(millis(options, "checkpoint", "0"))
                .declaredMillis(millis(options, "declared", "0"))
                .minRuntimeMillis(millis(options, "minrun", "0"))
                .limitMillis(millis(options, "limit", "0"))
                .priority(Integer.parseInt(options.getOrDefault("priority", "0")))
                .maxPreemptions(Integer.parseInt(options.getOrDefault("max-preemptions", "1000")))
                .queue(options.getOrDefault("queue", "default"))
                .dependencies(dependencies(options.get("after")))
                .array(jobArray(id, options))
                .build();
    }

    private List<Dependency> dependencies(String text) {
        if (text == null) {
            return List.of();
        }
        String[] parts = text.split(":", 2);
        String end = parts.length > 1 ? parts[1] : "success";
        return List.of(new Dependency(ids.get(parts[0]), Dependency.Condition.valueOf(end.toUpperCase(Locale.ROOT))));
    }

    private JobArray jobArray(long id, Map<String, String> options) {
        String name = options.get("array");
        return name == null
                ? JobArray.NONE
                : new JobArray(
                        arrays.computeIfAbsent(name, n -> id),
                        0,
                        Integer.parseInt(options.getOrDefault("array-limit", "0")));
    }

    /** {@code iteration=900/1500}: active and idle milliseconds of an iteration; nothing is known of a job without it. */
    private static Profile profile(Map<String, String> options) {
        if (options.containsKey("gradient")) {
            return new Profile("", 100, 1, Double.parseDouble(options.get("gradient")), 1, 0, Map.of());
        }
        if (!options.containsKey("iteration")) {
            return Profile.UNKNOWN;
        }
        String[] iterationMillis = options.get("iteration").split("/", 2);
        double active = Double.parseDouble(iterationMillis[0]);
        double iteration = active + Double.parseDouble(iterationMillis[1]);
        return new Profile("", iteration, active / iteration, 0, 1, 0, Map.of());
    }

    private static Map<String, String> options(String[] tokens, int from) {
        Map<String, String> options = new HashMap<>();
        for (int i = from; i < tokens.length; i++) {
            String[] keyValue = tokens[i].split("=", 2);
            options.put(keyValue[0], keyValue[1]);
        }
        return options;
    }

    private static long millis(Map<String, String> options, String key, String fallback) {
        return millis(options.getOrDefault(key, fallback));
    }

    private static long millis(String text) {
        return Math.round(Double.parseDouble(text.replaceFirst("s$", "")) * 1000);
    }

    private void onRecord(long now, HistoryRecord record, TestSimulation simulation) {
        String name = names.get(record.jobId());
        switch (record.type()) {
            case SUBMITTED -> onPending(now, record.jobId(), simulation);
            case JOB_REJECTED ->
                emit(now, name + " is rejected: " + reason(((HistoryRecord.JobRejected) record).reason()));
            case STARTED -> {
                HistoryRecord.Started started = (HistoryRecord.Started) record;
                startedAt.put(started.jobId(), now);
                emit(now, name + (started.resumed() ? " resumes on " : " starts on ") + place(started.allocation()));
            }
            case RUNNING -> {
                HistoryRecord.Running running = (HistoryRecord.Running) record;
                if (startedAt.get(running.jobId()) < now) {
                    emit(now, name + " has loaded");
                }
            }
            case PREEMPTING -> {
                HistoryRecord.Preempting preempting = (HistoryRecord.Preempting) record;
                emit(
                        now,
                        preempting.beneficiary() == preempting.jobId()
                                ? name + " migrates"
                                : names.get(preempting.beneficiary()) + " preempts " + name);
            }
            case RESERVED -> emit(now, name + " reserves " + place(((HistoryRecord.Reserved) record).allocation()));
            case RESERVATION_RELEASED -> emit(now, name + " loses its reservation");
            case START_FAILED -> emit(now, name + " could not be started");
            case SUSPEND_FAILED -> emit(now, name + " could not be suspended");
            case SUSPENSION_ENDED -> emit(now, name + " loses its suspended processes");
            case ATTEMPT_ENDED -> {
                HistoryRecord.AttemptEnded attemptEnded = (HistoryRecord.AttemptEnded) record;
                emit(now, name + " " + attemptEnded.outcome().name().toLowerCase(Locale.ROOT));
                if (attemptEnded.next() == JobState.PENDING) {
                    onPending(now, attemptEnded.jobId(), simulation);
                }
            }
            case HELD -> emit(now, name + " is put on hold");
            case RELEASED -> emit(now, name + " is released");
            case JOB_ENDED ->
                emit(
                        now,
                        name + " "
                                + ((HistoryRecord.JobEnded) record)
                                        .state()
                                        .name()
                                        .toLowerCase(Locale.ROOT));
            case CAPACITY_CHANGED -> emit(now, ((HistoryRecord.CapacityChanged) record).gpusUp() + " gpus up");
            case DRAIN_CHANGED -> {
                HistoryRecord.DrainChanged drainChanged = (HistoryRecord.DrainChanged) record;
                emit(now, "node" + drainChanged.node() + (drainChanged.drained() ? " drained" : " undrained"));
            }
            case CLUSTER_CHANGED -> emit(now, ((HistoryRecord.ClusterChanged) record).gpusUp() + " gpus up");
            case NODE_ADDED -> emit(now, "node" + ((HistoryRecord.NodeAdded) record).node() + " added");
            case NODE_REMOVED -> emit(now, "node" + ((HistoryRecord.NodeRemoved) record).node() + " removed");
            case NODE_CHANGED -> {
                HistoryRecord.NodeChanged changed = (HistoryRecord.NodeChanged) record;
                emit(now, "node" + changed.node() + " changed, " + changed.gpusUp() + " gpus up");
            }
            case REACHABILITY_CHANGED -> {
                HistoryRecord.ReachabilityChanged changed = (HistoryRecord.ReachabilityChanged) record;
                emit(now, "node" + changed.node() + (changed.reachable() ? " reachable" : " unreachable"));
            }
            case FOREIGN_LOAD_CHANGED -> {
                HistoryRecord.ForeignLoadChanged changed = (HistoryRecord.ForeignLoadChanged) record;
                emit(
                        now,
                        "node" + changed.node() + " others use "
                                + changed.load().gpus().size() + " gpus");
            }
            case ACTION_REJECTED -> emit(now, "REJECTED " + (HistoryRecord.ActionRejected) record);
            case SPEED_CHANGED, JOB_UPDATED, QUEUES_SET, PREEMPTION_DECLINED, PROFILED, CANCELLING -> {}
        }
    }

    private void onPending(long now, long id, TestSimulation simulation) {
        PendingReason pendingReason = simulation.scheduler().explain(id);
        if (pendingReason != null) {
            emit(now, names.get(id) + " waits: " + reason(pendingReason));
        }
    }

    private static String reason(PendingReason pendingReason) {
        String numbers = switch (pendingReason.code()) {
            case HELD, START_FAILED, ENGINE_UNREACHABLE, PROFILE_PENDING, NOT_YET_CONSIDERED -> "";
            case DEPENDENCY -> needs(((PendingReason.DependencyPending) pendingReason).openDependencies(), 0);
            case ARRAY_LIMIT -> {
                PendingReason.ArrayLimit limit = (PendingReason.ArrayLimit) pendingReason;
                yield needs(limit.maxRunning(), limit.jobsOnGpus());
            }
            case MEMORY -> {
                PendingReason.Memory memory = (PendingReason.Memory) pendingReason;
                yield needs(memory.neededMib(), memory.bestGpuFreeMib());
            }
            case PREEMPTION_NOT_WORTH_IT -> {
                PendingReason.PreemptionNotWorthIt weighed = (PendingReason.PreemptionNotWorthIt) pendingReason;
                yield needs(weighed.costMillis(), weighed.gainMillis());
            }
            case UNSATISFIABLE,
                    NO_NODES,
                    QUEUE_LIMIT,
                    QUEUE_SHARE,
                    PREEMPTION_PENDING,
                    PRIORITY,
                    RESOURCES,
                    FRAGMENTED,
                    WAITING_FOR_LOCALITY,
                    HOST_RESOURCES,
                    RESERVATION -> {
                PendingReason.GpuCounts counts = (PendingReason.GpuCounts) pendingReason;
                yield needs(counts.neededGpus(), counts.availableGpus());
            }
        };
        return pendingReason.code() + numbers;
    }

    private static String needs(long needed, long available) {
        return " needs " + needed + " has " + available;
    }

    private void emit(long now, String text) {
        String time = now % 1000 == 0 ? Long.toString(now / 1000) : Double.toString(now / 1000.0);
        actual.add(time + "s " + text);
        if (actual.size() > 200) {
            throw new AssertionError("the scenario never ends: " + actual.subList(0, 40));
        }
    }

    /** {@code node0[0-3] node1[2]}: GPUs numbered inside their node. */
    private String place(Allocation allocation) {
        StringBuilder out = new StringBuilder();
        int i = 0;
        for (int k = 0; k < allocation.nodeCount(); k++) {
            int first = topology.node(allocation.node(k)).firstGpu();
            out.append(k == 0 ? "" : " ")
                    .append(topology.node(allocation.node(k)).name())
                    .append('[');
            int end = i + allocation.gpusOn(k);
            for (boolean more = false; i < end; more = true) {
                int from = allocation.gpu(i);
                int to = from;
                for (i++; i < end && allocation.gpu(i) == to + 1; i++) {
                    to++;
                }
                out.append(more ? "," : "").append(from - first).append(to > from ? "-" + (to - first) : "");
            }
            out.append(']');
        }
        return out.append(allocation.shared() ? " shared" : "").toString();
    }
}
