package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata profile run}: a few steps of a job, alone on its GPUs, to see what it needs. */
@Command(
        name = "run",
        description = "Run a few steps of a job, alone on its GPUs, and show what they tell. Nothing is saved.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Scripts that use the Python helper stop after --steps; others are stopped at the time limit (--limit,",
            "5m by default). The job is of class trial.",
            "",
            "Examples:",
            "  fermata profile run --steps 20 -- python train.py",
            "  fermata profile run --gpus 2 job.yaml"
        })
final class ProfileRun extends Verb {
    private static final String LIMIT = "5m";

    @Parameters(
            arity = "0..*",
            parameterConsumer = ScriptWords.class,
            paramLabel = "FILE | -- COMMAND",
            description = "A job file, a script with its arguments, or a command behind --.")
    private @Nullable List<String> words;

    @Mixin
    private JobFlags flags;

    @Option(
            names = "--steps",
            paramLabel = "N",
            defaultValue = "20",
            description = "Steps to run (default: ${DEFAULT-VALUE}).")
    private int steps;

    ProfileRun(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        if (steps < 1) {
            throw Complaint.invalid("--steps (" + steps + ") must be 1 or more");
        }
        ObjectNode job = Submit.described(this, Submit.source(this, words), flags);
        job.remove(List.of("array", "after", "hold"));
        job.put("class", "trial");
        if (!job.has("limit")) {
            job.put("limit", LIMIT);
        }
        job.withObjectProperty("env").put("FERMATA_PROFILE_STEPS", Integer.toString(steps));
        JsonNode answer = door.post(
                "jobs", job, Map.of("Idempotency-Key", UUID.randomUUID().toString()));
        long id = answer.path("ids").path(0).asLong();
        remark("profiling as job " + id + " …");
        int code = new Following(this, door).ends(List.of(id));
        List<JsonNode> kinds = door.all("profiles?job=" + id);
        boolean stopped = JobView.text(door.get(JobId.path(id)), "state").equals("TIMEOUT");
        if (kinds.isEmpty()) {
            throw Complaint.failed("job " + id + " showed nothing. See why: fermata logs " + id);
        }
        if (!forPeople()) {
            write(kinds);
        } else {
            show(KnownKinds.table(kinds));
        }
        return stopped ? ExitCode.FINE : code;
    }
}
