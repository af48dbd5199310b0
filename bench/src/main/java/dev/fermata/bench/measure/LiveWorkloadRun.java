package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.DaemonHistoryReader;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.replay.RecordedHistory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Runs a workload of real processes through a daemon of its own, and returns the recorded history. */
final class LiveWorkloadRun {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SCRIPT = "sleep_steps.py";
    private static final long POLL_MILLIS = 200;

    private final Path folder;
    private final Interruption interruption;
    private final @Nullable Path keep;

    /**
     * @param folder for the daemon's data and all else; empty
     * @param keep the file for the history, as {@code fermata events -o json} writes it; null for none
     */
    LiveWorkloadRun(Path folder, @Nullable Path keep, Interruption interruption) {
        this.keep = keep;
        this.folder = folder;
        this.interruption = interruption;
    }

    /** Runs the workload; reports the numbers of submitted and ended jobs to {@code watcher} now and then. */
    RecordedHistory run(LiveWorkload workload, String policy, BiConsumer<Integer, Integer> watcher)
            throws IOException, InterruptedException {
        Path script = unpackScript();
        try (ChildDaemon daemon =
                ChildDaemon.start(Files.createDirectories(folder.resolve("data")), workload.gpus(), policy)) {
            DaemonClient api = daemon.api();
            try {
                if (!workload.queues().isEmpty()) {
                    api.put("queues", JSON.valueToTree(Map.of("queues", workload.queues())));
                }
                submit(workload, api, script, watcher);
                if (keep != null) {
                    JSON.writeValue(
                            keep.toFile(), api.list("events", Integer.MAX_VALUE).items());
                }
                return DaemonHistoryReader.fetch(api, Optional.of(policy), interruption);
            } finally {
                api.list("jobs?state=live", Integer.MAX_VALUE)
                        .items()
                        .forEach(job -> api.delete("jobs/" + job.path("id").asLong()));
            }
        }
    }

    private Path unpackScript() throws IOException {
        try (InputStream in = LiveWorkloadRun.class.getResourceAsStream(SCRIPT)) {
            if (in == null) {
                throw new IllegalStateException(SCRIPT + " is missing from this build");
            }
            Path script = folder.resolve(SCRIPT).toAbsolutePath();
            Files.write(script, in.readAllBytes());
            return script;
        }
    }

    private void submit(LiveWorkload workload, DaemonClient api, Path script, BiConsumer<Integer, Integer> watcher) {
        long begin = System.nanoTime();
        int submitted = 0;
        int live;
        do {
            long now = (System.nanoTime() - begin) / 1_000_000;
            while (submitted < workload.jobs().size()
                    && workload.jobs().get(submitted).atMillis() <= now) {
                api.post("jobs", jobFile(workload.jobs().get(submitted++), script), Map.of());
            }
            JsonNode diag = api.get("diag");
            live = diag.path("pendingJobs").asInt() + diag.path("runningJobs").asInt();
            watcher.accept(submitted, submitted - live);
            long next = submitted < workload.jobs().size()
                    ? workload.jobs().get(submitted).atMillis() - (System.nanoTime() - begin) / 1_000_000
                    : POLL_MILLIS;
            if (interruption.sleep(Math.max(1, Math.min(POLL_MILLIS, next)))) {
                throw UserError.interrupted("interrupted after " + submitted + " of "
                        + workload.jobs().size() + " jobs");
            }
        } while (submitted < workload.jobs().size() || live > 0);
    }

    private JsonNode jobFile(LiveWorkload.ProcessJob job, Path script) {
        ObjectNode file = JSON.createObjectNode();
        file.put("name", job.name());
        file.put("class", job.jobClass());
        file.put("queue", job.queue());
        file.put("gpus", job.gpus());
        file.put("priority", job.priority());
        if (job.declared() > 0) {
            file.put("time", Math.max(1, Math.round(job.seconds() * job.declared())) + "s");
        }
        file.put("run", job.command(script.toString()));
        file.put("workdir", folder.toAbsolutePath().toString());
        return file;
    }
}
