package dev.fermata.app.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** A path with its questions, each quoted as addresses need it; those with an empty value are left out. */
public final class Query {
    private final StringBuilder text;

    private Query(String path) {
        this.text = new StringBuilder(path);
    }

    public static Query to(String path) {
        return new Query(path);
    }

    public Query and(String name, String value) {
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
