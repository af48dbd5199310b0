package dev.fermata.cli.client;

import dev.fermata.insight.exit.UserError;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** The certificates to trust: an authority that the user names, or the one certificate in the daemon's file. */
final class TlsTrust {
    private TlsTrust() {}

    static String pem(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw UserError.invalid("--ca: file '" + file + "' does not exist", e);
        } catch (IOException e) {
            throw UserError.invalid("--ca: file '" + file + "' cannot be read: " + e.getMessage(), e);
        }
    }

    /** Trusts certificates signed by these authorities, for the names in them. */
    static SSLContext authorityOnly(String pem) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate certificate : factory().generateCertificates(bytes(pem))) {
                store.setCertificateEntry("ca" + number++, certificate);
            }
            if (number == 0) {
                throw new CertificateException("there is none in it");
            }
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(store);
            return context(managers.getTrustManagers());
        } catch (GeneralSecurityException | IOException e) {
            throw UserError.invalid("--ca: not readable as certificates (PEM): " + e.getMessage(), e);
        }
    }

    /** Trusts this one certificate, whatever name it carries: the file that names it is the user's own. */
    static SSLContext pinned(String pem) {
        try {
            X509Certificate expected = (X509Certificate) factory().generateCertificate(bytes(pem));
            return context(new TrustManager[] {new PinnedCertificate(expected)});
        } catch (GeneralSecurityException e) {
            throw UserError.failed("the certificate in the client file is not readable: " + e.getMessage(), e);
        }
    }

    private static SSLContext context(TrustManager[] managers) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers, null);
        return context;
    }

    private static CertificateFactory factory() throws CertificateException {
        return CertificateFactory.getInstance("X.509");
    }

    private static InputStream bytes(String pem) {
        return new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
    }

    private static final class PinnedCertificate extends X509ExtendedTrustManager {
        private final X509Certificate expected;

        PinnedCertificate(X509Certificate expected) {
            this.expected = expected;
        }

        private void check(X509Certificate[] chain) throws CertificateException {
            if (chain.length == 0 || !chain[0].equals(expected)) {
                throw new CertificateException("the daemon shows another certificate than its client file names");
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("no clients are expected here");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine)
                throws CertificateException {
            checkClientTrusted(chain, type);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
