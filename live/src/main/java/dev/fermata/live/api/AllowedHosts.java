package dev.fermata.live.api;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the host name and origin of requests. A web page can make a browser call any address, and can point its own name here
 * (DNS rebinding). It cannot make the browser send a false host or origin.
 */
final class AllowedHosts {
    private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::", "[::]", "*");

    private final Set<String> hosts = new HashSet<>(Set.of("127.0.0.1", "localhost", "[::1]"));
    private final String scheme;

    AllowedHosts(String bind, List<String> more, boolean tls) {
        if (!WILDCARDS.contains(bind)) {
            hosts.add(normalize(bind));
        }
        more.forEach(name -> hosts.add(normalize(name)));
        scheme = tls ? "https" : "http";
    }

    /** @param localAddress where the request arrived: unlike a name, an address cannot be rebound; null at a local socket */
    void check(
            @Nullable String host,
            @Nullable String origin,
            @Nullable String fetchSite,
            @Nullable String localAddress,
            int port) {
        if (host == null || !isOwnHost(hostOf(host), localAddress)) {
            throw ApiProblemException.misdirectedRequest("Host (" + ApiCall.sanitize(host)
                    + ") is not a name of this daemon; further names can be allowed in its settings");
        }
        if (origin != null && !sameOrigin(origin, localAddress, port)) {
            throw ApiProblemException.forbidden(
                    "requests from web pages of another origin (" + ApiCall.sanitize(origin) + ") are not answered");
        }
        if (fetchSite != null && fetchSite.equalsIgnoreCase("cross-site")) {
            throw ApiProblemException.forbidden("requests from web pages of another origin are not answered");
        }
    }

    private boolean sameOrigin(String origin, @Nullable String localAddress, int port) {
        try {
            URI uri = new URI(origin);
            int implied = scheme.equals("https") ? 443 : 80;
            return scheme.equals(uri.getScheme())
                    && uri.getHost() != null
                    && isOwnHost(uri.getHost(), localAddress)
                    && (uri.getPort() < 0 ? implied : uri.getPort()) == port;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private boolean isOwnHost(String host, @Nullable String localAddress) {
        String name = host.toLowerCase(Locale.ROOT);
        return hosts.contains(name) || (localAddress != null && name.equals(normalize(localAddress)));
    }

    private static String hostOf(String header) {
        int colon = header.lastIndexOf(':');
        boolean port = colon > 0
                && colon > header.lastIndexOf(']')
                && header.substring(colon + 1).matches("[0-9]{1,5}");
        return port ? header.substring(0, colon) : header;
    }

    private static String normalize(String address) {
        String name = address.toLowerCase(Locale.ROOT);
        return name.contains(":") && !name.startsWith("[") ? "[" + name + "]" : name;
    }
}
