package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata profile run}: a profiling run of a few steps, alone on its GPUs. */
@Command(
        name = "run",
        description = "Run a few steps of a job, alone on its GPUs, and show its profile. Nothing is saved.",
        footer = {
            "",
            "Scripts that use the Python helper stop after --steps; others are stopped at the time limit (--limit,",
            "5m by default). The job is of class trial.",
            "",
            "Examples:",
            "  fermata profile run --steps 20 -- python train.py",
            "  fermata profile run --gpus 2 job.yaml"
        })
public final class ProfileRunCommand extends RemoteCommand {
    private static final String LIMIT = "5m";

    @Parameters(
            arity = "0..*",
            parameterConsumer = ScriptArguments.class,
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

    public ProfileRunCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        if (steps < 1) {
            throw UserError.invalid("--steps (" + steps + ") must be 1 or more");
        }
        ObjectNode job = SubmitCommand.jobDocument(this, SubmitCommand.source(this, words), flags);
        job.remove(List.of("array", "after", "hold"));
        job.put("class", "trial");
        if (!job.has("limit")) {
            job.put("limit", LIMIT);
        }
        job.withObjectProperty("env").put("FERMATA_PROFILE_STEPS", Integer.toString(steps));
        JsonNode answer = api.post(
                "jobs", job, Map.of("Idempotency-Key", UUID.randomUUID().toString()));
        long id = answer.path("ids").path(0).asLong();
        printRemark("profiling as job " + id + " …");
        int code = new JobFollower(this, api).awaitEnds(List.of(id));
        List<JsonNode> profiles = api.listAll("profiles?job=" + id);
        boolean stopped = JobText.text(api.get(JobId.path(id)), "state").equals("TIMEOUT");
        if (profiles.isEmpty()) {
            throw UserError.failed("job " + id + " reported no measurements. See why: fermata logs " + id);
        }
        if (!isHumanReadable()) {
            write(profiles);
        } else {
            printTable(ProfileTables.table(profiles));
        }
        return stopped ? ExitCode.OK : code;
    }
}
