package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.report.text.TerminalText;
import picocli.CommandLine.Command;

/** {@code fermata diag}: the health of the daemon. */
@Command(
        name = "diag",
        description =
                "Show the daemon's health: phase, age of its last cycle, store, engine, what it cannot enforce here.",
        footer = {
            "",
            "Examples:",
            "  fermata diag",
            "  fermata diag -o json",
            "  fermata diag estimates",
            "  fermata diag starts"
        })
public final class DiagCommand extends RemoteCommand {
    public DiagCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        JsonNode diag = api.get("diag");
        if (!isHumanReadable()) {
            return write(diag);
        }
        String problem = JobText.text(diag, "problem");
        out().println(screen().bold("The daemon at " + api.address() + " is " + JobText.text(diag, "phase")
                + (diag.path("shadow").asBoolean()
                        ? " (shadow mode: it decides and records, and starts nothing)"
                        : "")));
        if (!problem.isEmpty()) {
            printWrapped("  trouble       " + problem);
        }
        diag.properties().forEach(field -> {
            JsonNode value = field.getValue();
            if (value.isValueNode()
                    && !value.isNull()
                    && !value.isBoolean()
                    && !field.getKey().equals("phase")
                    && !field.getKey().equals("problem")) {
                printWrapped("  " + String.format("%-14s", EvidenceText.label(field.getKey()))
                        + (field.getKey().equals("pid") ? value.asText() : EvidenceText.amount(field.getKey(), value)));
            }
        });
        diag.path("notices").forEach(notice -> printWrapped("  note: " + TerminalText.escape(notice.asText())));
        return ExitCode.OK;
    }
}
