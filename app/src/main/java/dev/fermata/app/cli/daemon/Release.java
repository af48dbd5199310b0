package dev.fermata.app.cli.daemon;

import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import picocli.CommandLine.Command;

/** {@code fermata release}: jobs that need wait no longer. */
@Command(
        name = "release",
        description = "Let jobs on hold start again.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata release 12", "  fermata release 12 13 14"})
final class Release extends EachJob {
    Release(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    String act(Door door, long job) {
        door.post(JobId.path(job) + "/release");
        return "Job " + job + " is released. Why it waits: fermata explain " + job;
    }
}
