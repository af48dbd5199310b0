package dev.fermata.live.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The tables, built by numbered migrations, each in its own transaction. */
final class DatabaseSchema {
    /** In order; the first makes version 1. */
    static final List<String> MIGRATIONS = readAll();

    private final List<String> migrations;

    DatabaseSchema(List<String> migrations) {
        this.migrations = migrations;
    }

    /** Migrations are the resources {@code 1.sql}, {@code 2.sql} … of this package. */
    private static List<String> readAll() {
        List<String> found = new ArrayList<>();
        while (true) {
            try (InputStream in = DatabaseSchema.class.getResourceAsStream((found.size() + 1) + ".sql")) {
                if (in == null) {
                    return List.copyOf(found);
                }
                found.add(new String(in.readAllBytes(), UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Creates the tables in an empty database. Older tables wait for {@link #upgrade}; newer ones are rejected. */
    void prepare(WriteConnection writer, Database database) {
        if (writer.transact("read the schema", connection -> version(connection, database)) == 0) {
            upgrade(writer, database);
        }
    }

    /** Migrates the tables. Only for the leader, or for a database without tables. */
    void upgrade(WriteConnection writer, Database database) {
        boolean more = true;
        while (more) {
            more = writer.transact("change the schema", connection -> applyNext(connection, database));
        }
    }

    private boolean applyNext(Connection connection, Database database) throws SQLException {
        database.lockSchema(connection);
        int version = version(connection, database);
        if (version == migrations.size()) {
            return false;
        }
        try (Statement statement = connection.createStatement()) {
            if (version == 0) {
                statement.execute(
                        "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_millis BIGINT NOT NULL)");
            }
            for (String sql : database.toDialect(migrations.get(version)).split(";\\s*\n")) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        }
        if (version + 1 == StoredFormatMigration.SCHEMA_VERSION) {
            StoredFormatMigration.run(connection);
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO schema_version VALUES (?, ?)")) {
            new SqlTable.StatementParameters(insert).number(version + 1).number(System.currentTimeMillis());
            insert.executeUpdate();
        }
        return true;
    }

    private int version(Connection connection, Database database) throws SQLException {
        try (ResultSet tables =
                connection.getMetaData().getTables(null, connection.getSchema(), "schema_version", null)) {
            if (!tables.next()) {
                return 0;
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT MAX(version) FROM schema_version")) {
            result.next();
            int version = result.getInt(1);
            if (version > migrations.size()) {
                throw new StoreException(
                        database.address() + " has tables of version " + version
                                + ", made by a newer fermata; this one knows up to " + migrations.size()
                                + ". Use the newer program, or another store.",
                        false);
            }
            return version;
        }
    }
}
