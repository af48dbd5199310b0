package dev.fermata.live.api;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the door is set. {@link #local} has the defaults; whoever wants other ones says so with the {@code with…} methods.
 *
 * @param bind the address to listen at; anything but loopback needs {@code tls}
 * @param port 0 for any free one
 * @param hosts further names under which clients may call this daemon, besides loopback and the bound one
 * @param openMetrics whether {@code /metrics} needs no token
 * @param stuckAfter the conductor counts as stuck when its last cycle is older than this
 */
public record ApiSettings(
        String bind,
        int port,
        @Nullable Tls tls,
        List<String> hosts,
        boolean openMetrics,
        Duration stuckAfter,
        Limits limits) {

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

    /**
     * What one client may take.
     *
     * @param bodyBytes the largest document
     * @param jobsPerRequest the most jobs of one submission, arrays counted in full
     * @param pageRows the longest page of a list
     * @param requestsPerSecond for one token; for one address it is twice as many
     * @param failuresPerMinute attempts with a wrong token from one address
     * @param connections open at once in all
     * @param streams open event streams and logs in all
     * @param requestTime a request must have arrived whole after this time
     * @param idle a connection on which nothing happens is closed after this time
     * @param heartbeat a stream on which nothing happens says so this often
     */
    public record Limits(
            int bodyBytes,
            int jobsPerRequest,
            int pageRows,
            double requestsPerSecond,
            double failuresPerMinute,
            int connections,
            int streams,
            Duration requestTime,
            Duration idle,
            Duration heartbeat) {
        public static final Limits DEFAULT = new Limits(
                8 << 20,
                10_000,
                1000,
                2000,
                30,
                1024,
                256,
                Duration.ofSeconds(20),
                Duration.ofSeconds(60),
                Duration.ofSeconds(15));
    }

    public ApiSettings {
        hosts = List.copyOf(hosts);
    }

    public static ApiSettings local(int port) {
        return new ApiSettings("127.0.0.1", port, null, List.of(), false, Duration.ofSeconds(30), Limits.DEFAULT);
    }

    public ApiSettings withBind(String address, @Nullable Tls files) {
        return new ApiSettings(address, port, files, hosts, openMetrics, stuckAfter, limits);
    }

    public ApiSettings withHosts(List<String> names) {
        return new ApiSettings(bind, port, tls, names, openMetrics, stuckAfter, limits);
    }

    public ApiSettings withOpenMetrics() {
        return new ApiSettings(bind, port, tls, hosts, true, stuckAfter, limits);
    }

    public ApiSettings withStuckAfter(Duration age) {
        return new ApiSettings(bind, port, tls, hosts, openMetrics, age, limits);
    }

    public ApiSettings withLimits(Limits other) {
        return new ApiSettings(bind, port, tls, hosts, openMetrics, stuckAfter, other);
    }
}
