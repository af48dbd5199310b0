package dev.fermata.insight.replay;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.history.ObservedJob;
import dev.fermata.history.ObservedJob.ObservedRequest;
import dev.fermata.history.ObservedJob.ObservedRun;
import dev.fermata.history.ObservedJob.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What another scheduler did, as the history that it would be had Fermata written it: the same code then measures and replays both.
 */
final class ObservedHistory {
    /** As a daemon assumes before it has measured: a pause, and the load of what was saved. The first load is part of a run. */
    private static final Costs ASSUMED = new Costs(5_000, 0, 10_000, 0);

    private final Topology topology;
    private final boolean pausing;
    private final long beganMillis;
    private final Map<String, Integer> gpuNumbers = new HashMap<>();
    private final List<RecordedEntry> entries = new ArrayList<>();
    private final Set<Long> measured = new LinkedHashSet<>();
    private final Map<Long, ObservedJob> jobs = new LinkedHashMap<>();

    /** @param pausing whether jobs that the other scheduler may requeue can be paused, and save then */
    ObservedHistory(RecordedHistory shadow, boolean pausing) {
        this.topology = shadow.cluster().topology();
        this.pausing = pausing;
        this.beganMillis = shadow.entries().isEmpty()
                ? Long.MIN_VALUE
                : shadow.entries().get(0).atMillis();
        IntStream.range(0, topology.gpuCount()).forEach(gpu -> gpuNumbers.put(topology.gpuId(gpu), gpu));
        Map<String, ObservedJob> latest = new LinkedHashMap<>();
        shadow.observed().forEach(seen -> latest.put(seen.job().id(), seen.job()));
        long id = 1;
        for (ObservedJob job : latest.values()) {
            add(id, job);
            jobs.put(id++, job);
        }
        shadow.entries().stream().filter(entry -> entry.record().jobId() < 0).forEach(entries::add);
        entries.sort(Comparator.comparingLong(RecordedEntry::atMillis));
    }

    /** The jobs that were submitted and ended while they were observed, by their numbers in the entries. */
    Set<Long> measured() {
        return measured;
    }

    Map<Long, ObservedJob> jobs() {
        return jobs;
    }

    /** How many jobs were there already, so that their waits say nothing. */
    long earlierJobs() {
        return jobs.values().stream().filter(this::wasThere).count();
    }

    RecordedHistory history(RecordedHistory shadow) {
        return new RecordedHistory(
                shadow.name(), shadow.cluster(), shadow.policy(), entries, shadow.endMillis(), List.of(), List.of());
    }

    private boolean wasThere(ObservedJob job) {
        return job.run().submittedMillis() < beganMillis;
    }

    private void add(long id, ObservedJob seen) {
        ObservedRun run = seen.run();
        Allocation given = seen.hasStarted() ? allocation(seen) : null;
        if (seen.hasStarted() && given == null) {
            return; // it ran where this cluster has no GPUs now
        }
        boolean ran = given != null;
        // One that was running already takes its GPUs at once here too.
        long submitted = ran && wasThere(seen) ? run.startedMillis() : run.submittedMillis();
        put(submitted, seen, new HistoryRecord.Submitted(job(id, seen)));
        if (given != null) {
            put(run.startedMillis(), seen, new HistoryRecord.Started(id, 1, given, false));
            put(run.startedMillis(), seen, new HistoryRecord.Running(id, 1, Speed.UNIT));
        }
        if (seen.hasEnded()) {
            boolean cancelled = run.result() == Result.CANCELLED || run.result() == Result.UNKNOWN;
            if (!ran) {
                put(run.endedMillis(), seen, new HistoryRecord.JobEnded(id, JobState.CANCELLED));
            } else {
                if (cancelled) {
                    put(run.endedMillis(), seen, new HistoryRecord.Cancelling(id, 1));
                }
                put(run.endedMillis(), seen, ended(id, seen));
            }
            if (!wasThere(seen) && !cancelled) {
                measured.add(id);
            }
        }
    }

    private void put(long atMillis, ObservedJob seen, HistoryRecord record) {
        entries.add(new RecordedEntry(atMillis, seen.user(), record, StepProgress.NONE));
    }

    private static HistoryRecord.AttemptEnded ended(long id, ObservedJob seen) {
        Outcome outcome = switch (seen.run().result()) {
            case COMPLETED -> Outcome.COMPLETED;
            case TIMEOUT -> Outcome.TIMEOUT;
            case FAILED -> Outcome.FAILED;
            case CANCELLED, UNKNOWN, NONE -> Outcome.CANCELLED;
        };
        JobState next = switch (outcome) {
            case COMPLETED -> JobState.COMPLETED;
            case TIMEOUT -> JobState.TIMEOUT;
            case FAILED -> JobState.FAILED;
            default -> JobState.CANCELLED;
        };
        long ran = seen.ranMillis();
        return new HistoryRecord.AttemptEnded(id, 1, outcome, new Usage(0, ran, 0, 0, 0, ran), next);
    }

    private Job job(long id, ObservedJob seen) {
        ObservedRequest request = seen.request();
        return Job.builder(id, request.gpus())
                .demand(new Demand(
                        request.gpus(),
                        request.gpus(),
                        0,
                        1000,
                        request.gpuType().isEmpty() ? List.of() : List.of(request.gpuType()),
                        request.cpuMilli(),
                        request.memoryMib(),
                        false))
                .name(seen.name())
                .user(seen.user())
                .costs(ASSUMED)
                .maxPreemptions(pausing && request.requeues() ? Job.UNLIMITED_PREEMPTIONS : 0)
                .declaredMillis(seen.hasEnded() ? 0 : request.limitMillis()) // how long such a one runs is not known
                .limitMillis(request.limitMillis())
                .build();
    }

    /** The GPUs that it was given; where that was not seen, the first node with as many, or the first GPUs of all. */
    private @Nullable Allocation allocation(ObservedJob seen) {
        int gpus = seen.request().gpus();
        int[] known = seen.run().gpuIds().stream()
                .filter(gpuNumbers::containsKey)
                .mapToInt(gpuNumbers::get)
                .distinct()
                .toArray();
        if (known.length == gpus) {
            return Allocation.of(topology, known, false);
        }
        if (gpus > topology.gpuCount()) {
            return null;
        }
        int first = topology.nodes().stream()
                .filter(node -> node.gpus() >= gpus)
                .mapToInt(Node::firstGpu)
                .findFirst()
                .orElse(0);
        return Allocation.of(topology, IntStream.range(first, first + gpus).toArray(), false);
    }
}
