package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.access.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ten thousand requests of all routes, each broken somewhere: every one is answered or hung up on, and none is an error of the daemon. */
class MalformedRequestsTest {
    private static final Logger LOG = LoggerFactory.getLogger(MalformedRequestsTest.class);
    private static final int REQUESTS = 10_000;
    private static final int CLIENTS = 4;
    private static final long SEED = 20;
    private static final int ANSWER_MILLIS = 60_000;
    private static final long MOST_GROWTH = 96L << 20;
    private static final Pattern STATUS = Pattern.compile("^HTTP/1\\.[01] (\\d{3}) ");
    private static final Pattern OF_THE_PROGRAM =
            Pattern.compile("\\tat |\\.java:\\d+|Exception\\b|dev\\.fermata\\.live|org\\.eclipse|io\\.javalin");

    private static final List<String> BODIES = List.of(
            "{\"run\":\"true\",\"hold\":true}",
            "{\"jobs\":[{\"run\":\"true\",\"hold\":true,\"gpus\":{\"min\":1,\"max\":2}}]}",
            "{\"run\":\"true\",\"hold\":true,\"array\":\"0-3%2\",\"after\":[1,\"2:any\"],\"env\":{\"A\":\"1\"},\"limit\":\"1h\","
                    + "\"preempt\":{\"grace\":\"2m\",\"maxTimes\":3,\"onPreempt\":\"hold\"},\"checkpoint\":{\"signal\":\"USR1\"},"
                    + "\"progress\":{\"pattern\":\"(\\\\d+)\",\"total\":7},\"locality\":{\"scope\":\"rack\",\"wait\":\"1m\"}}",
            "{\"priority\":-1,\"limit\":\"2h\",\"queue\":\"a/b\"}",
            "{\"queues\":[{\"path\":\"a/b\",\"guarantee\":1,\"limit\":2,\"weight\":1.5,\"users\":[\"ann\"]}]}",
            "{\"profiles\":[{\"command\":\"train.py\",\"gpuType\":\"V100\",\"gpus\":1,\"stepMillis\":100}]}",
            "{\"user\":\"ann\",\"role\":\"viewer\",\"expires\":\"1h\"}",
            "{\"token\":\"fm_x\"}",
            "{\"reports\":[{\"type\":\"step\",\"step\":1,\"total\":10,\"at\":1763232000000}]}");

    /** What stands where something else was expected. */
    private static final List<String> ODD = List.of(
            "null",
            "NaN",
            "-0",
            "1e400",
            "1e-400",
            "9223372036854775808",
            "-9223372036854775809",
            "0.1",
            "\"\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "\"\\u202e\"",
            "[]",
            "{}",
            "[null]",
            "[[[[]]]]",
            "{\"a\":{\"a\":{}}}",
            "true",
            "\"none\"",
            "\"-1s\"",
            "\"99999999999999999d\"",
            "\"0-999999999\"",
            "\"../../..\"",
            "\"%00\"",
            "\"'; DROP TABLE job; --\"",
            "\"" + "x".repeat(5_000) + "\"",
            "[".repeat(40) + "]".repeat(40),
            "\ufeff",
            "\u00ff\u00fe",
            "'",
            "//",
            "0x10");

    private static final List<String> ODD_PARTS = List.of(
            "%2f",
            "%2e%2e",
            "%00",
            "%",
            "%zz",
            "//",
            "/../",
            "?a=b",
            "#x",
            " ",
            "\\",
            "\u0000",
            "\u00e9",
            "-1",
            "0",
            "18446744073709551616",
            "1.1",
            "*",
            "&",
            "=",
            ";",
            "limit=",
            "cursor=99999999999999999999",
            "since=9999999999",
            "~",
            "\"",
            "<script>",
            "\t");

    private static final List<String> ODD_HEADERS = List.of(
            "Content-Length: -1",
            "Content-Length: 99999999999999999999",
            "Content-Length: 1, 2",
            "Transfer-Encoding: chunked",
            "Transfer-Encoding: gzip, chunked",
            "Expect: 100-continue",
            "Host: evil.example",
            "Host:",
            "Origin: null",
            "Authorization: Bearer",
            "Authorization: Basic YTpi",
            "Authorization: Bearer \u00e9",
            "Cookie: a=\"; b",
            "Range: bytes=0-",
            "Accept: text/event-stream",
            "Accept: \u0000",
            "Last-Event-ID: -1",
            "Last-Event-ID: x",
            "Content-Type: text/plain",
            "Content-Type: application/json; charset=utf-16",
            "Content-Encoding: gzip",
            "If-None-Match: *",
            "Upgrade: h2c",
            "Connection: upgrade",
            "X: " + "y".repeat(9_000),
            ": empty",
            "No-Colon",
            " folded",
            "Idempotency-Key: " + "k".repeat(500));

    @Test
    void noneIsAnErrorOfTheDaemonAndTheMemoryStaysFlat(@TempDir Path folder) throws Exception {
        ApiSettings.Limits limits = ApiSettings.Limits.DEFAULT;
        ApiSettings free = ApiSettings.local(0)
                .withLimits(limits.withRate(new ApiSettings.RateLimits(
                        1e9, 1e9, limits.rate().connections(), limits.rate().streams())));
        try (LogRecorder log = new LogRecorder();
                ApiFixture fixture = new ApiFixture(folder, free)) {
            long before = usedAfterCollection();
            ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
            List<Callable<Map<Integer, Integer>>> shares = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                Random random = new Random(SEED + client);
                shares.add(() -> send(fixture, random));
            }
            Map<Integer, Integer> statuses = new TreeMap<>();
            try {
                for (Future<Map<Integer, Integer>> share : clients.invokeAll(shares)) {
                    share.get().forEach((status, count) -> statuses.merge(status, count, Integer::sum));
                }
            } finally {
                clients.shutdownNow();
            }
            long grown = usedAfterCollection() - before;
            LOG.info("statuses of {} malformed requests: {}; memory grew by {} KiB", REQUESTS, statuses, grown >> 10);
            assertThat(statuses.values().stream().mapToInt(count -> count).sum())
                    .isEqualTo(REQUESTS);
            assertThat(statuses.keySet()).as("refused as they should be").contains(400, 404, 405, 415);
            assertThat(log.loggers().stream().filter(name -> name.startsWith("org.")))
                    .as("libraries that log them: DaemonLog silences these two")
                    .isSubsetOf("org.eclipse.jetty.http.HttpParser", "org.eclipse.jetty.util.HostPort");
            assertThat(grown).isLessThan(MOST_GROWTH);
            assertThat(fixture.get(null, "/healthz").status()).isEqualTo(200);
        }
    }

    /** Status 0 is a connection that was closed without an answer. */
    private static Map<Integer, Integer> send(ApiFixture fixture, Random random) throws IOException {
        Map<Integer, Integer> statuses = new TreeMap<>();
        List<String> tokens =
                List.of(fixture.token(Role.ADMIN), fixture.token(Role.ADMIN), fixture.token(Role.USER), "fm_x");
        for (int i = 0; i < REQUESTS / CLIENTS; i++) {
            String request = request(fixture, random, pick(tokens, random));
            String answer = answer(fixture.server.port(), request);
            Matcher status = STATUS.matcher(answer);
            int code = status.find() ? Integer.parseInt(status.group(1)) : 0;
            assertThat(answer.isEmpty() || code > 0).as(request + "\n" + answer).isTrue();
            assertThat(code).as(request + "\n" + answer).isNotEqualTo(500);
            assertThat(OF_THE_PROGRAM.matcher(answer).find())
                    .as(request + "\n" + answer)
                    .isFalse();
            statuses.merge(code, 1, Integer::sum);
        }
        return statuses;
    }

    private static String request(ApiFixture fixture, Random random, String token) {
        Endpoint endpoint = pick(fixture.server.endpoints(), random);
        String verb = random.nextInt(8) == 0
                ? pick(List.of("OPTIONS", "TRACE", "FOO", "get", "", "POST"), random)
                : endpoint.verb().name();
        String path = endpoint.path().replaceAll("\\{[a-z]+}", Integer.toString(random.nextInt(5)));
        for (Endpoint.EndpointParameter parameter : endpoint.parameters()) {
            if (parameter.in().equals("query") && !parameter.name().equals("follow") && random.nextInt(3) == 0) {
                path += (path.contains("?") ? "&" : "?") + parameter.name() + "="
                        + pick(List.of("1", "true", "x"), random);
            }
        }
        String body = endpoint.body().isPresent() || random.nextInt(6) == 0 ? pick(BODIES, random) : "";
        StringBuilder headers =
                new StringBuilder("Host: localhost\r\nConnection: close\r\nAuthorization: Bearer " + token + "\r\n");
        int where = random.nextInt(4);
        if (where == 0) {
            int at = random.nextInt(path.length() + 1);
            path = path.substring(0, at) + pick(ODD_PARTS, random) + path.substring(at);
        } else if (where == 1 || (where == 2 && body.isEmpty())) {
            headers.append(pick(ODD_HEADERS, random)).append("\r\n");
        } else if (where == 2) {
            body = damaged(body, random);
        }
        if (!body.isEmpty()) {
            headers.append("Content-Type: application/json\r\nContent-Length: ")
                    .append(body.length())
                    .append("\r\n");
        }
        String request = verb + " " + path + " HTTP/1.1\r\n" + headers + "\r\n" + body;
        if (where == 3) { // anywhere
            int at = random.nextInt(request.length());
            int length = Math.min(request.length() - at, 1 + random.nextInt(20));
            String put = random.nextBoolean()
                    ? ""
                    : request.substring(random.nextInt(at + 1), at) + (char) random.nextInt(256);
            request = request.substring(0, at) + put + request.substring(at + length);
        }
        return request;
    }

    /** One value of the document replaced, doubled or cut off. */
    private static String damaged(String body, Random random) {
        Matcher values = Pattern.compile("(?<=[:\\[,])(\"[^\"]*\"|-?[0-9.]+|true|\\{[^{}]*}|\\[[^\\[\\]]*])")
                .matcher(body);
        List<int[]> spans = new ArrayList<>();
        while (values.find()) {
            spans.add(new int[] {values.start(), values.end()});
        }
        int[] span = pick(spans, random);
        String before = body.substring(0, span[0]);
        String value = body.substring(span[0], span[1]);
        String after = body.substring(span[1]);
        return switch (random.nextInt(4)) {
            case 0 -> before + value;
            case 1 -> before + value + "," + value + after;
            default -> before + pick(ODD, random) + after;
        };
    }

    private static String answer(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(ANSWER_MILLIS);
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            socket.shutdownOutput();
            StringBuilder all = new StringBuilder();
            byte[] buffer = new byte[8192];
            for (int read = socket.getInputStream().read(buffer);
                    read >= 0;
                    read = socket.getInputStream().read(buffer)) {
                all.append(new String(buffer, 0, read, ISO_8859_1));
                if (all.indexOf("text/event-stream") >= 0 && all.indexOf("\r\n\r\n") >= 0) {
                    break; // a stream does not end
                }
            }
            return all.toString();
        } catch (SocketException e) {
            return ""; // closed while the request was still being sent
        }
    }

    private static long usedAfterCollection() {
        Runtime runtime = Runtime.getRuntime();
        long[] used = {Long.MAX_VALUE};
        org.awaitility.Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            System.gc();
            long now = runtime.totalMemory() - runtime.freeMemory();
            boolean settled = now >= used[0] - (1 << 20);
            used[0] = Math.min(used[0], now);
            return settled;
        });
        return used[0];
    }

    private static <T> T pick(List<T> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }
}
