package dev.fermata.engine.local;

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
import org.jspecify.annotations.Nullable;

/**
 * The markers that identify the processes of an attempt. They derive from a secret in the data folder, so that a restarted
 * daemon knows them even when a job deleted its own folder, and no user can guess them.
 */
final class AttemptMarkers {
    /** The variable in the environment of every process of an attempt. */
    static final String VARIABLE = "FERMATA_ATTEMPT_ID";

    /** Its name in 0.1.0, whose attempts may still run. */
    private static final String OLD_VARIABLE = "FERMATA_RUN_ID";

    private static final HexFormat HEX = HexFormat.of();

    private final byte[] key;
    private final String prefix;

    private AttemptMarkers(byte[] key) {
        this.key = key;
        this.prefix = digest("data folder").substring(0, 8) + "-";
    }

    /** Reads the secret of a data folder, or creates it. */
    static AttemptMarkers forDataFolder(Path folder) throws IOException {
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
        return new AttemptMarkers(HEX.parseHex(Files.readString(file).strip()));
    }

    /** The marker of a process; null without one. */
    static @Nullable String of(Proc proc) {
        return proc.environmentVariable(VARIABLE, OLD_VARIABLE);
    }

    String of(long job, int attempt) {
        String name = job + "." + attempt;
        return prefix + name + "-" + digest(name).substring(0, 24);
    }

    /** Identifies the data folder; not secret. */
    String folderId() {
        return digest("identity").substring(0, 32);
    }

    /** The prefix of every marker of this data folder. */
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
