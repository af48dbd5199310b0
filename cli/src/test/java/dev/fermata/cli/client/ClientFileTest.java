package dev.fermata.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.insight.exit.UserError;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientFileTest {
    private static final DaemonAddress DAEMON =
            new DaemonAddress(URI.create("http://127.0.0.1:4711"), "fm_secret", "", false);

    @TempDir
    private Path home;

    @Test
    void fileIsPrivateAndFound() throws IOException {
        ClientFile.write(file(), DAEMON);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        assertThat(ClientFile.find("", "", environment())).isEqualTo(DAEMON);
    }

    @Test
    void defaultAddressIsUsedWithoutAFile() {
        DaemonAddress found = ClientFile.find("", "", environment());

        assertThat(found.url()).hasToString(DaemonAddress.DEFAULT_URL);
        assertThat(found.token()).isEmpty();
    }

    @Test
    void aTokenFromTheEnvironmentWins() {
        ClientFile.write(file(), DAEMON);

        assertThat(ClientFile.find("", "fm_other", environment()).token()).isEqualTo("fm_other");
    }

    /** A token must not be shown to a daemon that it was not made for. */
    @Test
    void anotherAddressGetsNoTokenFromTheFile() {
        ClientFile.write(file(), DAEMON);

        assertThat(ClientFile.find("http://elsewhere:7070", "", environment()).token())
                .isEmpty();
        assertThat(ClientFile.find("http://127.0.0.1:4711/", "", environment()).token())
                .isEqualTo("fm_secret");
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
