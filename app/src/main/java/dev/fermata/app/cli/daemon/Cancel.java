package dev.fermata.app.cli.daemon;

import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import picocli.CommandLine.Command;

/** {@code fermata cancel}: jobs that shall end. */
@Command(
        name = "cancel",
        aliases = "kill",
        description = "End jobs for good: waiting ones at once, running ones with everything they started.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata cancel 12", "  fermata cancel 12 13 14"})
final class Cancel extends EachJob {
    Cancel(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    String act(Door door, long job) {
        door.delete(JobId.path(job));
        return "Job " + job + " is cancelled.";
    }
}
