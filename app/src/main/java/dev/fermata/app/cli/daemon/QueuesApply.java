package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.QueuesFile;
import dev.fermata.app.output.Humane;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code fermata queues apply}: the rules of all queues, from a file. */
@Command(
        name = "apply",
        description = "Replace the rules of all queues by those of a file.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "The file, every number optional:",
            "  queues:",
            "    research:     {guarantee: 4, weight: 2}",
            "    research/nlp: {limit: 6}",
            "",
            "Example:",
            "  fermata queues apply queues.yaml"
        })
final class QueuesApply extends Verb {
    @Parameters(paramLabel = "FILE", description = "YAML or JSON.")
    private Path file;

    QueuesApply(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        JsonNode rules =
                Complaint.ifInvalid(() -> QueuesFile.read(surroundings.folder().resolve(file)));
        JsonNode answer = door.put("queues", rules);
        if (!forPeople() && answer.isObject()) {
            return write(answer);
        }
        say(Humane.amount(rules.path("queues").size(), "queue") + " set. See them: fermata queues");
        return ExitCode.FINE;
    }
}
