package dev.fermata.cli.client;

import java.net.URI;

/**
 * The address of the daemon and the user's token.
 *
 * @param token empty for none
 * @param certificate the only certificate to trust, as PEM; empty for those that Java trusts
 * @param explicit whether the user named this address; otherwise it was found, or is the default
 */
public record DaemonAddress(URI url, String token, String certificate, boolean explicit) {

    public static final String DEFAULT_URL = "http://127.0.0.1:7070";

    @Override
    public String toString() {
        return url.toString();
    }
}
