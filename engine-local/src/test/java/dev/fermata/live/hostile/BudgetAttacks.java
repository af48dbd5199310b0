package dev.fermata.live.hostile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Attempts to use up memory, connections, threads and streams of the daemon. */
final class BudgetAttacks {
    private static final String LARGE = "#".repeat(900_000);

    private BudgetAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.of(
                        "a small array with many dependencies",
                        "array 0-9999 with 100 dependencies, under 1 kB",
                        target -> {
                            long first = target.submit(
                                    Person.MALLORY, "{\"array\":\"0-99\",\"hold\":true,\"run\":\"true\"}");
                            String after = LongStream.range(first, first + 100)
                                    .mapToObj(Long::toString)
                                    .collect(Collectors.joining(","));
                            assertThat(submit(
                                            target,
                                            "{\"array\":\"0-9999\",\"after\":[" + after + "],\"run\":\"true\"}"))
                                    .isEqualTo(413);
                        }),
                Attack.of(
                        "an array of large scripts",
                        "array of 1,000 with a script of 900 kB",
                        target -> assertThat(
                                        submit(target, "{\"array\":\"0-999\",\"hold\":true,\"run\":\"" + LARGE + "\"}"))
                                .isEqualTo(413)),
                Attack.of("many requests with large scripts", "8 arrays of 20 with scripts of 900 kB", target -> {
                    List<Integer> statuses = new ArrayList<>();
                    for (int i = 0; i < 8; i++) {
                        statuses.add(submit(target, "{\"array\":\"0-19\",\"hold\":true,\"run\":\"" + LARGE + "\"}"));
                    }
                    assertThat(statuses).contains(429).doesNotContain(0, 500, 503);
                }),
                Attack.of("large scripts of ended jobs", "the same, cancelled; then a restart", target -> {
                    for (int i = 0; i < 2; i++) {
                        submit(target, "{\"array\":\"0-19\",\"hold\":true,\"run\":\"" + LARGE + "\"}");
                        target.tidy();
                    }
                    assertThat(target.isAlive()).isTrue();
                }),
                Attack.of("unfinished bodies", "60 bodies of 8 MiB without their last byte", target -> {
                    List<Socket> open = new ArrayList<>();
                    byte[] half = "x".repeat(1 << 20).getBytes(UTF_8);
                    try {
                        for (int i = 0; i < 60; i++) {
                            Socket socket = target.connect();
                            open.add(socket);
                            send(
                                    socket,
                                    "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                            + target.token(Person.MALLORY)
                                            + "\r\nContent-Type: application/json\r\nContent-Length: 8000000\r\n\r\n");
                            writeSome(socket, half, 3);
                        }
                        assertThat(target.get(Person.ALICE, "/api/v1/whoami").status())
                                .isEqualTo(200);
                        long job = target.submit(Person.ALICE, "{\"run\":\"true\"}");
                        target.awaitEnd(job);
                    } finally {
                        close(open);
                    }
                }),
                Attack.of(
                        "answers that are never read",
                        "60 connections with 400 pipelined GETs each, without a token",
                        target -> {
                            List<Socket> open = new ArrayList<>();
                            byte[] many = "GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                    .repeat(400)
                                    .getBytes(UTF_8);
                            try {
                                for (int i = 0; i < 60; i++) {
                                    Socket socket = target.connect();
                                    open.add(socket);
                                    writeSome(socket, many, 1);
                                }
                                for (int i = 0; i < 20; i++) {
                                    assertThat(target.get(Person.ALICE, "/healthz")
                                                    .status())
                                            .isEqualTo(200);
                                }
                            } finally {
                                close(open);
                            }
                        }),
                Attack.of("silent connections", "1,300 connections that send nothing", target -> {
                    List<Socket> open = new ArrayList<>();
                    try {
                        for (int i = 0; i < 1300; i++) {
                            open.add(target.connect());
                        }
                        for (int i = 0; i < 20; i++) {
                            assertThat(target.get(Person.ALICE, "/healthz").status())
                                    .isEqualTo(200);
                        }
                    } finally {
                        close(open);
                    }
                }),
                Attack.of("connections of one token", "400 idle connections after a request", target -> {
                    List<Socket> open = new ArrayList<>();
                    try {
                        for (int i = 0; i < 400; i++) {
                            Socket socket = target.connect();
                            open.add(socket);
                            send(
                                    socket,
                                    "GET /api/v1/whoami HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                            + target.token(Person.MALLORY) + "\r\n\r\n");
                        }
                        assertThat(target.get(Person.ALICE, "/api/v1/whoami").status())
                                .isEqualTo(200);
                    } finally {
                        close(open);
                    }
                }),
                Attack.of("event streams", "300 event streams of a viewer", target -> {
                    HttpClient client = HttpClient.newHttpClient();
                    List<HttpResponse<java.io.InputStream>> open = new ArrayList<>();
                    try {
                        for (int i = 0; i < 300; i++) {
                            open.add(client.send(
                                    HttpRequest.newBuilder(target.url().resolve("/api/v1/events"))
                                            .header("Authorization", "Bearer " + target.token(Person.VIEWER))
                                            .header("Accept", "text/event-stream")
                                            .build(),
                                    BodyHandlers.ofInputStream()));
                        }
                        assertThat(open.stream().map(HttpResponse::statusCode)).contains(200, 429);
                        long job = target.submit(Person.ALICE, "{\"run\":\"echo hers\"}");
                        target.awaitEnd(job);
                        assertThat(target.get(Person.ALICE, "/api/v1/jobs/" + job + "/logs?follow=true")
                                        .body())
                                .isEqualTo("hers\n");
                    } finally {
                        for (HttpResponse<java.io.InputStream> stream : open) {
                            stream.body().close();
                        }
                    }
                }),
                Attack.of("a flood of refused changes", "3,000 DELETEs of a viewer", target -> {
                    int before = auditRows(target);
                    for (int i = 0; i < 3000; i++) {
                        target.call(Person.VIEWER, "DELETE", "/api/v1/jobs/1", null);
                    }
                    assertThat(auditRows(target) - before).isLessThan(50);
                }),
                Attack.of("wrong tokens leave a trace, not a flood", "100 wrong tokens", target -> {
                    for (int i = 0; i < 100; i++) {
                        target.send(HttpRequest.newBuilder(target.url().resolve("/api/v1/jobs"))
                                .header("Authorization", "Bearer fm_" + "A".repeat(43)));
                    }
                    assertThat(target.get(Person.ADMIN, "/api/v1/audit?limit=100")
                                    .body())
                            .contains("\"action\":\"login\"", "refused: No valid token");
                }),
                Attack.of(
                        "a request of deep nesting",
                        "8 MiB of [",
                        target ->
                                assertThat(submit(target, "[".repeat(4 << 20))).isEqualTo(400)),
                Attack.of("a header without end", "2 MB of one header", target -> {
                    try (Socket socket = target.connect()) {
                        writeSome(socket, ("GET / HTTP/1.1\r\nX: " + "y".repeat(2 << 20)).getBytes(UTF_8), 1);
                    }
                    assertThat(target.get(Person.ALICE, "/healthz").status()).isEqualTo(200);
                }));
    }

    private static int submit(HostileTarget target, String document) throws Exception {
        return target.call(Person.MALLORY, "POST", "/api/v1/jobs", document).status();
    }

    private static int auditRows(HostileTarget target) throws Exception {
        return target.get(Person.ADMIN, "/api/v1/audit?limit=1000")
                .json()
                .path("items")
                .size();
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(UTF_8));
    }

    /** As much as the daemon takes: it may hang up. */
    private static void writeSome(Socket socket, byte[] bytes, int times) {
        Thread writer = new Thread(() -> {
            try {
                for (int i = 0; i < times; i++) {
                    socket.getOutputStream().write(bytes);
                }
            } catch (IOException e) {
                // It hung up, or the attack is over.
            }
        });
        writer.setDaemon(true);
        writer.start();
    }

    private static void close(List<Socket> open) throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
    }
}
