package dev.fermata.live.store;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real PostgreSQL server, started once for all tests that need one; it ends with the JVM. Tests kill its clients and cut its
 * connections, never the machine, so its files may be in memory: every database is hundreds of them.
 */
public final class PostgresServer {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ENOUGH_BYTES = 4L << 30;

    private static final EmbeddedPostgres SERVER = start();
    private static final AtomicInteger MADE = new AtomicInteger();

    private PostgresServer() {}

    private static EmbeddedPostgres start() {
        try {
            EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().setServerConfig("fsync", "off");
            if (Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() > ENOUGH_BYTES) {
                builder.setDataDirectory(Files.createTempDirectory(MEMORY, "fermata-postgres"));
            }
            EmbeddedPostgres server = builder.start();
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> {
                                try {
                                    server.close();
                                } catch (IOException e) {
                                    // No report is possible any more.
                                }
                            },
                            "stop-postgres"));
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address of a new empty database. */
    public static String newDatabase() {
        String name = "fermata" + MADE.incrementAndGet();
        execute("postgres", "CREATE DATABASE " + name);
        return "postgresql://postgres@localhost:" + SERVER.getPort() + "/" + name;
    }

    /** A connection to the database of an address of {@link #newDatabase}. */
    public static Connection connect(String address) throws SQLException {
        return DriverManager.getConnection(
                SERVER.getJdbcUrl("postgres", address.substring(address.lastIndexOf('/') + 1)));
    }

    public static void execute(String address, String sql) {
        try (Connection connection = connect(address);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
