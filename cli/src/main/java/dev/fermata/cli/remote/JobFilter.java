package dev.fermata.cli.remote;

import dev.fermata.cli.client.ApiQuery;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that select the jobs of a list. */
final class JobFilter {
    @Option(names = "--user", paramLabel = "NAME", description = "Only jobs of this user.")
    private @Nullable String user;

    @Option(names = "--queue", paramLabel = "PATH", description = "Only jobs of this queue and those below it.")
    private @Nullable String queue;

    @Option(names = "--name", paramLabel = "TEXT", description = "Only jobs with this in their name.")
    private @Nullable String name;

    /** Whether any job is left out by it. */
    boolean isSet() {
        return user != null || queue != null || name != null;
    }

    ApiQuery addTo(ApiQuery query) {
        return query.and("user", text(user)).and("queue", text(queue)).and("name", text(name));
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}
