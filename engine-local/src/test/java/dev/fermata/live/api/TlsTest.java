package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.live.access.Role;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plain text stays on this machine; elsewhere it is TLS, with a handshake as clients do it. */
class TlsTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1", "169.254.1.1"})
    void plainTextBeyondLoopbackIsRejected(String bind) {
        assertThatThrownBy(() -> new ApiFixture(folder, ApiSettings.local(0).withBind(bind, null)).close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(bind)
                .hasMessageContaining("plain text")
                .hasMessageContaining("--tls");
    }

    @Test
    void selfSignedCertificateIsGeneratedOnceAndServes() throws Exception {
        Path tls = folder.resolve("tls");
        ApiSettings.Tls.Pkcs12 made = SelfSignedCertificate.forFolder(tls, List.of("localhost", "127.0.0.1"));
        assertThat(SelfSignedCertificate.forFolder(tls, List.of("localhost"))).isEqualTo(made);
        assertThat(Files.getPosixFilePermissions(made.file())).hasSize(2);
        assertThat(made.toString()).doesNotContain(made.password());
        try (ApiFixture fixture = new ApiFixture(folder, ApiSettings.local(0).withBind("0.0.0.0", made))) {
            assertThat(fixture.server.url()).startsWith("https://");
            HttpClient trusting = client(made);
            assertThat(get(trusting, fixture, "/api/v1/whoami")).isEqualTo(200);
            assertThatThrownBy(() -> get(HttpClient.newHttpClient(), fixture, "/api/v1/whoami"))
                    .isInstanceOf(SSLHandshakeException.class);
            try (RawHttp plain = new RawHttp(fixture.server.port())) {
                String answer = plain.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        .readAll();
                assertThat(answer).doesNotContain("200 OK");
            }
            assertThatThrownBy(() -> handshakeWithOldTls(fixture)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void pemFilesAreServed() throws Exception {
        ApiSettings.Tls.Pkcs12 made =
                SelfSignedCertificate.forFolder(folder.resolve("tls"), List.of("localhost", "127.0.0.1"));
        KeyStore store = open(made);
        Path certificate = pem("CERTIFICATE", store.getCertificate("fermata").getEncoded());
        Key key = store.getKey("fermata", made.password().toCharArray());
        Path pemKey = pem("PRIVATE KEY", key.getEncoded());
        try (ApiFixture fixture = new ApiFixture(
                folder, ApiSettings.local(0).withBind("127.0.0.1", new ApiSettings.Tls.Pem(certificate, pemKey)))) {
            assertThat(get(client(made), fixture, "/healthz")).isEqualTo(200);
        }
        assertThatThrownBy(() -> TlsFiles.open(new ApiSettings.Tls.Pem(pemKey, pemKey)))
                .hasMessageContaining("certificate");
        assertThatThrownBy(() -> TlsFiles.open(new ApiSettings.Tls.Pem(certificate, certificate)))
                .hasMessageContaining("no private key");
        assertThatThrownBy(
                        () -> TlsFiles.open(new ApiSettings.Tls.Pem(certificate, pem("RSA PRIVATE KEY", new byte[8]))))
                .hasMessageContaining("openssl pkcs8");
        assertThatThrownBy(() -> TlsFiles.open(new ApiSettings.Tls.Pem(folder.resolve("none"), pemKey)))
                .hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> TlsFiles.open(new ApiSettings.Tls.Pkcs12(made.file(), "wrong")))
                .hasMessageContaining("password");
    }

    @Test
    void portInUseIsReportedPlainly() {
        try (ApiFixture fixture = new ApiFixture(folder.resolve("a"))) {
            assertThatThrownBy(
                            () -> new ApiFixture(folder.resolve("b"), ApiSettings.local(fixture.server.port())).close())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cannot listen on 127.0.0.1:" + fixture.server.port());
        }
    }

    private Path pem(String kind, byte[] bytes) throws IOException {
        String text = "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END "
                + kind + "-----\n";
        return Files.writeString(Files.createTempFile(folder, "pem", ".pem"), text);
    }

    private static KeyStore open(ApiSettings.Tls.Pkcs12 made) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(made.file())) {
            store.load(in, made.password().toCharArray());
        }
        return store;
    }

    private static HttpClient client(ApiSettings.Tls.Pkcs12 made) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("fermata", open(made).getCertificate("fermata"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private static int get(HttpClient client, ApiFixture fixture, String path)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + fixture.server.port() + path))
                .header("Authorization", "Bearer " + fixture.token(Role.VIEWER))
                .build();
        return client.send(request, BodyHandlers.ofString()).statusCode();
    }

    private static void handshakeWithOldTls(ApiFixture fixture) throws Exception {
        try (SSLSocket socket = (SSLSocket) SSLContext.getDefault()
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), fixture.server.port())) {
            socket.setEnabledProtocols(new String[] {"TLSv1.1"});
            socket.startHandshake();
        }
    }
}
