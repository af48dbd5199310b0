package dev.fermata.live.engine;

import java.util.List;
import java.util.stream.Stream;

/**
 * The attempts that the daemon believes to be at the engine. All others found there are killed.
 *
 * @param accepted attempts that the engine accepted: it reports their state
 * @param unconfirmed attempts whose start order may or may not have reached the engine; the order follows
 */
public record ExpectedAttempts(List<Launch> accepted, List<Launch> unconfirmed) {
    public static final ExpectedAttempts NONE = new ExpectedAttempts(List.of(), List.of());

    public ExpectedAttempts {
        accepted = List.copyOf(accepted);
        unconfirmed = List.copyOf(unconfirmed);
    }

    /** These, all accepted. */
    public static ExpectedAttempts accepted(List<Launch> attempts) {
        return new ExpectedAttempts(attempts, List.of());
    }

    public Stream<Launch> all() {
        return Stream.concat(accepted.stream(), unconfirmed.stream());
    }
}
