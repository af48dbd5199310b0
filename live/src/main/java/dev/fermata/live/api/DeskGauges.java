package dev.fermata.live.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.core.contract.JobState;
import dev.fermata.live.conductor.GpuState;
import dev.fermata.live.conductor.Pulse;
import dev.fermata.live.conductor.QueueState;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.StoreException;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Figures that are asked for when Prometheus asks, and those that lines of the history tell. */
final class DeskGauges {
    private static final Logger LOG = LoggerFactory.getLogger(DeskGauges.class);

    private final ApiPorts ports;
    private final PrometheusRegistry registry;

    private DeskGauges(ApiPorts ports) {
        this.ports = ports;
        this.registry = ports.meters().registry();
    }

    static DeskGauges register(ApiPorts ports, Streams streams) {
        DeskGauges gauges = new DeskGauges(ports);
        gauges.jobs();
        gauges.queues();
        gauges.gpus();
        gauges.pulse(
                "fermata_last_cycle_age_seconds", "Since the conductor last turned.", p -> p.cycleAgeMillis() / 1e3);
        gauges.pulse("fermata_inbox_size", "News and requests that wait for the conductor.", Pulse::inbox);
        gauges.pulse(
                "fermata_ready", "1 when submissions are accepted.", p -> p.phase() == Pulse.Phase.LEADING ? 1 : 0);
        gauges.pulse("fermata_restart_seconds", "How long the last recovery took.", p -> p.restartMillis() / 1e3);
        CounterWithCallback.builder()
                .name("fermata_cycles")
                .help("Turns of the conductor.")
                .callback(c -> c.call((double) ports.desk().pulse().cycles()))
                .register(gauges.registry);
        GaugeWithCallback.builder()
                .name("fermata_streams")
                .help("Open event streams and logs.")
                .callback(c -> c.call(streams.count()))
                .register(gauges.registry);
        return gauges;
    }

    /** Counts what a line of the history says. */
    void count(Line line) {
        try {
            switch (line.kind()) {
                case "Pausing" -> {
                    JsonNode body = ApiJson.MAPPER.readTree(line.body());
                    ports.meters()
                            .pausing(
                                    body.path("gainMillis").asLong(),
                                    body.path("costMillis").asLong());
                }
                case "Left" ->
                    ended(ApiJson.MAPPER.readTree(line.body()).path("next").asText());
                case "Ended" ->
                    ended(ApiJson.MAPPER.readTree(line.body()).path("state").asText());
                case "Refused" -> ended(JobState.UNSATISFIABLE.name());
                default -> {
                    // is counted nowhere
                }
            }
        } catch (JsonProcessingException e) {
            LOG.warn("line {} of the history is not JSON", line.seq());
        }
    }

    private void ended(String state) {
        for (JobState known : JobState.values()) {
            if (known.isFinal() && known.name().equals(state)) {
                ports.meters().ended(state);
            }
        }
    }

    private void jobs() {
        GaugeWithCallback.builder()
                .name("fermata_jobs")
                .help("Jobs by state.")
                .labelNames("state")
                .callback(c -> {
                    try {
                        var counts = ports.reader().counts();
                        for (JobState state : JobState.values()) {
                            c.call(counts.getOrDefault(state, 0L), state.name());
                        }
                    } catch (StoreException e) {
                        LOG.warn("jobs cannot be counted: {}", e.getMessage());
                    }
                })
                .register(registry);
    }

    private void queues() {
        queue("fermata_queue_pending_jobs", "Jobs that wait, by queue.", QueueState::pendingJobs);
        queue("fermata_queue_running_jobs", "Jobs on GPUs, by queue.", QueueState::runningJobs);
        queue("fermata_queue_used_gpus", "GPUs in use, by queue.", QueueState::usedGpus);
        queue("fermata_queue_guarantee_gpus", "GPUs guaranteed, by queue.", QueueState::guaranteeGpus);
    }

    private void queue(String name, String help, ToDoubleFunction<QueueState> figure) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("queue")
                .callback(c -> ports.desk().queues().forEach(q -> c.call(figure.applyAsDouble(q), q.path())))
                .register(registry);
    }

    private void gpus() {
        GaugeWithCallback.builder()
                .name("fermata_gpus")
                .help("GPUs by what they do now: each is counted once.")
                .labelNames("state")
                .callback(c -> {
                    Map<GpuUse, Integer> counts = new EnumMap<>(GpuUse.class);
                    ports.desk().gpus().forEach(gpu -> counts.merge(GpuUse.of(gpu), 1, Integer::sum));
                    for (GpuUse use : GpuUse.values()) {
                        c.call(counts.getOrDefault(use, 0), use.label);
                    }
                })
                .register(registry);
    }

    private void pulse(String name, String help, ToDoubleFunction<Pulse> figure) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(c -> c.call(figure.applyAsDouble(ports.desk().pulse())))
                .register(registry);
    }

    private enum GpuUse {
        DOWN("down"),
        USED("used"),
        PROMISED("promised"),
        DRAINED("drained"),
        FREE("free");

        private final String label;

        GpuUse(String label) {
            this.label = label;
        }

        static GpuUse of(GpuState gpu) {
            if (!gpu.up()) {
                return DOWN;
            }
            if (!gpu.jobs().isEmpty()) {
                return USED;
            }
            return gpu.promisedTo() >= 0 ? PROMISED : gpu.drained() ? DRAINED : FREE;
        }
    }
}
