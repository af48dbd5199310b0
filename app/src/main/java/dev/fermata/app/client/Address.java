package dev.fermata.app.client;

import java.net.URI;

/**
 * Where the daemon is and who one is there.
 *
 * @param token empty for none
 * @param certificate the only certificate to trust, as PEM; empty for those that Java trusts
 * @param asked whether somebody named this address; otherwise it was found, or is the default
 */
public record Address(URI url, String token, String certificate, boolean asked) {

    public static final String DEFAULT_URL = "http://127.0.0.1:7070";

    @Override
    public String toString() {
        return url.toString();
    }
}
