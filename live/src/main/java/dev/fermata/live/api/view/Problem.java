package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was not granted, as RFC 9457 has it.
 *
 * @param type an address that names the kind of problem
 * @param errors each mistake in a document, with the place where it stands; absent when there is only one thing to say
 */
public record Problem(
        String type,
        String title,
        int status,
        String detail,
        @Nullable List<Mistake> errors) {
    /** One mistake. */
    public record Mistake(String path, String message) {}
}
