package dev.fermata.bench.torture;

import java.util.function.Supplier;

/** A law does not hold: the run of this seed ends. An error, so that no caller on the way takes it for a failed call. */
final class BrokenLaw extends Error {
    private static final long serialVersionUID = 1;

    final String law;

    BrokenLaw(String law, String details) {
        super(details);
        this.law = law;
    }

    /** @param details made only where the law is broken */
    static void require(boolean holds, String law, Supplier<?> details) {
        if (!holds) {
            throw new BrokenLaw(law, String.valueOf(details.get()));
        }
    }
}
