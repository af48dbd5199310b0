package dev.fermata.live.store;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Maps a record to a row and back, component by component; the components of a nested record stand in its place. */
final class RecordMapper<R extends Record> {
    private final Constructor<R> constructor;
    private final List<MappedComponent> parts = new ArrayList<>();

    private record MappedComponent(
            Method accessor, Class<?> type, @Nullable RecordMapper<?> inner) {}

    RecordMapper(Class<R> type) {
        RecordComponent[] components = type.getRecordComponents();
        try {
            constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("every record has this constructor", e);
        }
        constructor.setAccessible(true);
        for (RecordComponent component : components) {
            component.getAccessor().setAccessible(true);
            parts.add(new MappedComponent(
                    component.getAccessor(), component.getType(), nestedMapper(component.getType())));
        }
    }

    @SuppressWarnings("unchecked")
    private static @Nullable RecordMapper<?> nestedMapper(Class<?> type) {
        return type.isRecord() ? new RecordMapper<>((Class<? extends Record>) type) : null;
    }

    int size() {
        return parts.stream()
                .mapToInt(part -> part.inner == null ? 1 : part.inner.size())
                .sum();
    }

    /** @param skipped the first components, which the database assigns */
    void bind(Object row, SqlTable.StatementParameters parameters, int skipped, int columns) throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        flatten(row, values);
        for (Object value : values.subList(skipped, skipped + columns)) {
            parameters.value(value);
        }
    }

    private void flatten(Object row, List<@Nullable Object> values) {
        for (MappedComponent part : parts) {
            Object value = callReflectively(() -> part.accessor.invoke(row));
            if (part.inner != null && value != null) {
                part.inner.flatten(value, values);
            } else {
                values.add(value);
            }
        }
    }

    R scan(SqlTable.ColumnReader fields) throws SQLException {
        Object[] values = new Object[parts.size()];
        for (int i = 0; i < values.length; i++) {
            MappedComponent part = parts.get(i);
            values[i] = part.inner == null ? fields.value(part.type) : part.inner.scan(fields);
        }
        return callReflectively(() -> constructor.newInstance(values));
    }

    private interface ReflectiveCall<T> {
        T get() throws ReflectiveOperationException;
    }

    private static <T> T callReflectively(ReflectiveCall<T> call) {
        try {
            return call.get();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a row does not fit its record", e);
        }
    }
}
