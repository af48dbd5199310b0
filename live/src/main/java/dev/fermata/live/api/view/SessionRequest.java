package dev.fermata.live.api.view;

import org.jspecify.annotations.Nullable;

/** What opens a session of the web page: a token, or a one-time code of {@code fermata web}. */
public record SessionRequest(
        @Nullable String token, @Nullable String code) {
    /** Never the secrets. */
    @Override
    public String toString() {
        return "SessionRequest";
    }
}
