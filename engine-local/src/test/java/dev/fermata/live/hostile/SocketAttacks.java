package dev.fermata.live.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/** Attacks by accounts of the machine at the daemon's Unix socket. */
final class SocketAttacks {
    private static final int GAMES = 5;
    private static final int NO_NAME = 54_321;

    private SocketAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.asRoot(
                        "another account is itself at the socket",
                        "GET /whoami as uid 5",
                        target -> assertThat(as(GAMES, target, "GET /api/v1/whoami"))
                                .contains("\"user\":\"games\"", "\"role\":\"USER\"")),
                Attack.asRoot(
                        "another account is no administrator",
                        "GET /audit as uid 5",
                        target -> assertThat(as(GAMES, target, "GET /api/v1/audit"))
                                .startsWith("HTTP/1.1 403")),
                Attack.asRoot(
                        "a uid without an account gets nothing",
                        "GET /jobs as uid 54321",
                        target -> assertThat(as(NO_NAME, target, "GET /api/v1/jobs"))
                                .startsWith("HTTP/1.1 401")),
                Attack.asRoot("no account replaces the socket", "unlink and bind as uid 5", target -> {
                    String printed = stranger(GAMES, "remove", target, "");
                    assertThat(printed).contains("AccessDenied");
                }),
                Attack.withoutRoot("no other account reaches the socket", "the modes of folder and socket", target -> {
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket(target))))
                            .isEqualTo("rw-------");
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target.data)))
                            .isEqualTo("rwx------");
                }),
                Attack.of(
                        "a wrong token gets no rights of the account",
                        "Authorization at the socket",
                        target -> assertThat(
                                        raw(
                                                target,
                                                "GET /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer fm_x\r\nConnection: close\r\n\r\n"))
                                .startsWith("HTTP/1.1 401")),
                Attack.of(
                        "a foreign Host is refused at the socket",
                        "Host: evil.example",
                        target -> assertThat(raw(
                                        target,
                                        "GET /api/v1/jobs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
                                .startsWith("HTTP/1.1 421")),
                Attack.of(
                        "a page of a browser gets nothing through a proxy to the socket",
                        "Origin: http://localhost:9000",
                        target -> assertThat(
                                        raw(
                                                target,
                                                "GET /api/v1/jobs HTTP/1.1\r\nHost: localhost:9000\r\nOrigin: http://localhost:9000\r\nConnection: close\r\n\r\n"))
                                .startsWith("HTTP/1.1 403")),
                Attack.of("no file of the daemon holds a token", "every file of the data folder", target -> {
                    try (Stream<Path> files = Files.walk(target.data)) {
                        for (Path file : files.filter(Files::isRegularFile).toList()) {
                            assertThat(Files.readString(file, ISO_8859_1))
                                    .as(file.toString())
                                    .doesNotContain(target.token(Person.ADMIN));
                        }
                    }
                }));
    }

    private static Path socket(HostileTarget target) {
        return target.data.resolve("api.sock");
    }

    /** What the socket answers to these bytes of the tests' own account. */
    private static String raw(HostileTarget target, String request) throws Exception {
        return LocalStranger.ask(socket(target), request);
    }

    private static String as(int uid, HostileTarget target, String line) throws Exception {
        return stranger(uid, "ask", target, line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    }

    private static String stranger(int uid, String deed, HostileTarget target, String request) throws Exception {
        Process process = new ProcessBuilder(List.of(
                        "setpriv",
                        "--reuid=" + uid,
                        "--regid=" + uid,
                        "--clear-groups",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        ReadableClassPath.copy(HostileTarget.classPath()),
                        LocalStranger.class.getName(),
                        deed,
                        socket(target).toString(),
                        request))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        return output;
    }
}
