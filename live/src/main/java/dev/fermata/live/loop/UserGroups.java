package dev.fermata.live.loop;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups of this machine that a user is a member of. The thread of the user's request looks them up, at most once a minute. The
 * scheduler loop only reads what is known: it never waits for a directory service.
 */
public final class UserGroups {
    private static final Logger LOG = LoggerFactory.getLogger(UserGroups.class);
    private static final long KEEP_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MAX_USERS = 10_000;
    private static final int TIMEOUT_SECONDS = 5;

    private record Membership(List<String> groups, long sinceNanos) {}

    private final Function<String, List<String>> lookup;
    private final LongSupplier nanos;
    private final Map<String, Membership> known = new ConcurrentHashMap<>();

    UserGroups(Function<String, List<String>> lookup, LongSupplier nanos) {
        this.lookup = lookup;
        this.nanos = nanos;
    }

    static UserGroups ofThisMachine() {
        return new UserGroups(UserGroups::groupsOf, System::nanoTime);
    }

    /** Looks a user up, unless that was done within a minute. */
    public void load(String user) {
        Membership membership = known.get(user);
        if (membership == null || nanos.getAsLong() - membership.sinceNanos > KEEP_NANOS) {
            if (known.size() >= MAX_USERS) {
                known.clear();
            }
            known.put(user, new Membership(lookup.apply(user), nanos.getAsLong()));
        }
    }

    /** The groups that were found last; none for a user who was never looked up. */
    List<String> of(String user) {
        Membership membership = known.get(user);
        return membership == null ? List.of() : membership.groups;
    }

    private static List<String> groupsOf(String user) {
        if (user.startsWith("-")) {
            return List.of();
        }
        try {
            Process id = new ProcessBuilder("id", "-Gn", user)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            id.getOutputStream().close();
            if (!id.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                id.destroyForcibly();
                LOG.warn("groups of user {}: no answer within {} s", user, TIMEOUT_SECONDS);
                return List.of();
            }
            String text = new String(id.getInputStream().readAllBytes(), UTF_8).strip();
            return id.exitValue() != 0 || text.isEmpty() ? List.of() : List.of(text.split(" "));
        } catch (IOException e) {
            LOG.warn("groups of user {} are unknown: {}", user, e.toString());
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }
}
