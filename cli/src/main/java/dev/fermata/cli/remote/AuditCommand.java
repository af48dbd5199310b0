package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.TextTable;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata audit}: the requests of all users. */
@Command(
        name = "audit",
        description = "The changes that users requested and their results, newest first (operators and admins).",
        footer = {"", "Examples:", "  fermata audit", "  fermata audit --limit 1000 -o csv"})
public final class AuditCommand extends RemoteCommand {
    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "At most this many (default: ${DEFAULT-VALUE}).")
    private int limit;

    public AuditCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        if (limit < 1) {
            throw UserError.invalid("--limit (" + limit + ") must be at least 1");
        }
        List<JsonNode> rows = api.list("audit", limit).items();
        if (!isHumanReadable()) {
            return write(rows);
        }
        TextTable table = new TextTable()
                .textColumn("when")
                .textColumn("user")
                .textColumn("role", 3)
                .textColumn("from", 2)
                .textColumn("action")
                .textColumn("target")
                .textColumn("result");
        for (JsonNode row : rows) {
            table.row(
                    EventText.time(row),
                    JobText.text(row, "user"),
                    JobText.text(row, "role").toLowerCase(Locale.ROOT),
                    JobText.text(row, "from"),
                    JobText.text(row, "action"),
                    JobText.text(row, "target"),
                    JobText.text(row, "result"));
        }
        printTable(table);
        return ExitCode.OK;
    }
}
