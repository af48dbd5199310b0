package dev.fermata.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.insight.exit.UserError;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientFileTest {
    private static final DaemonAddress DAEMON =
            new DaemonAddress(URI.create("http://127.0.0.1:4711"), Path.of("/data/api.sock"), "", "", false);

    @TempDir
    private Path home;

    @Test
    void fileIsPrivateAndRead() throws IOException {
        ClientFile.write(file(), DAEMON);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(ClientFile.read(file())).contains(DAEMON);
    }

    /** What is in no file cannot be stolen from it. */
    @Test
    void fileHoldsNoToken() throws IOException {
        ClientFile.write(file(), DaemonAddress.at(URI.create("http://127.0.0.1:4711"), "fm_secret", "", false));

        assertThat(Files.readString(file())).doesNotContain("fm_").doesNotContain("token");
    }

    @Test
    void aTokenInAFileOfAnEarlierVersionIsIgnored() throws IOException {
        ClientFile.write(file(), DAEMON);
        Files.writeString(file(), "{\"url\": \"http://127.0.0.1:4711\", \"token\": \"fm_secret\"}");

        assertThat(ClientFile.find("http://127.0.0.1:4711", "", environment()).token())
                .isEmpty();
        assertThat(ClientFile.find("", "", environment()).token()).isEmpty();
    }

    @Test
    void defaultAddressIsUsedWithoutASocket() {
        DaemonAddress found = ClientFile.find("", "", environment());

        assertThat(found.url()).hasToString(DaemonAddress.DEFAULT_URL);
        assertThat(found.socket()).isNull();
        assertThat(found.token()).isEmpty();
    }

    @Test
    void theSocketInTheDataFolderIsFound() throws IOException {
        Path socket = home.resolve(".local/share/fermata/api.sock");
        Files.createDirectories(socket.getParent());
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));

            assertThat(ClientFile.find("", "", environment()).socket()).isEqualTo(socket);
            assertThat(ClientFile.find("", "fm_other", environment()))
                    .isEqualTo(DaemonAddress.at(socket, "fm_other", false));
        }
    }

    @Test
    void aSocketCanBeNamed() {
        assertThat(ClientFile.find("unix:/run/x.sock", "", environment()).socket())
                .isEqualTo(Path.of("/run/x.sock"));
        assertThatThrownBy(() -> ClientFile.find("unix:x.sock", "", environment()))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("whole path");
    }

    @Test
    void theNamedAddressOfTheUsersOwnDaemonMeansItsSocket() {
        ClientFile.write(file(), DAEMON);

        assertThat(ClientFile.find("http://127.0.0.1:4711/", "", environment()).socket())
                .isEqualTo(DAEMON.socket());
        assertThat(ClientFile.find("http://127.0.0.1:4711", "fm_mine", environment()))
                .isEqualTo(DaemonAddress.at(DAEMON.url(), "fm_mine", "", true));
        assertThat(ClientFile.find("http://elsewhere:7070", "", environment()).socket())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "1000, 7070, 0A, true",
        "0, 7070, 0A, false",
        "1001, 7070, 0A, false",
        "1000, 7071, 0A, false",
        "1000, 7070, 01, false"
    })
    void aPortOfAnotherAccountIsRecognised(String uid, int port, String state, boolean foreign) {
        String row = "   3: 0100007F:" + String.format("%04X", port) + " 00000000:0000 " + state
                + " 00000000:00000000 00:00000000 00000000  " + uid + "        0 21342 1 0000000000000000 100 0 0 10 0";

        assertThat(LoopbackPort.isForeign(row, 7070, "1001")).isEqualTo(foreign);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r--r--", "rw-rw----", "rw----r--"})
    void aFileReadableByOthersIsRefused(String permissions) throws IOException {
        ClientFile.write(file(), DAEMON);
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString(permissions));

        assertThatThrownBy(() -> ClientFile.find("", "", environment()))
                .isInstanceOf(UserError.class)
                .hasMessageContaining(permissions)
                .hasMessageContaining("chmod 600");
    }

    @ParameterizedTest
    @ValueSource(strings = {"not json", "{}", "{\"url\": \"\"}", "{\"url\": \"http://a b\"}"})
    void aBrokenFileIsReportedWithAdvice(String text) throws IOException {
        ClientFile.write(file(), DAEMON);
        Files.writeString(file(), text);

        assertThatThrownBy(() -> ClientFile.read(file()))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("is not usable")
                .hasMessageContaining("./fermata up");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:7070", "ftp://host", "http://", "http://user:pass@host", "no url"})
    void invalidAddressesAreRefused(String url) {
        assertThatThrownBy(() -> ClientFile.find(url, "", environment()))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("--url (" + url + ")");
    }

    private Path file() {
        return ClientPaths.clientFile(environment());
    }

    private Map<String, String> environment() {
        return Map.of("HOME", home.toString());
    }
}
