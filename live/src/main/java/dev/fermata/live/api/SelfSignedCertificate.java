package dev.fermata.live.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A self-signed certificate with its key, for a daemon without a configured one; clients must trust it explicitly. */
public final class SelfSignedCertificate {
    private static final int PASSWORD_BYTES = 24;
    private static final long TIMEOUT_SECONDS = 60;

    private SelfSignedCertificate() {}

    /**
     * The certificate and key in this folder, created on first use with the JDK's keytool. {@code names} are host names or
     * addresses.
     */
    public static ApiSettings.Tls.Pkcs12 forFolder(Path folder, List<String> names) {
        Path store = folder.resolve("tls.p12");
        Path password = folder.resolve("tls.password");
        try {
            if (!Files.exists(store)) {
                Files.createDirectories(folder);
                writeSecret(password);
                generate(store, password, names);
            }
            return new ApiSettings.Tls.Pkcs12(store, Files.readString(password).strip());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a TLS key in " + folder, e);
        }
    }

    private static void writeSecret(Path file) throws IOException {
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, Base64.getUrlEncoder().withoutPadding().encodeToString(random));
    }

    private static void generate(Path store, Path password, List<String> names) throws IOException {
        List<String> alternatives = new ArrayList<>();
        names.forEach(name -> alternatives.add((name.matches("[0-9.]+|.*:.*") ? "ip:" : "dns:") + name));
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "fermata",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "825",
                "-dname",
                "CN=" + names.get(0).replace(",", ""),
                "-ext",
                "san=" + String.join(",", alternatives),
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass:file",
                password.toString());
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            keytool.getOutputStream().close();
            String reported =
                    new String(keytool.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            if (!keytool.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                throw new IOException("keytool failed: " + reported.strip());
            }
            Files.setPosixFilePermissions(store, PosixFilePermissions.fromString("rw-------"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while keytool ran", e);
        } finally {
            keytool.destroyForcibly();
        }
    }
}
