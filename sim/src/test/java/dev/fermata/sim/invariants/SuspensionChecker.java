package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.scheduler.Scheduler;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Keeps its own books of suspended jobs, from records and orders alone. */
final class SuspensionChecker implements CheckedSimulation.CycleChecker {
    private static final class SuspendableJob {
        Job job;
        /** The attempt that started its processes. */
        int process;

        Allocation held;
        Allocation suspendedOn;
        /** For which GPUs it holds host memory, and how much for each. */
        Allocation host;

        long hostMib;
        long savedMillis;
        boolean failedStart;
    }

    private final RandomScenario scenario;
    private final LawAssert laws;
    private final Map<Long, SuspendableJob> jobs = new TreeMap<>();
    int suspended;
    int resumed;
    int failed;
    int lost;

    SuspensionChecker(RandomScenario scenario, String policy) {
        this.scenario = scenario;
        this.laws = new LawAssert(scenario, policy);
    }

    @Override
    public void checkCycle(long now, List<Event> events, Decision decision, Scheduler scheduler) {
        decision.records().forEach(this::onRecord);
        decision.orders().forEach(this::onOrder);
        for (Node node : scenario.topology().nodes()) {
            long held = 0;
            for (SuspendableJob job : jobs.values()) {
                held += job.host == null ? 0 : job.host.gpusOnNode(node.index()) * job.hostMib;
            }
            long total = held;
            laws.require(
                    held <= node.suspendMemoryMib(),
                    "suspended jobs hold no more host memory than they may",
                    () -> "node " + node.index() + ": " + total + " of " + node.suspendMemoryMib());
        }
        for (Map.Entry<Long, SuspendableJob> entry : jobs.entrySet()) {
            boolean known = scheduler.job(entry.getKey()) != null
                    && scheduler.job(entry.getKey()).suspension() != null;
            laws.require(
                    known == (entry.getValue().suspendedOn != null),
                    "a suspended job is not forgotten",
                    () -> "job " + entry.getKey());
        }
    }

    private void onRecord(HistoryRecord record) {
        if (record instanceof HistoryRecord.Submitted submitted) {
            jobs.put(record.jobId(), new SuspendableJob());
            jobs.get(record.jobId()).job = submitted.job();
        }
        SuspendableJob job = jobs.get(record.jobId());
        if (job == null) {
            return;
        }
        if (record instanceof HistoryRecord.JobUpdated updated) {
            job.job = updated.job();
        } else if (record instanceof HistoryRecord.Started started) {
            onStarted(job, started);
        } else if (record instanceof HistoryRecord.Running && job.suspendedOn != null) {
            release(job);
            resumed++;
        } else if (record instanceof HistoryRecord.Preempting preempting && preempting.way() == PreemptWay.SUSPEND) {
            laws.require(job.job.costs().suspend().possible(), "only a job that can be is suspended", record);
            job.host = job.held;
            job.hostMib = job.job.costs().suspend().memoryMibPerGpu()
                    + job.job.demand().memoryMibPerGpu();
        } else if (record instanceof HistoryRecord.StartFailed) {
            job.failedStart = true;
        } else if (record instanceof HistoryRecord.SuspendFailed) {
            job.host = null;
            failed++;
        } else if (record instanceof HistoryRecord.SuspensionEnded ended) {
            laws.require(job.suspendedOn != null, "only a suspension ends", record);
            laws.require(ended.process() == job.process, "a suspension names its processes", record);
            laws.require(ended.savedWorkMillis() <= job.savedMillis, "a lost suspension gains no work", record);
            release(job);
            lost++;
        } else if (record instanceof HistoryRecord.AttemptEnded ended) {
            onEnded(job, ended);
        } else if (record instanceof HistoryRecord.JobEnded) {
            jobs.remove(record.jobId());
        }
    }

    private void onStarted(SuspendableJob job, HistoryRecord.Started started) {
        Allocation left = job.suspendedOn;
        job.process = left == null ? started.attempt() : job.process;
        job.held = started.allocation();
        for (int k = 0; left != null && k < job.held.nodeCount(); k++) {
            laws.require(
                    left.gpusOnNode(job.held.node(k)) == job.held.gpusOn(k) && left.size() == job.held.size(),
                    "a suspended job returns to its nodes",
                    started + " left " + left);
        }
        if (left != null && job.job.costs().suspend().reach() == SuspendCosts.Reach.SAME_GPUS) {
            laws.require(
                    Arrays.equals(left.toArray(), job.held.toArray()),
                    "it returns to its GPUs where it must",
                    started + " left " + left);
        }
    }

    private void onEnded(SuspendableJob job, HistoryRecord.AttemptEnded ended) {
        job.savedMillis = ended.usage().savedWorkMillis();
        if (ended.outcome() == Outcome.SUSPENDED) {
            laws.require(ended.usage().lostMillis() == 0, "a suspended job loses nothing", ended);
            suspended++;
            job.suspendedOn = job.held;
            job.host = job.held;
        } else if (!job.failedStart || ended.next().isFinal()) {
            release(job);
        }
        job.failedStart = false;
        job.held = null;
        if (ended.next().isFinal()) {
            jobs.remove(ended.jobId());
        }
    }

    private static void release(SuspendableJob job) {
        job.suspendedOn = null;
        job.host = null;
    }

    private void onOrder(Order order) {
        if (order instanceof Order.Start start && jobs.containsKey(order.jobId())) {
            SuspendableJob job = jobs.get(order.jobId());
            laws.require(
                    start.process() == job.process, "a start names the processes that it resumes", start.toString());
        }
    }
}
