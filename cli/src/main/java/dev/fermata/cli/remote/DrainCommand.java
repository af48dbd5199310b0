package dev.fermata.cli.remote;

import dev.fermata.cli.client.ApiQuery;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata drain} and {@code undrain}: whether jobs may start on a node. */
public abstract class DrainCommand extends MultiNameCommand {
    @Parameters(arity = "1..*", paramLabel = "NODE", description = "Names of nodes, see fermata nodes.")
    private List<String> nodes;

    private final String action;
    private final String confirmation;

    private DrainCommand(Invocation invocation, String action, String sentence) {
        super(invocation, "name of a node (see fermata nodes)");
        this.action = action;
        this.confirmation = sentence;
    }

    /** Why, for other people; empty for none. */
    String reason() {
        return "";
    }

    @Override
    final List<String> names() {
        return nodes;
    }

    @Override
    final String act(DaemonClient api, String node) {
        api.post(ApiQuery.to("nodes/" + node + "/" + action)
                .and("reason", reason())
                .toString());
        return String.format(confirmation, node, node);
    }

    @Command(
            name = "drain",
            description = "Start no more jobs on nodes; running jobs continue.",
            footer = {"", "Example:", "  fermata drain gpu-07 --reason \"fan is loud\""})
    public static final class DrainNodes extends DrainCommand {
        @Option(names = "--reason", paramLabel = "TEXT", defaultValue = "", description = "Why, for other people.")
        private String reason;

        public DrainNodes(Invocation invocation) {
            super(invocation, "drain", "Node %s is drained: nothing more starts there. Undo: fermata undrain %s");
        }

        @Override
        String reason() {
            return reason;
        }
    }

    @Command(
            name = "undrain",
            description = "Let drained nodes take jobs again.",
            footer = {"", "Example:", "  fermata undrain gpu-07"})
    public static final class UndrainNodes extends DrainCommand {
        public UndrainNodes(Invocation invocation) {
            super(invocation, "undrain", "Node %s takes jobs again.");
        }
    }
}
