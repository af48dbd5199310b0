package dev.fermata.live.api.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was rejected, by RFC 9457.
 *
 * @param type a URN that names the type of problem
 * @param errors each mistake in a document, with its path; absent for a single problem
 */
public record ProblemDetails(
        String type,
        String title,
        int status,
        String detail,
        @Nullable List<FieldError> errors) {
    /** One mistake. */
    public record FieldError(String path, String message) {}
}
