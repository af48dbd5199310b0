package dev.fermata.live.engine;

import java.util.List;
import java.util.stream.Stream;

/**
 * The attempts that the daemon believes to be at the engine. All others found there are killed.
 *
 * @param accepted attempts that the engine accepted: it reports their state
 * @param unconfirmed attempts whose start order may or may not have reached the engine; the order follows
 * @param suspended attempts that ended when their processes were suspended
 */
public record ExpectedAttempts(List<Launch> accepted, List<Launch> unconfirmed, List<Launch> suspended) {
    public static final ExpectedAttempts NONE = new ExpectedAttempts(List.of(), List.of());

    /** None is suspended. */
    public ExpectedAttempts(List<Launch> accepted, List<Launch> unconfirmed) {
        this(accepted, unconfirmed, List.of());
    }

    public ExpectedAttempts {
        suspended = List.copyOf(suspended);
        accepted = List.copyOf(accepted);
        unconfirmed = List.copyOf(unconfirmed);
    }

    /** These, all accepted. */
    public static ExpectedAttempts accepted(List<Launch> attempts) {
        return new ExpectedAttempts(attempts, List.of());
    }

    public Stream<Launch> all() {
        return Stream.of(accepted, unconfirmed, suspended).flatMap(List::stream);
    }
}
