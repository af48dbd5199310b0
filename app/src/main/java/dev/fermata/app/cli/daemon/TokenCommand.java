package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Harmless;
import dev.fermata.app.output.Table;
import dev.fermata.core.policy.Suggest;
import dev.fermata.live.access.Role;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata token}: who may do what. */
@Command(
        name = "token",
        description = "Make, list and revoke access tokens (admins only).",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata token create ada",
            "  fermata token create grafana --role viewer --expires 90d",
            "  fermata token ls",
            "  fermata token revoke t1a2b3c4"
        })
public final class TokenCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** For shell completion. */
    static final class Roles extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        Roles() {
            super(Arrays.stream(Role.values())
                    .map(role -> role.name().toLowerCase(Locale.ROOT))
                    .toList());
        }
    }

    @Command(
            name = "create",
            description = "Make a token. It is shown this once; the daemon keeps only its hash.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            footer = {"", "Example:", "  fermata token create ada --role user --expires 90d"})
    static final class Create extends Verb {
        @Parameters(paramLabel = "USER", description = "For whom: the account that jobs of this token belong to.")
        private String user;

        @Option(
                names = "--role",
                paramLabel = "ROLE",
                defaultValue = "user",
                completionCandidates = Roles.class,
                description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
        private String role;

        @Option(names = "--label", paramLabel = "TEXT", defaultValue = "", description = "What it is for.")
        private String label;

        @Option(
                names = "--expires",
                paramLabel = "TIME",
                description = "Good for this long, such as 90d (default: until revoked).")
        private @Nullable String expires;

        Create(Surroundings surroundings) {
            super(surroundings);
        }

        @Override
        int run(Door door) {
            String wanted = role.toLowerCase(Locale.ROOT);
            if (!new Roles().contains(wanted)) {
                throw Complaint.invalid("--role (" + role + ") is unknown." + Suggest.among(wanted, new Roles()));
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
            JsonNode made = door.post("tokens", request, java.util.Map.of());
            if (!forPeople()) {
                return write(made);
            }
            out().println(JobView.text(made, "token"));
            made.path("warnings").forEach(warning -> remark("warning: " + Harmless.line(warning.asText())));
            remark("this token is shown once. " + user + " uses it by FERMATA_TOKEN, with FERMATA_URL="
                    + door.address());
            return ExitCode.FINE;
        }
    }

    @Command(
            name = "ls",
            description = "List tokens, without the tokens themselves.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            footer = {"", "Example:", "  fermata token ls"})
    static final class Ls extends Verb {

        Ls(Surroundings surroundings) {
            super(surroundings);
        }

        @Override
        int run(Door door) {
            List<JsonNode> tokens = door.all("tokens");
            if (!forPeople()) {
                return write(tokens);
            }
            Instant now = Instant.now();
            Table table = new Table()
                    .words("id")
                    .words("user")
                    .words("role")
                    .words("label", 4)
                    .words("made", 3)
                    .words("good");
            for (JsonNode token : tokens) {
                table.row(
                        JobView.text(token, "id"),
                        JobView.text(token, "user"),
                        JobView.text(token, "role").toLowerCase(Locale.ROOT),
                        JobView.text(token, "label"),
                        JobView.ago(token, "created", now),
                        good(token, now));
            }
            show(table);
            return ExitCode.FINE;
        }

        private static String good(JsonNode token, Instant now) {
            if (JobView.time(token, "revoked").isPresent()) {
                return "revoked " + JobView.ago(token, "revoked", now);
            }
            return JobView.time(token, "expires")
                    .map(end -> end.isAfter(now) ? "for " + JobView.span(now, end) : "expired")
                    .orElse("until revoked");
        }
    }

    @Command(
            name = "revoke",
            description = "Make tokens useless at once.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            footer = {"", "Example:", "  fermata token revoke t1a2b3c4"})
    static final class Revoke extends EachName {
        @Parameters(arity = "1..*", paramLabel = "ID", description = "Ids of tokens, see fermata token ls.")
        private List<String> ids;

        Revoke(Surroundings surroundings) {
            super(surroundings, "id of a token (see fermata token ls)");
        }

        @Override
        List<String> names() {
            return ids;
        }

        @Override
        String act(Door door, String id) {
            door.delete("tokens/" + id);
            return "Token " + id + " is revoked.";
        }
    }
}
