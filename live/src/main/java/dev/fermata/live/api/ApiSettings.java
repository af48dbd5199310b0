package dev.fermata.live.api;

import dev.fermata.live.access.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the HTTP API. {@link #local} has the defaults; the {@code with…} methods change them.
 *
 * @param bind the address to listen at; anything but loopback needs {@code tls}
 * @param port 0 for any free one
 * @param hosts further names under which clients may call this daemon, besides loopback and the bound one
 * @param openMetrics whether {@code /metrics} needs no token
 * @param stuckAfter the scheduler loop counts as stuck when its last cycle is older than this
 * @param localUsers the role of other accounts of this machine at the local socket; null for none
 */
public record ApiSettings(
        String bind,
        int port,
        @Nullable Tls tls,
        List<String> hosts,
        boolean openMetrics,
        Duration stuckAfter,
        Limits limits,
        @Nullable Role localUsers) {

    /** Certificate and key: PEM files, or one PKCS #12 file and its password. */
    public sealed interface Tls {
        record Pem(Path certificate, Path key) implements Tls {}

        record Pkcs12(Path file, String password) implements Tls {
            @Override
            public String toString() {
                return "Pkcs12[" + file + "]";
            }
        }
    }

    /** What clients may use. */
    public record Limits(SizeLimits size, RateLimits rate, ApiTimeouts timeouts) {
        public static final Limits DEFAULT = new Limits(
                new SizeLimits(8 << 20, 10_000, 1000, new MemoryLimits(12 << 20, 32 << 20, 32 << 20)),
                new RateLimits(2000, 30, 1024, 1024),
                new ApiTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(15)));

        public Limits withRate(RateLimits other) {
            return new Limits(size, other, timeouts);
        }

        public Limits withTimeouts(ApiTimeouts other) {
            return new Limits(size, rate, other);
        }
    }

    /**
     * Sizes of requests and responses.
     *
     * @param bodyBytes the largest document
     * @param jobsPerRequest the most jobs of one submission, arrays counted in full
     * @param pageRows the longest page of a list
     * @param memory what requests may hold in memory
     */
    public record SizeLimits(int bodyBytes, int jobsPerRequest, int pageRows, MemoryLimits memory) {}

    /**
     * What requests may hold in memory, in bytes.
     *
     * @param callerBodies bodies of one caller that are being received or handled
     * @param bodies those of all callers
     * @param keptPerRequest what the jobs of one submission have, arrays counted in full
     */
    public record MemoryLimits(long callerBodies, long bodies, long keptPerRequest) {}

    /**
     * Requests per time, and connections at a time.
     *
     * @param requestsPerSecond for one token; for one address, less the requests with a token seen before, it is twice as many
     * @param failuresPerMinute requests with a wrong token from one address
     * @param connections open connections in all; a quarter of them for one token or account
     * @param streams open event streams and logs in all; a quarter of them for one user
     */
    public record RateLimits(double requestsPerSecond, double failuresPerMinute, int connections, int streams) {
        int streamsPerUser() {
            return Math.max(16, streams / 4);
        }

        int connectionsPerCaller() {
            return Math.max(16, connections / 4);
        }
    }

    /**
     * How long the server waits.
     *
     * @param requestTime for a whole request
     * @param idle for traffic on a connection, before it closes the connection
     * @param heartbeat for an event on a stream, before it sends a heartbeat
     */
    public record ApiTimeouts(Duration requestTime, Duration idle, Duration heartbeat) {}

    public ApiSettings {
        hosts = List.copyOf(hosts);
    }

    public static ApiSettings local(int port) {
        return new ApiSettings("127.0.0.1", port, null, List.of(), false, Duration.ofSeconds(30), Limits.DEFAULT, null);
    }

    /** The URL for a client on this machine, at a port that is known. */
    public String url(int actualPort) {
        boolean wildcard = bind.equals("0.0.0.0") || bind.equals("::");
        String host = wildcard ? "127.0.0.1" : bind;
        String shown = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        return (tls == null ? "http://" : "https://") + shown + ":" + actualPort;
    }

    /** Its certificate in PEM form; empty without TLS, or where it is in no file of its own. */
    public String certificate() {
        try {
            return tls instanceof Tls.Pem pem ? Files.readString(pem.certificate()) : "";
        } catch (IOException e) {
            return ""; // the server will say so
        }
    }

    public ApiSettings withBind(String address, @Nullable Tls files) {
        return new ApiSettings(address, port, files, hosts, openMetrics, stuckAfter, limits, localUsers);
    }

    public ApiSettings withHosts(List<String> names) {
        return new ApiSettings(bind, port, tls, names, openMetrics, stuckAfter, limits, localUsers);
    }

    public ApiSettings withOpenMetrics() {
        return new ApiSettings(bind, port, tls, hosts, true, stuckAfter, limits, localUsers);
    }

    public ApiSettings withStuckAfter(Duration age) {
        return new ApiSettings(bind, port, tls, hosts, openMetrics, age, limits, localUsers);
    }

    public ApiSettings withLimits(Limits other) {
        return new ApiSettings(bind, port, tls, hosts, openMetrics, stuckAfter, other, localUsers);
    }

    public ApiSettings withLocalUsers(@Nullable Role role) {
        return new ApiSettings(bind, port, tls, hosts, openMetrics, stuckAfter, limits, role);
    }
}
