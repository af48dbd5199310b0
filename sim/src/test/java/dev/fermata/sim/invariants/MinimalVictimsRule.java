package dev.fermata.sim.invariants;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.invariants.CheckedJob.TrackedState;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Without any one of its victims a job would not fit: by count of GPUs, or, where the placement insists on closeness, on GPUs
 * as close as those reserved. No law here counts CPU and RAM, so jobs that need them are left out. Under HURRIES a trial
 * with a single victim need not wait for GPUs that others are vacating; free GPUs count.
 */
final class MinimalVictimsRule {
    /** A preempted job and the GPUs that it frees. */
    record Victim(long jobId, Allocation held) {}

    private final Topology topology;
    private final PolicyAllowances allowances;
    private final LawAssert laws;

    MinimalVictimsRule(Topology topology, PolicyAllowances allowances, LawAssert laws) {
        this.topology = topology;
        this.allowances = allowances;
        this.laws = laws;
    }

    /**
     * @param usable whether a GPU is free, in order and not reserved
     * @param usableSoon the same, or being vacated
     */
    void check(
            CheckedJob job,
            HistoryRecord.Reserved reserved,
            List<Victim> victims,
            IntPredicate usable,
            IntPredicate usableSoon) {
        if (job.job.demand().needsHostResources() || job.state == TrackedState.PREEMPTING) {
            return;
        }
        int type = topology.typeOf(reserved.allocation().gpu(0));
        boolean hurries = allowances.hurries() && victims.size() == 1 && job.job.jobClass() == JobClass.TRIAL;
        IntPredicate available = hurries ? usable : usableSoon;
        for (Victim victim : victims) {
            List<Integer> gpus = IntStream.range(0, topology.gpuCount())
                    .filter(gpu -> topology.typeOf(gpu) == type && available.test(gpu) && !victim.held.contains(gpu))
                    .boxed()
                    .toList();
            if (job.suspendedOn != null) {
                laws.require(
                        !resumes(job, gpus),
                        "no victim for nothing where a suspended job returns",
                        reserved + " would resume without " + victim);
                continue;
            }
            laws.require(
                    !fits(gpus, job.job.demand().minGpus(), reserved.allocation()),
                    hurries ? "no victim while free GPUs suffice" : "no victim for nothing",
                    reserved + " would fit without " + victim);
        }
    }

    /** Whether a suspended job could be resumed on these GPUs. */
    private boolean resumes(CheckedJob job, List<Integer> gpus) {
        Allocation left = job.suspendedOn;
        if (job.job.costs().suspend().reach() == SuspendCosts.Reach.SAME_GPUS) {
            return IntStream.of(left.toArray()).allMatch(gpus::contains);
        }
        return IntStream.of(left.toArray())
                .map(topology::nodeOf)
                .allMatch(node -> gpus.stream()
                                .filter(gpu -> topology.nodeOf(gpu) == node)
                                .count()
                        >= left.gpusOnNode(node));
    }

    /**
     * Whether these GPUs serve the job as well as those reserved: as many as it needs, as close to each other where closeness
     * matters. An elastic gang that insists on one node (or rack) spreads nevertheless when it grows larger than any.
     */
    private boolean fits(List<Integer> gpus, int min, Allocation reserved) {
        if (!allowances.declines()) {
            return gpus.size() >= min;
        }
        int type = topology.typeOf(reserved.gpu(0));
        int inRack = spreadFrom(min, reserved, topology.largestNode(type));
        int anywhere = spreadFrom(inRack, reserved, topology.largestRack(type));
        return switch (reserved.tier()) {
            case GPU, NODE -> most(gpus, topology::nodeOf) >= min;
            case RACK -> most(gpus, topology::nodeOf) >= min || fitsInRack(gpus, inRack, reserved.nodeCount());
            case NETWORK -> most(gpus, topology::nodeOf) >= min || fitsOn(gpus, anywhere, reserved.nodeCount());
        };
    }

    private boolean fitsInRack(List<Integer> gpus, int count, int nodes) {
        return gpus.stream().collect(Collectors.groupingBy(this::rackOf)).values().stream()
                .anyMatch(inRack -> fitsOn(inRack, count, nodes));
    }

    /** Whether so many of these GPUs are on so few nodes: a place on more nodes is not as close. */
    private boolean fitsOn(List<Integer> gpus, int count, int nodes) {
        return gpus.stream().collect(Collectors.groupingBy(topology::nodeOf, Collectors.counting())).values().stream()
                        .sorted(Comparator.reverseOrder())
                        .limit(nodes)
                        .mapToLong(onNode -> onNode)
                        .sum()
                >= count;
    }

    /** How many GPUs surely suffice at the distance of those reserved; a closer place holds at most {@code largest}. */
    private static int spreadFrom(int min, Allocation reserved, int largest) {
        return min <= largest && reserved.size() > largest ? reserved.size() : min;
    }

    /** The most of these GPUs that are together. */
    private static long most(List<Integer> gpus, IntUnaryOperator together) {
        return gpus.stream()
                .collect(Collectors.groupingBy(together::applyAsInt, Collectors.counting()))
                .values()
                .stream()
                .mapToLong(count -> count)
                .max()
                .orElse(0);
    }

    private int rackOf(int gpu) {
        return topology.node(topology.nodeOf(gpu)).rack();
    }
}
