package dev.fermata.app.cli.daemon;

import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import picocli.CommandLine.Command;

/** {@code fermata hold}: jobs that shall wait. */
@Command(
        name = "hold",
        description = "Keep jobs from starting until they are released. What runs goes on.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata hold 12", "  fermata hold 12 13 14"})
final class Hold extends EachJob {
    Hold(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    String act(Door door, long job) {
        door.post(JobId.path(job) + "/hold");
        return "Job " + job + " is on hold. Let it go: fermata release " + job;
    }
}
