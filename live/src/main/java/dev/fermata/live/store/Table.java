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

    /** The columns hold the first components of the record; what follows is read from elsewhere. */
    static <R extends Record> Table<R> of(String name, String columns, int keys, Class<R> type) {
        return of(name, columns, keys, type, 0);
    }

    /** The database numbers the rows: the record's first component is read and never written. */
    static <R extends Record> Table<R> numbered(String name, String columns, Class<R> type) {
        return of(name, columns, 0, type, 1);
    }

    private static <R extends Record> Table<R> of(String name, String columns, int keys, Class<R> type, int numbered) {
        RowShape<R> shape = new RowShape<>(type);
        List<String> names = Arrays.asList(columns.split(" "));
        if (numbered + names.size() > shape.size()) {
            throw new IllegalStateException(type.getSimpleName() + " has fewer components than " + name + " columns");
        }
        return new Table<>(name, names, keys, (row, to) -> shape.bind(row, to, numbered, names.size()), shape::scan);
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

        /** A component of a record; only whole numbers may be absent. */
        Slots value(@Nullable Object value) throws SQLException {
            if (value == null) {
                statement.setNull(next++, Types.INTEGER);
                return this;
            } else if (value instanceof Integer whole) {
                return number(whole.intValue());
            } else if (value instanceof Number number) {
                return number(number.longValue());
            } else if (value instanceof Boolean yes) {
                return number(yes ? 1 : 0);
            }
            return text(value instanceof Enum<?> one ? one.name() : (String) value);
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

        /** The next column as a component of this type. */
        @Nullable
        Object value(Class<?> type) throws SQLException {
            int column = next++;
            if (type == long.class) {
                return result.getLong(column);
            } else if (type == int.class) {
                return result.getInt(column);
            } else if (type == Integer.class) {
                int value = result.getInt(column);
                return result.wasNull() ? null : Integer.valueOf(value);
            } else if (type == boolean.class) {
                return result.getInt(column) != 0;
            } else if (type.isEnum()) {
                return constant(type, result.getString(column));
            }
            return result.getString(column);
        }

        private static Object constant(Class<?> type, String name) {
            for (Object constant : type.getEnumConstants()) {
                if (((Enum<?>) constant).name().equals(name)) {
                    return constant;
                }
            }
            throw new IllegalArgumentException("'" + name + "' is no " + type.getSimpleName());
        }
    }
}
