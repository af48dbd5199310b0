package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata profile}: what the daemon has measured of each kind of job. */
@Command(
        name = "profile",
        description = "What the daemon has measured of each kind of job: run a profile, list, export, import, correct."
                + " (fermata profiles, with an s, is the simulator's catalogue of models.)",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "A kind is a command and model on a type and number of GPUs; KIND is its id, or a word of its command.",
            "",
            "Examples:",
            "  fermata profile run --steps 20 -- python train.py",
            "  fermata profile ls",
            "  fermata profile set 1f0c9a peakMemoryMib=12000",
            "  fermata profile export profiles.yaml"
        })
public final class ProfileCommand implements Runnable {
    private static final ObjectMapper YAML = new YAMLMapper();

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    @Command(
            name = "ls",
            description = "List all kinds of jobs of which something is known.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class)
    static final class Ls extends Verb {
        Ls(Surroundings surroundings) {
            super(surroundings);
        }

        @Override
        int run(Door door) {
            List<JsonNode> kinds = door.all("profiles");
            if (!forPeople()) {
                return write(kinds);
            }
            if (kinds.isEmpty()) {
                say(
                        "Nothing was measured yet. Every job that ends teaches something; or: fermata profile run -- COMMAND");
                return ExitCode.FINE;
            }
            show(KnownKinds.table(kinds));
            return ExitCode.FINE;
        }
    }

    @Command(
            name = "show",
            description = "Show everything that is known of one kind, and where it comes from.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class)
    static final class Show extends Verb {
        @Parameters(paramLabel = "KIND", description = "Its id, or a word of its command or model.")
        private String kind;

        Show(Surroundings surroundings) {
            super(surroundings);
        }

        @Override
        int run(Door door) {
            JsonNode found = KnownKinds.find(door, kind);
            if (!forPeople()) {
                return write(found);
            }
            show(KnownKinds.table(List.of(found)));
            out().println();
            show(KnownKinds.figures(found));
            if (!found.path("beside").isEmpty()) {
                out().println();
                show(KnownKinds.neighbours(found));
            }
            return ExitCode.FINE;
        }
    }

    @Command(
            name = "export",
            description =
                    "Write what is known of all kinds as YAML; as peak memory what is promised, which is a little more.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class)
    static final class Export extends Verb {
        @Parameters(arity = "0..1", paramLabel = "FILE", description = "Where to (default: standard output).")
        private @Nullable String file;

        Export(Surroundings surroundings) {
            super(surroundings);
        }

        @Override
        int run(Door door) {
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            ArrayNode profiles = document.putArray("profiles");
            for (JsonNode kind : door.all("profiles")) {
                ObjectNode entry = KnownKinds.entry(kind);
                kind.path("figures")
                        .forEach(figure -> entry.withObjectProperty("values")
                                .put(JobView.text(figure, "figure"), KnownKinds.worth(kind, figure)));
                profiles.add(entry);
            }
            try {
                if (file == null) {
                    out().print(YAML.writeValueAsString(document));
                    out().flush();
                    return ExitCode.FINE;
                }
                try (WholeFile whole = WholeFile.open(file)) {
                    whole.writer().write(YAML.writeValueAsString(document));
                    whole.commit();
                }
            } catch (IOException e) {
                throw Complaint.invalid(file + " cannot be written: " + e.getMessage());
            }
            say(Humane.amount(profiles.size(), "profile") + " written to " + file + ".");
            return ExitCode.FINE;
        }
    }

    @Command(
            name = "import",
            description = "Take over what a file says (as export writes it). It counts before what is measured here.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class)
    static final class Import extends Verb {
        @Parameters(paramLabel = "FILE", description = "YAML or JSON.")
        private Path file;

        Import(Surroundings surroundings) {
            super(surroundings);
        }

        @Override
        int run(Door door) {
            Path path = surroundings.folder().resolve(file);
            JsonNode document;
            try {
                document = YAML.readTree(Files.readString(path));
            } catch (NoSuchFileException e) {
                throw Complaint.invalid("there is no file " + file);
            } catch (IOException e) {
                throw Complaint.invalid(file + " cannot be read as YAML: " + e.getMessage());
            }
            if (document == null || !document.path("profiles").isArray()) {
                throw Complaint.invalid(
                        file + " has no list of profiles; one that fermata profile export wrote is expected");
            }
            door.put("profiles", document);
            if (!forPeople()) {
                return write(document);
            }
            say(Humane.amount(document.path("profiles").size(), "profile")
                    + " taken over. See them: fermata profile ls");
            return ExitCode.FINE;
        }
    }

    @Command(
            name = "set",
            description = "Correct what is known of a kind; a value of nothing (key=) takes the correction back.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            footer = {"", "Example:", "  fermata profile set 1f0c9a peakMemoryMib=12000 busyPermille=400 pauseMillis="})
    static final class Set extends Verb {
        @Parameters(index = "0", paramLabel = "KIND", description = "Its id, or a word of its command or model.")
        private String kind;

        @Parameters(index = "1..*", arity = "1..*", paramLabel = "KEY=VALUE", description = "As show lists them.")
        private List<String> corrections;

        Set(Surroundings surroundings) {
            super(surroundings);
        }

        @Override
        int run(Door door) {
            JsonNode found = KnownKinds.find(door, kind);
            ObjectNode entry = KnownKinds.entry(found);
            ObjectNode values = entry.withObjectProperty("values");
            for (JsonNode figure : found.path("figures")) {
                if (JobView.text(figure, "source").equals("said")) {
                    values.put(
                            JobView.text(figure, "figure"), figure.path("value").asLong());
                }
            }
            for (String correction : corrections) {
                int equals = correction.indexOf('=');
                String value = correction.substring(equals + 1);
                if (equals < 1 || !value.matches("[0-9]{0,15}")) {
                    throw Complaint.invalid("'" + correction + "' must be KEY=NUMBER, such as peakMemoryMib=12000");
                }
                if (value.isEmpty()) {
                    values.remove(correction.substring(0, equals));
                } else {
                    values.put(correction.substring(0, equals), Long.parseLong(value));
                }
            }
            ObjectNode document = JsonNodeFactory.instance.objectNode();
            document.putArray("profiles").add(entry);
            door.put("profiles", document);
            JsonNode anew = KnownKinds.find(door, JobView.text(found, "id"));
            if (!forPeople()) {
                return write(anew);
            }
            show(KnownKinds.figures(anew));
            return ExitCode.FINE;
        }
    }

    @Command(
            name = "forget",
            description = "Forget all that is known of a kind.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class)
    static final class Forget extends Verb {
        @Parameters(paramLabel = "KIND", description = "Its id, or a word of its command or model.")
        private String kind;

        Forget(Surroundings surroundings) {
            super(surroundings);
        }

        @Override
        int run(Door door) {
            JsonNode found = KnownKinds.find(door, kind);
            door.delete("profiles/" + JobView.text(found, "id"));
            if (!forPeople()) {
                return write(found);
            }
            say("Forgotten: " + JobView.text(found, "command") + " on " + JobView.text(found, "gpuType") + ".");
            return ExitCode.FINE;
        }
    }
}
