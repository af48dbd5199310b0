package dev.fermata.live.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table and the record that its rows are.
 *
 * @param keys how many of the columns, from the first on, are the key
 */
record Table<R>(String name, List<String> columns, int keys, Binder<R> binder, Scanner<R> scanner) {
    /** Puts a record's fields into a statement, in the order of the columns. */
    @FunctionalInterface
    interface Binder<R> {
        void bind(R row, Slots slots) throws SQLException;
    }

    /** Makes a record of what a query returned, in the order of the columns. */
    @FunctionalInterface
    interface Scanner<R> {
        R scan(Fields fields) throws SQLException;
    }

    Table(String name, String columns, int keys, Binder<R> binder, Scanner<R> scanner) {
        this(name, Arrays.asList(columns.split(" ")), keys, binder, scanner);
    }

    /** The columns as a query names them. */
    String selected() {
        return columns.stream().map(column -> name + "." + column).collect(Collectors.joining(", "));
    }

    private String insert() {
        return "INSERT INTO " + name + " (" + String.join(", ", columns) + ") VALUES (?"
                + ", ?".repeat(columns.size() - 1) + ")";
    }

    private String conflict() {
        return " ON CONFLICT (" + String.join(", ", columns.subList(0, keys)) + ") DO UPDATE SET "
                + columns.subList(keys, columns.size()).stream()
                        .map(column -> column + " = excluded." + column)
                        .collect(Collectors.joining(", "));
    }

    void insert(Connection connection, Collection<R> rows) throws SQLException {
        write(connection, insert(), rows);
    }

    /** Rows replace those of the same key; two of one key must not be among them. */
    void upsert(Connection connection, Collection<R> rows) throws SQLException {
        write(connection, insert() + conflict(), rows);
    }

    /** Like {@link #upsert}, and nothing is written where the last column has not changed. */
    void upsertChanged(Connection connection, Collection<R> rows) throws SQLException {
        String last = columns.get(columns.size() - 1);
        write(connection, insert() + conflict() + " WHERE " + name + "." + last + " <> excluded." + last, rows);
    }

    private void write(Connection connection, String sql, Collection<R> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (R row : rows) {
                binder.bind(row, new Slots(statement));
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /** The rows that a query returns whose columns are this table's. */
    List<R> read(PreparedStatement query) throws SQLException {
        List<R> rows = new ArrayList<>();
        try (ResultSet result = query.executeQuery()) {
            while (result.next()) {
                rows.add(scanner.scan(new Fields(result)));
            }
        }
        return rows;
    }

    /** The parameters of a statement, one after the other. */
    static final class Slots {
        private final PreparedStatement statement;
        private int next = 1;

        Slots(PreparedStatement statement) {
            this.statement = statement;
        }

        Slots number(long value) throws SQLException {
            statement.setLong(next++, value);
            return this;
        }

        Slots number(int value) throws SQLException {
            statement.setInt(next++, value);
            return this;
        }

        Slots numberOrNull(@Nullable Integer value) throws SQLException {
            if (value == null) {
                statement.setNull(next++, Types.INTEGER);
                return this;
            }
            return number(value.intValue());
        }

        /** PostgreSQL holds no NUL, and a job that prints one must not be able to stop the daemon. */
        Slots text(String value) throws SQLException {
            statement.setString(next++, value.indexOf('\0') < 0 ? value : value.replace('\0', '\uFFFD'));
            return this;
        }
    }

    /** The columns of a row, one after the other. */
    static final class Fields {
        private final ResultSet result;
        private int next = 1;

        Fields(ResultSet result) {
            this.result = result;
        }

        long number() throws SQLException {
            return result.getLong(next++);
        }

        int whole() throws SQLException {
            return result.getInt(next++);
        }

        @Nullable
        Integer wholeOrNull() throws SQLException {
            int value = whole();
            return result.wasNull() ? null : Integer.valueOf(value);
        }

        String text() throws SQLException {
            return result.getString(next++);
        }
    }
}
