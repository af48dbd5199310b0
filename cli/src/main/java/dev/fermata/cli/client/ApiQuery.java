package dev.fermata.cli.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** An API path with query parameters, encoded. Leaves out parameters with an empty value. */
public final class ApiQuery {
    private final StringBuilder text;

    private ApiQuery(String path) {
        this.text = new StringBuilder(path);
    }

    public static ApiQuery to(String path) {
        return new ApiQuery(path);
    }

    /** A part of a path, encoded. */
    public static String segment(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    public ApiQuery and(String name, String value) {
        if (!value.isEmpty()) {
            text.append(text.indexOf("?") < 0 ? '?' : '&')
                    .append(name)
                    .append('=')
                    .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
        }
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
