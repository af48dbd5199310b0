package dev.fermata.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.replay.Chronicle;
import dev.fermata.app.replay.ChronicleReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A workload of real processes through a daemon made up for it, and what that recorded. */
final class LiveTrial {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SCRIPT = "sleep_steps.py";
    private static final long LOOK_MILLIS = 200;

    private final Path folder;
    private final Interruption interruption;
    private final @Nullable Path keep;

    /**
     * @param folder for the daemon's data and all else; empty
     * @param keep the file for the history, as {@code fermata events -o json} writes it; null for none
     */
    LiveTrial(Path folder, @Nullable Path keep, Interruption interruption) {
        this.keep = keep;
        this.folder = folder;
        this.interruption = interruption;
    }

    /** What happened: told to {@code watcher} as jobs submitted and jobs ended, now and then. */
    Chronicle run(LiveWorkload workload, String policy, BiConsumer<Integer, Integer> watcher)
            throws IOException, InterruptedException {
        Path script = unpacked();
        try (DaemonProcess daemon =
                DaemonProcess.start(Files.createDirectories(folder.resolve("data")), workload.gpus(), policy)) {
            Door door = daemon.door();
            try {
                if (!workload.queues().isEmpty()) {
                    door.put("queues", JSON.valueToTree(Map.of("queues", workload.queues())));
                }
                submit(workload, door, script, watcher);
                if (keep != null) {
                    JSON.writeValue(
                            keep.toFile(),
                            door.list("events", Integer.MAX_VALUE).items());
                }
                return ChronicleReader.from(door, Optional.of(policy), interruption);
            } finally {
                door.list("jobs?state=live", Integer.MAX_VALUE)
                        .items()
                        .forEach(job -> door.delete("jobs/" + job.path("id").asLong()));
            }
        }
    }

    private Path unpacked() throws IOException {
        try (InputStream in = LiveTrial.class.getResourceAsStream(SCRIPT)) {
            if (in == null) {
                throw new IllegalStateException(SCRIPT + " is missing from this build");
            }
            Path script = folder.resolve(SCRIPT).toAbsolutePath();
            Files.write(script, in.readAllBytes());
            return script;
        }
    }

    private void submit(LiveWorkload workload, Door door, Path script, BiConsumer<Integer, Integer> watcher) {
        long begin = System.nanoTime();
        int submitted = 0;
        int live;
        do {
            long now = (System.nanoTime() - begin) / 1_000_000;
            while (submitted < workload.jobs().size()
                    && workload.jobs().get(submitted).atMillis() <= now) {
                door.post("jobs", file(workload.jobs().get(submitted++), script), Map.of());
            }
            JsonNode diag = door.get("diag");
            live = diag.path("pendingJobs").asInt() + diag.path("runningJobs").asInt();
            watcher.accept(submitted, submitted - live);
            long next = submitted < workload.jobs().size()
                    ? workload.jobs().get(submitted).atMillis() - (System.nanoTime() - begin) / 1_000_000
                    : LOOK_MILLIS;
            if (interruption.pause(Math.max(1, Math.min(LOOK_MILLIS, next)))) {
                throw Complaint.interrupted("interrupted after " + submitted + " of "
                        + workload.jobs().size() + " jobs");
            }
        } while (submitted < workload.jobs().size() || live > 0);
    }

    private JsonNode file(LiveWorkload.LiveJob job, Path script) {
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
