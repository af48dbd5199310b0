package dev.fermata.live.api;

import io.javalin.http.Context;
import java.util.Optional;

/**
 * The two halves of a session in a request. Cookies know no port, so each port has a cookie name of its own; with TLS a prefix
 * forbids other hosts to set it.
 */
final class SessionCookies {
    static final String KEY = "Fermata-Key";

    private SessionCookies() {}

    static Optional<String> cookie(Context http) {
        return Optional.ofNullable(http.cookie(name(http)));
    }

    static Optional<String> key(Context http) {
        return Optional.ofNullable(http.header(KEY));
    }

    /** The header that hands a browser its half. */
    static String setCookie(Context http, String value) {
        return name(http) + "=" + value + attributes(http);
    }

    /** The header that makes a browser forget it. */
    static String removeCookie(Context http) {
        return name(http) + "=" + attributes(http) + "; Max-Age=0";
    }

    private static String attributes(Context http) {
        return "; Path=/; HttpOnly; SameSite=Strict" + (http.req().isSecure() ? "; Secure" : "");
    }

    private static String name(Context http) {
        return (http.req().isSecure() ? "__Host-" : "") + "fermata-"
                + http.req().getLocalPort();
    }
}
