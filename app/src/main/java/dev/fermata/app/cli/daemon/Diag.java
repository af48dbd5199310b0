package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Harmless;
import picocli.CommandLine.Command;

/** {@code fermata diag}: how the daemon is. */
@Command(
        name = "diag",
        description =
                "Say how the daemon is: phase, age of its last cycle, store, engine, what it cannot enforce here.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata diag",
            "  fermata diag -o json",
            "  fermata diag estimates",
            "  fermata diag starts"
        })
final class Diag extends Verb {
    Diag(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        JsonNode diag = door.get("diag");
        if (!forPeople()) {
            return write(diag);
        }
        String trouble = JobView.text(diag, "trouble");
        out().println(screen().strong("The daemon at " + door.address() + " is " + JobView.text(diag, "phase")
                + (diag.path("shadow").asBoolean() ? " (shadow: it decides and records, and touches nothing)" : "")));
        if (!trouble.isEmpty()) {
            say("  trouble       " + trouble);
        }
        diag.properties().forEach(field -> {
            JsonNode value = field.getValue();
            if (value.isValueNode()
                    && !value.isNull()
                    && !value.isBoolean()
                    && !field.getKey().equals("phase")
                    && !field.getKey().equals("trouble")) {
                say("  " + String.format("%-14s", EvidenceWords.label(field.getKey()))
                        + (field.getKey().equals("pid")
                                ? value.asText()
                                : EvidenceWords.amount(field.getKey(), value)));
            }
        });
        diag.path("remarks").forEach(remark -> say("  note: " + Harmless.line(remark.asText())));
        return ExitCode.FINE;
    }
}
