package dev.fermata.cli.daemon;

import dev.fermata.insight.exit.UserError;
import dev.fermata.live.api.ApiSettings.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;

/** The daemon's own certificate as PEM, for the client file: clients of the same user trust exactly it. */
final class CertificatePem {
    private static final int LINE = 64;

    private CertificatePem() {}

    static String pem(Tls tls) {
        try {
            return pem(certificate(tls));
        } catch (IOException | GeneralSecurityException e) {
            throw UserError.invalid("the TLS certificate cannot be read: " + e.getMessage(), e);
        }
    }

    private static Certificate certificate(Tls tls) throws IOException, GeneralSecurityException {
        if (tls instanceof Tls.Pkcs12 store) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store.file())) {
                keys.load(in, store.password().toCharArray());
            }
            return keys.getCertificate(keys.aliases().nextElement());
        }
        try (InputStream in = Files.newInputStream(((Tls.Pem) tls).certificate())) {
            return CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    private static String pem(Certificate certificate) throws GeneralSecurityException {
        String body = Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(certificate.getEncoded());
        return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
    }
}
