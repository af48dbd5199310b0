package dev.fermata.live.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Objects;

/** The scripts that engines start with jobs, as files that every account may read. */
public final class EngineScripts {
    private EngineScripts() {}

    /**
     * Installs a resource of this class. The file's name contains a hash of its text, so that a running script never changes.
     */
    public static Path install(Path folder, Class<?> owner, String name) throws IOException {
        byte[] text;
        try (InputStream in = Objects.requireNonNull(owner.getResourceAsStream(name), name)) {
            text = in.readAllBytes();
        }
        Path file = folder.resolve(String.format("%08x-%s", Arrays.hashCode(text), name));
        if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), text)) {
            Path next = Files.createTempFile(folder, name, ".new");
            Files.write(next, text);
            Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return file;
    }
}
