package dev.fermata.cli.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Which account listens on a port of this machine, as Linux says. */
final class LoopbackPort {
    private static final String LISTENING = "0A";
    private static final int ADDRESS = 1;
    private static final int STATE = 3;
    private static final int UID = 7;

    private LoopbackPort() {}

    /** Whether an account other than the user's own and root listens there; false where that cannot be known. */
    static boolean isOfAnotherAccount(int port) {
        try {
            String self = Files.getAttribute(Path.of("/proc/self"), "unix:uid").toString();
            return List.of("tcp", "tcp6").stream()
                    .map(table -> Path.of("/proc/net", table))
                    .filter(Files::isReadable)
                    .flatMap(table -> lines(table).stream())
                    .anyMatch(line -> isForeign(line, port, self));
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** @param line a row of {@code /proc/net/tcp} */
    static boolean isForeign(String line, int port, String self) {
        String[] fields = line.strip().split(" +", -1);
        return fields.length > UID
                && fields[STATE].equals(LISTENING)
                && fields[ADDRESS].endsWith(String.format(Locale.ROOT, ":%04X", port))
                && !fields[UID].equals("0")
                && !fields[UID].equals(self);
    }

    private static List<String> lines(Path table) {
        try {
            return Files.readAllLines(table, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return List.of();
        }
    }
}
