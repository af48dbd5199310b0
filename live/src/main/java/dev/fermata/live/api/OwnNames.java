package dev.fermata.live.api;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Under which names this daemon lets itself be called. A web page that somebody opens can make the browser call any address, and can make its own
 * name point here (DNS rebinding); it cannot make the browser lie about the name and the page it came from.
 */
final class OwnNames {
    private static final Set<String> EVERYWHERE = Set.of("0.0.0.0", "::", "[::]", "*");

    private final Set<String> hosts = new HashSet<>(Set.of("127.0.0.1", "localhost", "[::1]"));
    private final String scheme;

    OwnNames(String bind, List<String> more, boolean tls) {
        if (!EVERYWHERE.contains(bind)) {
            hosts.add(bracketed(bind));
        }
        more.forEach(name -> hosts.add(bracketed(name)));
        scheme = tls ? "https" : "http";
    }

    /** @param localAddress where the request arrived: an address is no name, so nobody can make it point elsewhere */
    void check(
            @Nullable String host, @Nullable String origin, @Nullable String fetchSite, String localAddress, int port) {
        if (host == null || !ours(hostOf(host), localAddress)) {
            throw Refused.wrongHost("Host (" + Call.plain(host)
                    + ") is not a name of this daemon; further names can be allowed in its settings");
        }
        if (origin != null && !sameOrigin(origin, localAddress, port)) {
            throw Refused.forbidden(
                    "requests of web pages from elsewhere (" + Call.plain(origin) + ") are not answered");
        }
        if (fetchSite != null && fetchSite.equalsIgnoreCase("cross-site")) {
            throw Refused.forbidden("requests of web pages from elsewhere are not answered");
        }
    }

    private boolean sameOrigin(String origin, String localAddress, int port) {
        try {
            URI uri = new URI(origin);
            int implied = scheme.equals("https") ? 443 : 80;
            return scheme.equals(uri.getScheme())
                    && uri.getHost() != null
                    && ours(uri.getHost(), localAddress)
                    && (uri.getPort() < 0 ? implied : uri.getPort()) == port;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private boolean ours(String host, String localAddress) {
        String name = host.toLowerCase(Locale.ROOT);
        return hosts.contains(name) || name.equals(bracketed(localAddress));
    }

    private static String hostOf(String header) {
        int colon = header.lastIndexOf(':');
        boolean port = colon > 0
                && colon > header.lastIndexOf(']')
                && header.substring(colon + 1).matches("[0-9]{1,5}");
        return port ? header.substring(0, colon) : header;
    }

    private static String bracketed(String address) {
        String name = address.toLowerCase(Locale.ROOT);
        return name.contains(":") && !name.startsWith("[") ? "[" + name + "]" : name;
    }
}
