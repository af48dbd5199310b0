package dev.fermata.live.api;

import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Topology;
import dev.fermata.live.api.Endpoint.EndpointParameter;
import dev.fermata.live.api.view.OverviewView;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.state.GpuState;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.JobRow;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The cluster in counts. Many pages ask every few seconds, so an answer costs nothing while nothing has happened. */
final class OverviewRoutes {
    private static final int MAX_TRANSIENT = 1000;

    private final ApiPorts ports;

    OverviewRoutes(ApiPorts ports) {
        this.ports = ports;
    }

    List<Endpoint> endpoints() {
        return List.of(Endpoint.of(GET, "/api/v1/overview", VIEWER, "The cluster at this moment, in counts")
                .parameters(EndpointParameter.header(
                        "If-None-Match", "the ETag of an earlier answer: 304 while nothing has happened since"))
                .respond(200, OverviewView.class, Endpoint.JSON, this::overview));
    }

    private CompletableFuture<Reply> overview(ApiCall call) {
        HealthStatus health = ports.scheduler().health();
        String etag = "\"" + health.lastSeq() + "-" + health.phase() + "\"";
        return CompletableFuture.completedFuture(
                call.header("If-None-Match").filter(etag::equals).isPresent()
                        ? Reply.notModified(etag)
                        : Reply.json(200, view(health)).with("ETag", etag));
    }

    private OverviewView view(HealthStatus health) {
        Map<Long, JobState> leavingOrComing = new HashMap<>();
        for (JobRow row : ports.reader()
                .jobs(new JobQuery(
                        Set.of(JobState.STARTING, JobState.PREEMPTING), "", "", "", -1, Long.MAX_VALUE, MAX_TRANSIENT))
                .rows()) {
            leavingOrComing.put(row.id(), row.state());
        }
        Topology topology = ports.scheduler().topology();
        int loading = 0;
        int saving = 0;
        int running = 0;
        int reserved = 0;
        int free = 0;
        int drained = 0;
        int down = 0;
        for (GpuState gpu : ports.scheduler().gpus()) {
            if (!gpu.jobs().isEmpty()) {
                JobState state = leavingOrComing.getOrDefault(gpu.jobs().get(0), JobState.RUNNING);
                loading += state == JobState.STARTING ? 1 : 0;
                saving += state == JobState.PREEMPTING ? 1 : 0;
                running += state == JobState.RUNNING ? 1 : 0;
            } else if (topology.isMissing(gpu.gpu()) || !gpu.up()) {
                down++;
            } else if (gpu.reservedFor() >= 0) {
                reserved++;
            } else if (gpu.drained()) {
                drained++;
            } else {
                free++;
            }
        }
        int busy = running + loading + saving;
        return new OverviewView(
                health.lastSeq(),
                Instant.ofEpochMilli(ports.nowMillis().getAsLong()),
                new OverviewView.DaemonState(
                        health.phase(), ports.daemon().policy(), health.shadow(), health.problem()),
                new OverviewView.GpuCounts(
                        busy + reserved + free + drained + down,
                        busy,
                        running,
                        loading,
                        saving,
                        new OverviewView.IdleCounts(reserved, free, drained, down)),
                new OverviewView.JobCounts(
                        health.queues().pendingJobs(), health.queues().runningJobs()));
    }
}
