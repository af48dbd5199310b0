package dev.fermata.live.api;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.state.GpuState;
import dev.fermata.live.state.QueueState;
import dev.fermata.live.store.StoreException;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Metrics of the scheduler: gauges that are read at each scrape, and counters fed by history entries. */
final class SchedulerMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulerMetrics.class);

    private final ApiPorts ports;
    private final PrometheusRegistry registry;
    private final HistoryCodec codec;

    private SchedulerMetrics(ApiPorts ports) {
        this.ports = ports;
        this.registry = ports.metrics().registry();
        this.codec = new HistoryCodec(() -> ports.scheduler().topology());
    }

    static SchedulerMetrics register(ApiPorts ports, OpenStreams streams) {
        SchedulerMetrics metrics = new SchedulerMetrics(ports);
        metrics.registerJobs();
        metrics.registerQueues();
        metrics.registerGpus();
        metrics.registerStatusGauge(
                "fermata_last_cycle_age_seconds",
                "Time since the last scheduling cycle.",
                p -> p.cycleAgeMillis() / 1e3);
        metrics.registerStatusGauge(
                "fermata_queued_requests",
                "Events and requests that wait for the scheduler loop.",
                HealthStatus::queuedRequests);
        metrics.registerStatusGauge(
                "fermata_ready",
                "1 when submissions are accepted.",
                p -> p.phase().leads() ? 1 : 0);
        metrics.registerStatusGauge(
                "fermata_recovery_seconds", "How long the last recovery took.", p -> p.recoveryMillis() / 1e3);
        CounterWithCallback.builder()
                .name("fermata_cycles")
                .help("Scheduling cycles.")
                .callback(c -> c.call((double) ports.scheduler().health().cycles()))
                .register(metrics.registry);
        GaugeWithCallback.builder()
                .name("fermata_streams")
                .help("Open event streams and logs.")
                .callback(c -> c.call(streams.count()))
                .register(metrics.registry);
        return metrics;
    }

    /** Counts a history entry. */
    void count(HistoryEntry entry) {
        HistoryCodec.typeOf(entry).filter(SchedulerMetrics::isCounted).ifPresent(type -> {
            try {
                codec.decode(entry).ifPresent(this::count);
            } catch (IllegalArgumentException e) {
                LOG.warn("history entry {} is not counted: {}", entry.seq(), e.getMessage());
            }
        });
    }

    /** The others are not decoded. */
    private static boolean isCounted(HistoryRecord.Type type) {
        return switch (type) {
            case PREEMPTING, ATTEMPT_ENDED, JOB_ENDED, JOB_REJECTED -> true;
            case SUBMITTED,
                    STARTED,
                    RUNNING,
                    SPEED_CHANGED,
                    HELD,
                    RELEASED,
                    JOB_UPDATED,
                    QUEUES_SET,
                    RESERVED,
                    RESERVATION_RELEASED,
                    PREEMPTION_DECLINED,
                    PROFILED,
                    CANCELLING,
                    START_FAILED,
                    SUSPEND_FAILED,
                    SUSPENSION_ENDED,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    ACTION_REJECTED -> false;
        };
    }

    private void count(HistoryRecord record) {
        JobState end = record.finalState();
        if (end != null) {
            ports.metrics().recordJobEnd(end.name());
        } else if (record instanceof HistoryRecord.Preempting preempting) {
            ports.metrics().recordPreemption(preempting.gainMillis(), preempting.costMillis());
        }
    }

    private void registerJobs() {
        GaugeWithCallback.builder()
                .name("fermata_jobs")
                .help("Jobs by state.")
                .labelNames("state")
                .callback(c -> {
                    try {
                        var counts = ports.reader().countsByState();
                        for (JobState state : JobState.values()) {
                            c.call(counts.getOrDefault(state, 0L), state.name());
                        }
                    } catch (StoreException e) {
                        LOG.warn("job metrics: the store cannot be read: {}", e.getMessage());
                    }
                })
                .register(registry);
    }

    private void registerQueues() {
        registerQueueGauge("fermata_queue_pending_jobs", "Pending jobs, by queue.", QueueState::pendingJobs);
        registerQueueGauge("fermata_queue_running_jobs", "Jobs on GPUs, by queue.", QueueState::runningJobs);
        registerQueueGauge("fermata_queue_used_gpus", "GPUs in use, by queue.", QueueState::usedGpus);
        registerQueueGauge("fermata_queue_guarantee_gpus", "GPUs guaranteed, by queue.", QueueState::guaranteeGpus);
    }

    private void registerQueueGauge(String name, String help, ToDoubleFunction<QueueState> metric) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("queue")
                .callback(c -> ports.scheduler().queues().forEach(q -> c.call(metric.applyAsDouble(q), q.path())))
                .register(registry);
    }

    private void registerGpus() {
        GaugeWithCallback.builder()
                .name("fermata_gpus")
                .help("GPUs by state; each is counted once.")
                .labelNames("state")
                .callback(c -> {
                    Map<GpuUsageState, Integer> counts = new EnumMap<>(GpuUsageState.class);
                    ports.scheduler().gpus().forEach(gpu -> counts.merge(GpuUsageState.of(gpu), 1, Integer::sum));
                    for (GpuUsageState use : GpuUsageState.values()) {
                        c.call(counts.getOrDefault(use, 0), use.label);
                    }
                })
                .register(registry);
    }

    private void registerStatusGauge(String name, String help, ToDoubleFunction<HealthStatus> metric) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(c -> c.call(metric.applyAsDouble(ports.scheduler().health())))
                .register(registry);
    }

    private enum GpuUsageState {
        DOWN("down"),
        USED("used"),
        RESERVED("reserved"),
        DRAINED("drained"),
        FREE("free");

        private final String label;

        GpuUsageState(String label) {
            this.label = label;
        }

        static GpuUsageState of(GpuState gpu) {
            if (!gpu.up()) {
                return DOWN;
            }
            if (!gpu.jobs().isEmpty()) {
                return USED;
            }
            return gpu.reservedFor() >= 0 ? RESERVED : gpu.drained() ? DRAINED : FREE;
        }
    }
}
