package dev.fermata.cli.client;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The address of the daemon and the user's token.
 *
 * @param url its HTTP address
 * @param socket its Unix socket, which is used instead of the HTTP address; null for none
 * @param token empty for none
 * @param certificate the only certificate to trust, as PEM; empty for those that Java trusts
 * @param explicit whether the user named this address; otherwise it was found, or is the default
 */
public record DaemonAddress(URI url, @Nullable Path socket, String token, String certificate, boolean explicit) {

    public static final String DEFAULT_URL = "http://127.0.0.1:7070";
    static final String SOCKET_SCHEME = "unix:";

    /** A daemon at this HTTP address. */
    public static DaemonAddress at(URI url, String token, String certificate, boolean explicit) {
        return new DaemonAddress(url, null, token, certificate, explicit);
    }

    /** A daemon at this Unix socket. */
    public static DaemonAddress at(Path socket, String token, boolean explicit) {
        return new DaemonAddress(URI.create("http://localhost"), socket, token, "", explicit);
    }

    @Override
    public String toString() {
        return socket == null ? url.toString() : SOCKET_SCHEME + socket;
    }
}
