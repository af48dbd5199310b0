package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.client.ApiQuery;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.CommandGroup;
import dev.fermata.cli.option.Invocation;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.live.access.Role;
import dev.fermata.report.text.TerminalText;
import dev.fermata.report.text.TextTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata token}: creates, lists and revokes tokens. */
@Command(
        name = "token",
        description = "List, replace and revoke your access tokens; admins make tokens, and manage all.",
        footer = {
            "",
            "Examples:",
            "  fermata token create ada",
            "  fermata token create grafana --role viewer --expires 90d",
            "  fermata token ls",
            "  fermata token rotate t1a2b3c4",
            "  fermata token revoke t1a2b3c4"
        })
public final class TokenCommand extends CommandGroup {
    /** For shell completion. */
    static final class RoleNames extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        RoleNames() {
            super(Arrays.stream(Role.values())
                    .map(role -> role.name().toLowerCase(Locale.ROOT))
                    .toList());
        }
    }

    @Command(
            name = "create",
            description = "Make a token. It is shown this once; the daemon keeps only its hash.",
            footer = {"", "Example:", "  fermata token create ada --role user --expires 90d"})
    public static final class Create extends RemoteCommand {
        @Parameters(paramLabel = "USER", description = "The account that jobs of this token belong to.")
        private String user;

        @Option(
                names = "--role",
                paramLabel = "ROLE",
                defaultValue = "user",
                completionCandidates = RoleNames.class,
                description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
        private String role;

        @Option(names = "--label", paramLabel = "TEXT", defaultValue = "", description = "What it is for.")
        private String label;

        @Option(
                names = "--expires",
                paramLabel = "TIME",
                description = "Good for this long, such as 30d, or never (default: 90d).")
        private @Nullable String expires;

        public Create(Invocation invocation) {
            super(invocation);
        }

        @Override
        int run(DaemonClient api) {
            String wanted = role.toLowerCase(Locale.ROOT);
            if (!new RoleNames().contains(wanted)) {
                throw UserError.invalid(
                        "--role (" + role + ") is unknown." + Suggestion.didYouMean(wanted, new RoleNames()));
            }
            ObjectNode request = JsonNodeFactory.instance
                    .objectNode()
                    .put("user", user)
                    .put("role", wanted.toUpperCase(Locale.ROOT));
            if (!label.isEmpty()) {
                request.put("label", label);
            }
            if (expires != null) {
                request.put("expires", expires);
            }
            JsonNode made = api.post("tokens", request, java.util.Map.of());
            if (!isHumanReadable()) {
                return write(made);
            }
            out().println(JobText.text(made, "token"));
            made.path("warnings").forEach(warning -> printRemark("warning: " + TerminalText.escape(warning.asText())));
            printRemark("this token is shown once. " + user + " uses it by FERMATA_TOKEN, with FERMATA_URL="
                    + api.address());
            return ExitCode.OK;
        }
    }

    @Command(
            name = "ls",
            description = "List tokens, without the tokens themselves.",
            footer = {"", "Example:", "  fermata token ls"})
    public static final class Ls extends RemoteCommand {

        public Ls(Invocation invocation) {
            super(invocation);
        }

        @Override
        int run(DaemonClient api) {
            List<JsonNode> tokens = api.listAll("tokens");
            if (!isHumanReadable()) {
                return write(tokens);
            }
            Instant now = Instant.now();
            TextTable table = new TextTable()
                    .textColumn("id")
                    .textColumn("user")
                    .textColumn("role")
                    .textColumn("label", 4)
                    .textColumn("made", 3)
                    .textColumn("good");
            for (JsonNode token : tokens) {
                table.row(
                        JobText.text(token, "id"),
                        JobText.text(token, "user"),
                        JobText.text(token, "role").toLowerCase(Locale.ROOT),
                        JobText.text(token, "label"),
                        JobText.ago(token, "created", now),
                        status(token, now));
            }
            printTable(table);
            return ExitCode.OK;
        }

        private static String status(JsonNode token, Instant now) {
            if (JobText.time(token, "revoked").isPresent()) {
                return "revoked " + JobText.ago(token, "revoked", now);
            }
            return JobText.time(token, "expires")
                    .map(end -> end.isAfter(now) ? "for " + JobText.span(now, end) : "expired")
                    .orElse("until revoked");
        }
    }

    @Command(
            name = "rotate",
            description = "Replace a token by a new one, which is shown this once. The old one is void at once.",
            footer = {"", "Example:", "  fermata token rotate t1a2b3c4"})
    public static final class Rotate extends RemoteCommand {
        @Parameters(paramLabel = "ID", description = "Id of a token, see fermata token ls.")
        private String id;

        public Rotate(Invocation invocation) {
            super(invocation);
        }

        @Override
        int run(DaemonClient api) {
            JsonNode made = api.post("tokens/" + ApiQuery.segment(id) + "/rotate");
            if (!isHumanReadable()) {
                return write(made);
            }
            out().println(JobText.text(made, "token"));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "revoke",
            description = "Revoke tokens at once.",
            footer = {"", "Example:", "  fermata token revoke t1a2b3c4"})
    public static final class Revoke extends MultiNameCommand {
        @Parameters(arity = "1..*", paramLabel = "ID", description = "Ids of tokens, see fermata token ls.")
        private List<String> ids;

        public Revoke(Invocation invocation) {
            super(invocation, "id of a token (see fermata token ls)");
        }

        @Override
        List<String> names() {
            return ids;
        }

        @Override
        String act(DaemonClient api, String id) {
            api.delete("tokens/" + id);
            return "Token " + id + " is revoked.";
        }
    }
}
