package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Problem;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.JobFile;
import dev.fermata.app.output.Harmless;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata submit}: a job file, a script or a command becomes a job. */
@Command(
        name = "submit",
        description =
                "Submit a job: a job file (YAML or JSON), a script (#SBATCH lines are read), or a command behind --.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "A command or script runs in the current folder and finds the search paths of your shell (PATH and the like);",
            "other variables go with it by --env. Flags win over what a file says; they stand before the name of a script, since",
            "all that follows it is the script's. With -o id only the id is printed.",
            "",
            "Examples:",
            "  fermata submit --gpus 2 -- python train.py --epochs 10",
            "  fermata submit --class trial --follow -- python try.py",
            "  fermata submit job.yaml --dry-run",
            "  fermata submit --gpus 1 slurm-job.sh 0.1 --seed 7",
            "  fermata submit --wait -o id job.yaml"
        })
final class Submit extends Verb {
    static final List<String> SEARCH_PATHS =
            List.of("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX");

    @Parameters(
            arity = "0..*",
            parameterConsumer = ScriptWords.class,
            paramLabel = "FILE | -- COMMAND",
            description = "A job file, a script with its arguments (- for standard input), or a command behind --.")
    private @Nullable List<String> words;

    @Mixin
    private JobFlags flags;

    @Option(
            names = "--dry-run",
            description = "Say where and when it would start and whom it would pause; change nothing.")
    private boolean dryRun;

    @Option(names = "--wait", description = "Wait for its end; the exit code is 0 if it completed, else 1.")
    private boolean wait;

    @Option(names = "--follow", description = "Show its output until it ends; exit code as with --wait.")
    private boolean follow;

    @Option(
            names = "--idempotency-key",
            paramLabel = "KEY",
            description = "Submitting again with the same key gives the same job, not a second one.")
    private @Nullable String key;

    private Optional<JobSource> source = Optional.empty();

    Submit(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        if (!output.onlyIds()) {
            output.format(); // refused before anything is submitted
        }
        JobSource found = source(this, words);
        source = Optional.of(found);
        ObjectNode job = described(this, found, flags);
        if (dryRun) {
            return new Prospects(this).tell(door.post("jobs?dryRun=true", job, Map.of()));
        }
        JsonNode answer = door.post(
                "jobs",
                job,
                Map.of("Idempotency-Key", key == null ? UUID.randomUUID().toString() : key));
        List<Long> ids = new ArrayList<>();
        answer.path("ids").forEach(id -> ids.add(id.asLong()));
        answer.path("warnings")
                .forEach(warning -> err().println("fermata: warning: " + Harmless.line(warning.asText())));
        accepted(answer, ids);
        Following following = new Following(this, door);
        return follow ? following.output(ids) : wait ? following.ends(ids) : ExitCode.FINE;
    }

    /** What a command line names: a file, a script, or a command behind two dashes. */
    static JobSource source(Verb verb, @Nullable List<String> words) {
        List<String> given = words == null ? List.of() : words;
        List<String> typed = verb.spec.commandLine().getParseResult().originalArgs();
        int dashes = typed.indexOf("--");
        int behind = dashes < 0 ? 0 : typed.size() - dashes - 1;
        if (dashes >= 0 && behind == given.size()) {
            return JobSource.command(given);
        }
        if (given.isEmpty()) {
            throw Complaint.invalid(
                    "what shall be submitted? A job file or script, or a command behind --:\n  fermata submit --gpus 1 -- python train.py");
        }
        int arguments = given.size() > 1 && given.get(1).equals("--") ? 2 : 1;
        return JobSource.file(
                given.get(0),
                given.subList(arguments, given.size()),
                verb.surroundings.folder(),
                verb.surroundings.environment());
    }

    /** The job as the daemon shall have it: what the source says, the flags over it, and where it runs. */
    static ObjectNode described(Verb verb, JobSource found, JobFlags flags) {
        found.warnings().forEach(warning -> verb.err().println("fermata: warning: " + Harmless.line(warning)));
        verb.err().flush();
        ObjectNode job = found.job();
        flags.over(job, verb.surroundings.environment());
        where(verb, job);
        if (found.carriesPaths()) {
            carryPaths(verb, job);
        }
        return job;
    }

    /** Without a word about it, a job runs where it was submitted, as it would by hand. */
    private static void where(Verb verb, ObjectNode job) {
        String said = job.path("workdir").asText("");
        if (said.equals("none")) {
            job.remove("workdir");
            return;
        }
        Path here = verb.surroundings.folder().toAbsolutePath().normalize();
        job.put("workdir", here.resolve(said).normalize().toString());
    }

    private static void carryPaths(Verb verb, ObjectNode job) {
        for (String name : SEARCH_PATHS) {
            String value = verb.surroundings.environment().getOrDefault(name, "");
            if (!value.isEmpty() && !job.path("env").has(name)) {
                job.withObjectProperty("env").put(name, value);
            }
        }
    }

    private void accepted(JsonNode answer, List<Long> ids) {
        if (output.onlyIds()) {
            ids.forEach(out()::println);
        } else if (!forPeople()) {
            write(answer);
        } else if (ids.size() == 1) {
            long id = ids.get(0);
            say("Job " + id + " is accepted.");
            if (!follow && !wait) {
                say(
                        "  fermata logs -f " + id + "    what it prints",
                        "  fermata explain " + id + "    why it waits, or where it is",
                        "  fermata cancel " + id);
            }
        } else {
            long first = ids.get(0);
            say("Jobs " + first + " to " + ids.get(ids.size() - 1) + " are accepted (an array of " + ids.size() + ").");
            if (!follow && !wait) {
                say(
                        "  fermata ls --array " + first + "      how they are",
                        "  fermata logs -f " + first + "        what the first prints");
            }
        }
        out().flush();
    }

    /** Where a file is at fault, its line is named. */
    @Override
    Complaint told(Problem problem) {
        Optional<JobFile> file = source.flatMap(JobSource::file);
        if (problem.fields().isEmpty() || file.isEmpty()) {
            return super.told(problem);
        }
        List<String> lines = new ArrayList<>();
        for (Problem.Field field : problem.fields()) {
            lines.add(file.get().where(field.name()).map(place -> place + ": ").orElse("") + field.message());
        }
        return Complaint.invalid(String.join("\n", lines), problem);
    }
}
