package dev.fermata.engine.local;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Removes the folder of an attempt while its user may still change what is below. Every folder below is first moved to the top,
 * where only the daemon can change names, and opened there: a link that takes the place of a folder is never followed, however
 * fast it is. Depth costs nothing, and the number of entries is bounded.
 */
final class FolderRemoval {
    private static final int MAX_ENTRIES = 1_000_000;
    private static final String MOVED = ".removed-";

    private final SecureDirectoryStream<Path> top;
    private final Deque<Path> remaining = new ArrayDeque<>();
    private int entries;
    private int moved;

    private FolderRemoval(SecureDirectoryStream<Path> top) {
        this.top = top;
    }

    /** Removes {@code attempt}, a folder that only the daemon can rename, from its parent. */
    static void remove(Path attempt) throws IOException {
        Path parent = attempt.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IOException(attempt + " has no parent");
        }
        try (DirectoryStream<Path> job = Files.newDirectoryStream(parent)) {
            if (!(job instanceof SecureDirectoryStream<Path> secure)) {
                throw new IOException("this file system offers no safe removal of folders");
            }
            remove(secure, attempt.getFileName());
        }
    }

    private static void remove(SecureDirectoryStream<Path> job, Path name) throws IOException {
        if (!isFolder(job, name)) {
            job.deleteFile(name);
            return;
        }
        try (SecureDirectoryStream<Path> top = job.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            new FolderRemoval(top).empty();
        }
        job.deleteDirectory(name);
    }

    private void empty() throws IOException {
        empty(top);
        while (!remaining.isEmpty()) {
            Path folder = remaining.poll();
            try (SecureDirectoryStream<Path> open = top.newDirectoryStream(folder, LinkOption.NOFOLLOW_LINKS)) {
                empty(open);
            }
            try {
                top.deleteDirectory(folder);
            } catch (DirectoryNotEmptyException e) {
                remaining.add(folder); // its user still adds files
            }
        }
    }

    private void empty(SecureDirectoryStream<Path> folder) throws IOException {
        for (Path entry : folder) {
            Path name = entry.getFileName();
            if (++entries > MAX_ENTRIES) {
                throw new IOException("more than " + MAX_ENTRIES + " files; the rest is removed next time");
            }
            try {
                if (isFolder(folder, name)) {
                    moved++;
                    Path free = Path.of(MOVED + moved + "-" + System.nanoTime());
                    folder.move(name, top, free);
                    if (isFolder(top, free)) {
                        remaining.add(free);
                    } else {
                        top.deleteFile(free);
                    }
                } else {
                    folder.deleteFile(name);
                }
            } catch (NoSuchFileException e) {
                // its user removed or renamed it since it was listed
            }
        }
    }

    private static boolean isFolder(SecureDirectoryStream<Path> folder, Path name) throws IOException {
        return folder.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes()
                .isDirectory();
    }
}
