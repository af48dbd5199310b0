package dev.fermata.app.cli.daemon;

import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code fermata drain} and {@code undrain}: whether anything more starts on a node. */
abstract class Drain extends EachName {
    @Parameters(arity = "1..*", paramLabel = "NODE", description = "Names of nodes, see fermata nodes.")
    private List<String> nodes;

    private final String action;
    private final String sentence;

    private Drain(Surroundings surroundings, String action, String sentence) {
        super(surroundings, "name of a node (see fermata nodes)");
        this.action = action;
        this.sentence = sentence;
    }

    @Override
    final List<String> names() {
        return nodes;
    }

    @Override
    final String act(Door door, String node) {
        door.post("nodes/" + node + "/" + action);
        return String.format(sentence, node, node);
    }

    @Command(
            name = "drain",
            description = "Start nothing more on nodes; what runs there goes on.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            footer = {"", "Example:", "  fermata drain gpu-07"})
    static final class On extends Drain {
        On(Surroundings surroundings) {
            super(surroundings, "drain", "Node %s is drained: nothing more starts there. Undo: fermata undrain %s");
        }
    }

    @Command(
            name = "undrain",
            description = "Let drained nodes take jobs again.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            footer = {"", "Example:", "  fermata undrain gpu-07"})
    static final class Off extends Drain {
        Off(Surroundings surroundings) {
            super(surroundings, "undrain", "Node %s takes jobs again.");
        }
    }
}
