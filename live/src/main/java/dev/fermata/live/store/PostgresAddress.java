package dev.fermata.live.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.Map;
import java.util.Properties;

/**
 * The address and login of a PostgreSQL server.
 *
 * @param displayUrl for messages: {@code postgresql://host:port/db}, with neither user nor password nor settings
 * @param url for the driver, without user and password
 * @param properties for the driver: user, password and the settings of the URL
 */
record PostgresAddress(String displayUrl, String url, Properties properties) {
    private static final String EXPECTED =
            "a store is 'sqlite' or 'postgresql://user@host:port/database'; its password may come from FERMATA_STORE_PASSWORD";

    static PostgresAddress parse(String text, Map<String, String> environment) {
        String rest = text.startsWith("jdbc:") ? text.substring("jdbc:".length()) : text;
        int scheme = rest.indexOf("://");
        if (scheme < 0 || !(rest.startsWith("postgresql:") || rest.startsWith("postgres:"))) {
            // The address is not repeated: it may hold a password.
            throw new StoreException("not a known store: " + EXPECTED, false);
        }
        rest = rest.substring(scheme + "://".length());
        Properties properties = new Properties();
        int question = rest.indexOf('?');
        if (question >= 0) {
            for (String pair : rest.substring(question + 1).split("&")) {
                int equals = pair.indexOf('=');
                if (equals > 0) {
                    properties.setProperty(pair.substring(0, equals), decode(pair.substring(equals + 1)));
                }
            }
            rest = rest.substring(0, question);
        }
        int slash = rest.indexOf('/');
        String authority = slash < 0 ? rest : rest.substring(0, slash);
        int at = authority.lastIndexOf('@');
        if (at >= 0) {
            String login = authority.substring(0, at);
            int colon = login.indexOf(':');
            properties.setProperty("user", decode(colon < 0 ? login : login.substring(0, colon)));
            if (colon >= 0) {
                properties.setProperty("password", decode(login.substring(colon + 1)));
            }
            authority = authority.substring(at + 1);
        }
        String database = slash < 0 ? "" : rest.substring(slash + 1);
        if (authority.isEmpty() || database.isEmpty() || database.contains("/")) {
            throw new StoreException(
                    "the store address has no " + (authority.isEmpty() ? "host" : "database") + ": " + EXPECTED, false);
        }
        setDefault(properties, "user", environment, "PGUSER");
        setDefault(properties, "password", environment, "FERMATA_STORE_PASSWORD", "PGPASSWORD");
        String location = "postgresql://" + authority + "/" + database;
        return new PostgresAddress(location, "jdbc:" + location, properties);
    }

    private static void setDefault(
            Properties properties, String name, Map<String, String> environment, String... sources) {
        for (String source : sources) {
            String value = environment.get(source);
            if (value != null && !value.isEmpty() && !properties.containsKey(name)) {
                properties.setProperty(name, value);
            }
        }
    }

    private static String decode(String text) {
        try {
            // In this part of a URL a plus sign is literal.
            return URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
        } catch (IllegalArgumentException e) {
            throw new StoreException(
                    "the store address has a '%' without two hexadecimal digits after it; write %25 for the sign itself",
                    false);
        }
    }

    @Override
    public String toString() {
        return displayUrl;
    }
}
