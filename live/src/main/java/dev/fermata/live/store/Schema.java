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

/** The tables, and how they came to be: numbered migrations, each in a transaction of its own. */
final class Schema {
    /** What this program knows, in order; the first makes version 1. */
    static final List<String> MIGRATIONS = readAll();

    private final List<String> migrations;

    Schema(List<String> migrations) {
        this.migrations = migrations;
    }

    /** Migrations are {@code 1.sql}, {@code 2.sql} … beside this class. */
    private static List<String> readAll() {
        List<String> found = new ArrayList<>();
        while (true) {
            try (InputStream in = Schema.class.getResourceAsStream((found.size() + 1) + ".sql")) {
                if (in == null) {
                    return List.copyOf(found);
                }
                found.add(new String(in.readAllBytes(), UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Makes the tables where there are none. Tables of an older version wait for {@link #upgrade}; newer ones are refused. */
    void prepare(WriteLane lane, Database database) {
        if (lane.transact("read the schema", connection -> version(connection, database)) == 0) {
            upgrade(lane, database);
        }
    }

    /** Brings the tables up to date. Only for whoever leads, or for a database without tables. */
    void upgrade(WriteLane lane, Database database) {
        boolean more = true;
        while (more) {
            more = lane.transact("change the schema", connection -> step(connection, database));
        }
    }

    private boolean step(Connection connection, Database database) throws SQLException {
        database.reserveSchema(connection);
        int version = version(connection, database);
        if (version == migrations.size()) {
            return false;
        }
        try (Statement statement = connection.createStatement()) {
            if (version == 0) {
                statement.execute(
                        "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_millis BIGINT NOT NULL)");
            }
            for (String sql : database.spelled(migrations.get(version)).split(";\\s*\n")) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO schema_version VALUES (?, ?)")) {
            new Table.Slots(insert).number(version + 1).number(System.currentTimeMillis());
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
