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
 * A table and the record type of its rows.
 *
 * @param keys how many of the first columns are the key
 */
record SqlTable<R>(String name, List<String> columns, int keys, RowBinder<R> binder, RowScanner<R> scanner) {
    /** Binds a record to a statement, in the order of the columns. */
    @FunctionalInterface
    interface RowBinder<R> {
        void bind(R row, StatementParameters parameters) throws SQLException;
    }

    /** Reads a record from a result, in the order of the columns. */
    @FunctionalInterface
    interface RowScanner<R> {
        R scan(ColumnReader fields) throws SQLException;
    }

    /** The columns hold the first components of the record; later components are read from other tables. */
    static <R extends Record> SqlTable<R> of(String name, String columns, int keys, Class<R> type) {
        return of(name, columns, keys, type, 0);
    }

    /** The database numbers the rows: the record's first component is read and never written. */
    static <R extends Record> SqlTable<R> autoNumbered(String name, String columns, Class<R> type) {
        return of(name, columns, 0, type, 1);
    }

    private static <R extends Record> SqlTable<R> of(
            String name, String columns, int keys, Class<R> type, int numbered) {
        RecordMapper<R> mapper = new RecordMapper<>(type);
        List<String> names = Arrays.asList(columns.split(" "));
        if (numbered + names.size() > mapper.size()) {
            throw new IllegalStateException(type.getSimpleName() + " has fewer components than " + name + " columns");
        }
        return new SqlTable<>(
                name, names, keys, (row, to) -> mapper.bind(row, to, numbered, names.size()), mapper::scan);
    }

    /** The columns for a SELECT. */
    String selectList() {
        return columns.stream().map(column -> name + "." + column).collect(Collectors.joining(", "));
    }

    private String insert() {
        return "INSERT INTO " + name + " (" + String.join(", ", columns) + ") VALUES (?"
                + ", ?".repeat(columns.size() - 1) + ")";
    }

    private String onConflict() {
        return " ON CONFLICT (" + String.join(", ", columns.subList(0, keys)) + ") DO UPDATE SET "
                + columns.subList(keys, columns.size()).stream()
                        .map(column -> column + " = excluded." + column)
                        .collect(Collectors.joining(", "));
    }

    void insert(Connection connection, Collection<R> rows) throws SQLException {
        write(connection, insert(), rows);
    }

    /** Inserts rows or replaces those with the same key; the keys must be distinct. */
    void upsert(Connection connection, Collection<R> rows) throws SQLException {
        write(connection, insert() + onConflict(), rows);
    }

    /** Like {@link #upsert}, without a write where the last column is unchanged. */
    void upsertChanged(Connection connection, Collection<R> rows) throws SQLException {
        String last = columns.get(columns.size() - 1);
        write(connection, insert() + onConflict() + " WHERE " + name + "." + last + " <> excluded." + last, rows);
    }

    private void write(Connection connection, String sql, Collection<R> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (R row : rows) {
                binder.bind(row, new StatementParameters(statement));
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /** The result of a query for the columns of this table. */
    List<R> read(PreparedStatement query) throws SQLException {
        List<R> rows = new ArrayList<>();
        try (ResultSet result = query.executeQuery()) {
            while (result.next()) {
                rows.add(scanner.scan(new ColumnReader(result)));
            }
        }
        return rows;
    }

    /** The parameters of a statement, in order. */
    static final class StatementParameters {
        private final PreparedStatement statement;
        private int next = 1;

        StatementParameters(PreparedStatement statement) {
            this.statement = statement;
        }

        StatementParameters number(long value) throws SQLException {
            statement.setLong(next++, value);
            return this;
        }

        StatementParameters number(int value) throws SQLException {
            statement.setInt(next++, value);
            return this;
        }

        /** A component of a record; only whole numbers may be null. */
        StatementParameters value(@Nullable Object value) throws SQLException {
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

        /** PostgreSQL stores no NUL, and a job that prints one must not stop the daemon. */
        StatementParameters text(String value) throws SQLException {
            statement.setString(next++, value.indexOf('\0') < 0 ? value : value.replace('\0', '\uFFFD'));
            return this;
        }
    }

    /** The columns of a row, in order. */
    static final class ColumnReader {
        private final ResultSet result;
        private int next = 1;

        ColumnReader(ResultSet result) {
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
                return enumConstant(type, result.getString(column));
            }
            return result.getString(column);
        }

        private static Object enumConstant(Class<?> type, String name) {
            for (Object constant : type.getEnumConstants()) {
                if (((Enum<?>) constant).name().equals(name)) {
                    return constant;
                }
            }
            throw new IllegalArgumentException("'" + name + "' is no " + type.getSimpleName());
        }
    }
}
