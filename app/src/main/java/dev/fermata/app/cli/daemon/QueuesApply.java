package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.QueuesFile;
import dev.fermata.app.output.Humane;
import dev.fermata.core.model.QueueRule;
import java.nio.file.Path;
import java.util.List;
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
            "    - {path: research, guarantee: 4, weight: 2}",
            "    - {path: research/nlp, limit: 6}",
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
        List<QueueRule> rules =
                Complaint.ifInvalid(() -> QueuesFile.read(surroundings.folder().resolve(file)));
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        ArrayNode list = document.putArray("queues");
        for (QueueRule rule : rules) {
            ObjectNode queue = list.addObject().put("path", rule.path()).put("guarantee", rule.guaranteeGpus());
            if (rule.limitGpus() != QueueRule.NO_LIMIT) {
                queue.put("limit", rule.limitGpus());
            }
            queue.put("weight", rule.weight());
        }
        door.put("queues", document);
        if (!forPeople()) {
            return write(document);
        }
        say(Humane.amount(rules.size(), "queue") + " set. See them: fermata queues");
        return ExitCode.FINE;
    }
}
