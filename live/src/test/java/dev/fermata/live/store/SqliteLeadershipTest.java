package dev.fermata.live.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One daemon on one file. */
class SqliteLeadershipTest {
    @TempDir
    Path folder;

    @Test
    void secondProcessIsRejectedUntilTheFirstExits() throws Exception {
        Path data = folder.resolve("data");
        Path link = Files.createSymbolicLink(folder.resolve("link"), data);
        try (StoreProcess first = new StoreProcess(List.of(), "sqlite", data)) {
            first.awaitLine("leads ");
            for (Path path : List.of(data, link)) {
                try (Store second = StoreFactory.open("sqlite", path)) {
                    assertThatThrownBy(() -> second.recover(() -> true))
                            .isInstanceOfSatisfying(
                                    StoreException.class,
                                    e -> assertThat(e.isRetryable()).isFalse())
                            .hasMessageContaining("another daemon (pid " + first.pid() + ") works on " + data)
                            .hasMessageContaining("--data");
                    assertThat(second.reader().countsByState()).isNotEmpty();
                }
            }
            first.kill();
        }
        try (Store next = StoreFactory.open("sqlite", link)) {
            assertThat(next.recover(() -> true)).isPresent();
        }
    }

    @Test
    void rejectedStoreInTheSameProcessKeepsTheLock() throws Exception {
        Path data = folder.resolve("data");
        try (Store first = StoreFactory.open("sqlite", data)) {
            first.recover(() -> true);
            try (Store second = StoreFactory.open("sqlite", data)) {
                assertThatThrownBy(() -> second.recover(() -> true))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("this process itself");
            }
            try (StoreProcess third = new StoreProcess(List.of(), "sqlite", data)) {
                third.awaitLine(
                        "failed another daemon (pid " + ProcessHandle.current().pid());
            }
            first.append(StoreProcess.batch(0, 1));
        }
        try (Store next = StoreFactory.open("sqlite", data)) {
            assertThat(next.recover(() -> true).orElseThrow().nextSeq()).isEqualTo(4);
        }
    }

    @Test
    void recoverMayBeCalledTwice() {
        try (Store store = StoreFactory.open("sqlite", folder)) {
            store.recover(() -> true);
            store.append(StoreProcess.batch(0, 1));
            assertThat(store.recover(() -> true).orElseThrow().nextSeq()).isEqualTo(4);
            store.append(StoreProcess.batch(3, 4));
        }
    }

    @Test
    void filesAreReadableByTheOwnerOnly() throws Exception {
        Path data = folder.resolve("data");
        try (Store store = StoreFactory.open("sqlite", data)) {
            store.recover(() -> true);
            store.append(StoreProcess.batch(0, 1));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                    .isEqualTo("rwx------");
            try (var files = Files.list(data)) {
                assertThat(files.filter(Files::isRegularFile))
                        .hasSizeGreaterThanOrEqualTo(3)
                        .allSatisfy(
                                file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                                        .isEqualTo("rw-------"));
            }
        }
    }

    @Test
    void damagedFileIsNamed() throws Exception {
        Files.writeString(
                folder.resolve("fermata.db"), "this is no database at all, and it is longer than a header".repeat(20));
        assertThatThrownBy(() -> StoreFactory.open("sqlite", folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("fermata.db is damaged");
    }

    @Test
    void impossibleFolderIsNamed() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> StoreFactory.open("sqlite", file.resolve("data")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot keep a database in")
                .hasMessageContaining("--data");
    }
}
