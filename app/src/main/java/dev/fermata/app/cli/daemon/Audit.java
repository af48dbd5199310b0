package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Table;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata audit}: who asked for what. */
@Command(
        name = "audit",
        description = "Who asked for which change and what came of it, newest first (operators and admins).",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata audit", "  fermata audit --limit 1000 -o csv"})
final class Audit extends Verb {
    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "At most this many (default: ${DEFAULT-VALUE}).")
    private int limit;

    Audit(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        if (limit < 1) {
            throw Complaint.invalid("--limit (" + limit + ") must be at least 1");
        }
        List<JsonNode> rows = door.list("audit", limit).items();
        if (!forPeople()) {
            return write(rows);
        }
        Table table = new Table()
                .words("when")
                .words("user")
                .words("role", 3)
                .words("from", 2)
                .words("action")
                .words("target")
                .words("result");
        for (JsonNode row : rows) {
            table.row(
                    EventLine.when(row),
                    JobView.text(row, "user"),
                    JobView.text(row, "role").toLowerCase(Locale.ROOT),
                    JobView.text(row, "from"),
                    JobView.text(row, "action"),
                    JobView.text(row, "target"),
                    JobView.text(row, "result"));
        }
        show(table);
        return ExitCode.FINE;
    }
}
