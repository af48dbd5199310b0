package dev.fermata.engine.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** A program that lists GPUs as nvidia-smi does, and can do nothing else. */
final class FakeNvidiaSmi {
    private FakeNvidiaSmi() {}

    /** From now on the program lists these devices, in this order; it is replaced in one move. */
    static void list(Path program, String... uuids) {
        StringBuilder script =
                new StringBuilder("#!/bin/sh\n[ \"$1\" = --query-gpu=index,uuid,name,memory.total ] || exit 9\n");
        for (int i = 0; i < uuids.length; i++) {
            script.append("echo '").append(i).append(", ").append(uuids[i]).append(", NVIDIA H100, 81559'\n");
        }
        try {
            Path next = Files.writeString(program.resolveSibling("nvidia-smi.new"), script);
            Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(next, program, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
