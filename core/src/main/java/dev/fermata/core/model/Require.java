package dev.fermata.core.model;

import java.util.Locale;

/** Fail-fast checks whose messages name the thing, its value and the rule. */
final class Require {
    private Require() {}

    static void that(boolean rule, String message, Object... values) {
        if (!rule) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, message, values));
        }
    }
}
