package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.CommandGroup;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.file.AtomicFile;
import dev.fermata.insight.format.HumanFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code fermata profile}: the job profiles that the daemon has measured. */
@Command(
        name = "profile",
        description = "Job profiles that the daemon has measured: run a profile, list, export, import, correct."
                + " (fermata profiles, with an s, is the simulator's catalogue of models.)",
        footer = {
            "",
            "A profile belongs to a command and model on a type and number of GPUs; PROFILE is its id, or a word of its command.",
            "",
            "Examples:",
            "  fermata profile run --steps 20 -- python train.py",
            "  fermata profile ls",
            "  fermata profile set 1f0c9a peakMemoryMib=12000",
            "  fermata profile export profiles.yaml"
        })
public final class ProfileCommand extends CommandGroup {
    private static final ObjectMapper YAML = new YAMLMapper();

    @Command(name = "ls", description = "List all job profiles.")
    public static final class Ls extends RemoteCommand {
        public Ls(Invocation invocation) {
            super(invocation);
        }

        @Override
        int run(DaemonClient api) {
            List<JsonNode> profiles = api.listAll("profiles");
            if (!isHumanReadable()) {
                return write(profiles);
            }
            if (profiles.isEmpty()) {
                printWrapped(
                        "No profile was measured yet. Every job that ends is measured; or: fermata profile run -- COMMAND");
                return ExitCode.OK;
            }
            printTable(ProfileTables.table(profiles));
            return ExitCode.OK;
        }
    }

    @Command(name = "show", description = "Show one profile, and the source of each value.")
    public static final class Show extends RemoteCommand {
        @Parameters(paramLabel = "PROFILE", description = "Its id, or a word of its command or model.")
        private String profile;

        public Show(Invocation invocation) {
            super(invocation);
        }

        @Override
        int run(DaemonClient api) {
            JsonNode found = ProfileTables.find(api, profile);
            if (!isHumanReadable()) {
                return write(found);
            }
            printTable(ProfileTables.table(List.of(found)));
            out().println();
            printTable(ProfileTables.figures(found));
            if (!found.path("coRuns").isEmpty()) {
                out().println();
                printTable(ProfileTables.coRuns(found));
            }
            return ExitCode.OK;
        }
    }

    @Command(
            name = "export",
            description =
                    "Write all profiles as YAML. Peak memory is written as the memory reservation, which is a little more.")
    public static final class Export extends RemoteCommand {
        @Parameters(arity = "0..1", paramLabel = "FILE", description = "Where to (default: standard output).")
        private @Nullable String file;

        public Export(Invocation invocation) {
            super(invocation);
        }

        @Override
        int run(DaemonClient api) {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            ArrayNode profiles = document.putArray("profiles");
            for (JsonNode profile : api.listAll("profiles")) {
                ObjectNode entry = ProfileTables.requestEntry(profile);
                profile.path("metrics")
                        .forEach(figure -> entry.withObjectProperty("values")
                                .put(JobText.text(figure, "metric"), ProfileTables.exportValue(profile, figure)));
                profiles.add(entry);
            }
            try {
                if (file == null) {
                    out().print(YAML.writeValueAsString(document));
                    out().flush();
                    return ExitCode.OK;
                }
                try (AtomicFile whole = AtomicFile.open(file)) {
                    whole.writer().write(YAML.writeValueAsString(document));
                    whole.commit();
                }
            } catch (IOException e) {
                throw UserError.invalid(file + " cannot be written: " + e.getMessage());
            }
            printWrapped(HumanFormat.amount(profiles.size(), "profile") + " written to " + file + ".");
            return ExitCode.OK;
        }
    }

    @Command(
            name = "import",
            description =
                    "Import profiles from a file (as export writes it). They take precedence over local measurements.")
    public static final class Import extends RemoteCommand {
        @Parameters(paramLabel = "FILE", description = "YAML or JSON.")
        private Path file;

        public Import(Invocation invocation) {
            super(invocation);
        }

        @Override
        int run(DaemonClient api) {
            Path path = invocation.folder().resolve(file);
            JsonNode document;
            try {
                document = YAML.readTree(Files.readString(path));
            } catch (NoSuchFileException e) {
                throw UserError.invalid("there is no file " + file);
            } catch (IOException e) {
                throw UserError.invalid(file + " cannot be read as YAML: " + e.getMessage());
            }
            if (document == null || !document.path("profiles").isArray()) {
                throw UserError.invalid(
                        file + " has no list of profiles; one that fermata profile export wrote is expected");
            }
            api.put("profiles", document);
            if (!isHumanReadable()) {
                return write(document);
            }
            printWrapped(HumanFormat.amount(document.path("profiles").size(), "profile")
                    + " imported. See them: fermata profile ls");
            return ExitCode.OK;
        }
    }

    @Command(
            name = "set",
            description = "Correct a profile; an empty value (key=) takes the correction back.",
            footer = {"", "Example:", "  fermata profile set 1f0c9a peakMemoryMib=12000 busyPermille=400 pauseMillis="})
    public static final class Set extends RemoteCommand {
        @Parameters(index = "0", paramLabel = "PROFILE", description = "Its id, or a word of its command or model.")
        private String profile;

        @Parameters(index = "1..*", arity = "1..*", paramLabel = "KEY=VALUE", description = "As show lists them.")
        private List<String> corrections;

        public Set(Invocation invocation) {
            super(invocation);
        }

        @Override
        int run(DaemonClient api) {
            JsonNode found = ProfileTables.find(api, profile);
            ObjectNode entry = ProfileTables.requestEntry(found);
            ObjectNode values = entry.withObjectProperty("values");
            for (JsonNode figure : found.path("metrics")) {
                if (JobText.text(figure, "source").equals("declared")) {
                    values.put(
                            JobText.text(figure, "metric"), figure.path("value").asLong());
                }
            }
            for (String correction : corrections) {
                int equals = correction.indexOf('=');
                String value = correction.substring(equals + 1);
                if (equals < 1 || !value.matches("[0-9]{0,15}")) {
                    throw UserError.invalid("'" + correction + "' must be KEY=NUMBER, such as peakMemoryMib=12000");
                }
                if (value.isEmpty()) {
                    values.remove(correction.substring(0, equals));
                } else {
                    values.put(correction.substring(0, equals), Long.parseLong(value));
                }
            }
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            document.putArray("profiles").add(entry);
            api.put("profiles", document);
            JsonNode updated = ProfileTables.find(api, JobText.text(found, "id"));
            if (!isHumanReadable()) {
                return write(updated);
            }
            printTable(ProfileTables.figures(updated));
            return ExitCode.OK;
        }
    }

    @Command(name = "forget", description = "Delete a profile.")
    public static final class Forget extends RemoteCommand {
        @Parameters(paramLabel = "PROFILE", description = "Its id, or a word of its command or model.")
        private String profile;

        public Forget(Invocation invocation) {
            super(invocation);
        }

        @Override
        int run(DaemonClient api) {
            JsonNode found = ProfileTables.find(api, profile);
            api.delete("profiles/" + JobText.text(found, "id"));
            if (!isHumanReadable()) {
                return write(found);
            }
            printWrapped(
                    "Forgotten: " + JobText.text(found, "command") + " on " + JobText.text(found, "gpuType") + ".");
            return ExitCode.OK;
        }
    }
}
