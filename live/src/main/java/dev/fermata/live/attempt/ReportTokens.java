package dev.fermata.live.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The tokens with which attempts report by HTTP. Each is a keyed hash of the attempt's name, so none is stored anywhere, and a
 * restarted daemon still knows those of running jobs.
 */
public final class ReportTokens {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String PREFIX = "fr_";
    private static final int KEY_BYTES = 32;

    private final byte[] key;

    private ReportTokens(byte[] key) {
        this.key = key;
    }

    /** Reads the key from this folder, or creates it. */
    public static ReportTokens in(Path folder) throws IOException {
        Path file = folder.resolve("report.key");
        if (!Files.exists(file)) {
            byte[] fresh = new byte[KEY_BYTES];
            new SecureRandom().nextBytes(fresh);
            Path next = Files.createTempFile(
                    folder,
                    "report",
                    ".key",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(next, HexFormat.of().formatHex(fresh));
            Files.move(next, file);
        }
        return new ReportTokens(HexFormat.of().parseHex(Files.readString(file).strip()));
    }

    /** The token of an attempt such as {@code 12.3}. */
    String of(String attempt) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return PREFIX
                    + Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(attempt.getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    /** Compares in constant time. */
    boolean isOf(String attempt, String token) {
        return MessageDigest.isEqual(of(attempt).getBytes(UTF_8), token.getBytes(UTF_8));
    }
}
