package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.QueueTerms;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.QueuesFile;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code fermata queues apply}: replaces the rules of all queues by those of a file. */
@Command(
        name = "apply",
        description = "Replace the rules of all queues by those of a file.",
        footer = {
            "",
            "The file, every number optional:",
            "  queues:",
            "    - {path: research, guarantee: 4, weight: 2}",
            "    - {path: research/nlp, limit: 6, users: [ann], userGpus: 2}",
            "",
            "Example:",
            "  fermata queues apply queues.yaml"
        })
public final class QueuesApplyCommand extends RemoteCommand {
    @Parameters(paramLabel = "FILE", description = "YAML or JSON.")
    private Path file;

    public QueuesApplyCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        List<QueueRule> rules =
                UserError.wrapInvalid(() -> QueuesFile.read(invocation.folder().resolve(file)));
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        ArrayNode list = document.putArray("queues");
        for (QueueRule rule : rules) {
            ObjectNode queue = list.addObject().put("path", rule.path()).put("guarantee", rule.guaranteeGpus());
            if (rule.limitGpus() != QueueRule.NO_LIMIT) {
                queue.put("limit", rule.limitGpus());
            }
            queue.put("weight", rule.weight());
            if (!rule.terms().equals(QueueTerms.NONE)) {
                queue.set("terms", terms(rule.terms()));
            }
        }
        api.put("queues", document);
        if (!isHumanReadable()) {
            return write(document);
        }
        printWrapped(HumanFormat.amount(rules.size(), "queue") + " set. See them: fermata queues");
        return ExitCode.OK;
    }

    private static ObjectNode terms(QueueTerms terms) {
        ObjectNode node = submitters(terms.submitters());
        putUnless(QueueTerms.NO_LIMIT, node, "userGpus", terms.perUser().gpus());
        putUnless(QueueTerms.NO_LIMIT, node, "userJobs", terms.perUser().jobs());
        if (terms.perUser().fair()) {
            node.put("fairUsers", true);
        }
        node.put("maxGraceSeconds", terms.ceilings().graceMillis() / 1e3);
        node.put("maxMinRuntimeSeconds", terms.ceilings().minRuntimeMillis() / 1e3);
        QueueTerms.Trials trials = terms.trials();
        if (!trials.equals(QueueTerms.Trials.UNLIMITED)) {
            ObjectNode allowed = submitters(trials.submitters());
            putUnless(QueueTerms.NO_LIMIT, allowed, "gpus", trials.gpus());
            putUnless(QueueTerms.NO_LIMIT, allowed, "totalGpus", trials.totalGpus());
            if (trials.millis() != QueueTerms.Trials.NO_TIME_LIMIT) {
                allowed.put("seconds", trials.millis() / 1e3);
            }
            node.set("trials", allowed);
        }
        return node;
    }

    private static void putUnless(int unset, ObjectNode node, String key, int value) {
        if (value != unset) {
            node.put(key, value);
        }
    }

    private static ObjectNode submitters(QueueTerms.Submitters submitters) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        ArrayNode users = node.putArray("users");
        submitters.users().forEach(users::add);
        ArrayNode groups = node.putArray("groups");
        submitters.groups().forEach(groups::add);
        return node;
    }
}
