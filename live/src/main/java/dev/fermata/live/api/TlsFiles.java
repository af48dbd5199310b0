package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Loads a certificate and its key from files. */
final class TlsFiles {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----([A-Za-z0-9+/=\\s]*)-----END", Pattern.DOTALL);
    private static final String ALIAS = "fermata";

    private TlsFiles() {}

    static SslContextFactory.Server open(ApiSettings.Tls tls) {
        SslContextFactory.Server factory = new SslContextFactory.Server();
        if (tls instanceof ApiSettings.Tls.Pem pem) {
            // Only in memory, so any password will do.
            factory.setKeyStore(store(pem));
            factory.setKeyStorePassword(ALIAS);
        } else if (tls instanceof ApiSettings.Tls.Pkcs12 file) {
            factory.setKeyStore(store(file));
            factory.setKeyStorePassword(file.password());
        }
        return factory;
    }

    private static KeyStore store(ApiSettings.Tls.Pem pem) {
        try (InputStream in = Files.newInputStream(pem.certificate())) {
            Certificate[] chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .toArray(Certificate[]::new);
            if (chain.length == 0) {
                throw error(pem.certificate(), "holds no certificate; PEM was expected (-----BEGIN CERTIFICATE-----)");
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry(ALIAS, key(pem.key()), ALIAS.toCharArray(), chain);
            return store;
        } catch (IOException e) {
            throw error(pem.certificate(), "cannot be read: " + e.getMessage());
        } catch (GeneralSecurityException e) {
            throw error(pem.certificate(), "is not a PEM certificate: " + e.getMessage());
        }
    }

    private static KeyStore store(ApiSettings.Tls.Pkcs12 file) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(
                    new ByteArrayInputStream(Files.readAllBytes(file.file())),
                    file.password().toCharArray());
            return store;
        } catch (IOException | GeneralSecurityException e) {
            throw error(file.file(), "cannot be opened as PKCS #12 with this password");
        }
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        Matcher m = KEY.matcher(Files.readString(file, US_ASCII));
        if (!m.find()) {
            throw error(file, "holds no private key; PEM was expected (-----BEGIN PRIVATE KEY-----)");
        }
        if (!m.group(1).isEmpty()) {
            throw error(
                    file,
                    "holds a key in an older or encrypted form; convert it: openssl pkcs8 -topk8 -nocrypt -in OLD -out NEW");
        }
        PKCS8EncodedKeySpec spec =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(m.group(2)));
        for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException e) {
                // try the next algorithm
            }
        }
        throw error(file, "holds a key of an unknown algorithm; RSA, EC or EdDSA was expected");
    }

    private static IllegalArgumentException error(Path file, String rule) {
        return new IllegalArgumentException("TLS: file '" + file + "' " + rule);
    }
}
