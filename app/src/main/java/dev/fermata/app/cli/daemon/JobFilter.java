package dev.fermata.app.cli.daemon;

import dev.fermata.app.client.Query;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which jobs a list is about. */
final class JobFilter {
    @Option(names = "--user", paramLabel = "NAME", description = "Only jobs of this user.")
    private @Nullable String user;

    @Option(names = "--queue", paramLabel = "PATH", description = "Only jobs of this queue and those below it.")
    private @Nullable String queue;

    @Option(names = "--name", paramLabel = "TEXT", description = "Only jobs with this in their name.")
    private @Nullable String name;

    /** Whether any job is left out by it. */
    boolean given() {
        return user != null || queue != null || name != null;
    }

    Query in(Query query) {
        return query.and("user", text(user)).and("queue", text(queue)).and("name", text(name));
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}
