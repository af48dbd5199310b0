package dev.fermata.live.engine.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The marks by which the processes of an attempt are known. They follow from a secret in the data folder, so that a daemon that starts
 * anew knows them even when a job deleted its own folder, and nobody else can guess them.
 */
final class RunIds {
    /** What every process of an attempt is started with. */
    static final String VARIABLE = "FERMATA_RUN_ID";

    private static final HexFormat HEX = HexFormat.of();

    private final byte[] key;
    private final String prefix;

    private RunIds(byte[] key) {
        this.key = key;
        this.prefix = digest("data folder").substring(0, 8) + "-";
    }

    /** Reads the secret of a data folder, or makes it. */
    static RunIds in(Path folder) throws IOException {
        Path file = folder.resolve("engine.key");
        if (!Files.exists(file)) {
            byte[] fresh = new byte[32];
            new SecureRandom().nextBytes(fresh);
            Path next = Files.createTempFile(
                    folder,
                    "engine",
                    ".key",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(next, HEX.formatHex(fresh));
            Files.move(next, file);
        }
        return new RunIds(HEX.parseHex(Files.readString(file).strip()));
    }

    String of(long job, int attempt) {
        String name = job + "." + attempt;
        return prefix + name + "-" + digest(name).substring(0, 24);
    }

    /** Names the data folder, also where others can read it. */
    String folder() {
        return digest("identity").substring(0, 32);
    }

    /** How every mark of this data folder begins. */
    String prefix() {
        return prefix;
    }

    private String digest(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return HEX.formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }
}
