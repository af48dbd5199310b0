package dev.fermata.live.store;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a record becomes a row and a row a record: component by component, in their order; those of a record inside stand in its place.
 * So a column is named once, and what is written is what is read.
 */
final class RowShape<R extends Record> {
    private final Constructor<R> constructor;
    private final List<Part> parts = new ArrayList<>();

    private record Part(
            Method accessor, Class<?> type, @Nullable RowShape<?> inner) {}

    RowShape(Class<R> type) {
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
            parts.add(new Part(component.getAccessor(), component.getType(), inner(component.getType())));
        }
    }

    @SuppressWarnings("unchecked")
    private static @Nullable RowShape<?> inner(Class<?> type) {
        return type.isRecord() ? new RowShape<>((Class<? extends Record>) type) : null;
    }

    int size() {
        return parts.stream()
                .mapToInt(part -> part.inner == null ? 1 : part.inner.size())
                .sum();
    }

    /** @param skipped so many of the first components are the database's to give */
    void bind(Object row, Table.Slots slots, int skipped, int columns) throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        flatten(row, values);
        for (Object value : values.subList(skipped, skipped + columns)) {
            slots.value(value);
        }
    }

    private void flatten(Object row, List<@Nullable Object> values) {
        for (Part part : parts) {
            Object value = called(() -> part.accessor.invoke(row));
            if (part.inner != null && value != null) {
                part.inner.flatten(value, values);
            } else {
                values.add(value);
            }
        }
    }

    R scan(Table.Fields fields) throws SQLException {
        Object[] values = new Object[parts.size()];
        for (int i = 0; i < values.length; i++) {
            Part part = parts.get(i);
            values[i] = part.inner == null ? fields.value(part.type) : part.inner.scan(fields);
        }
        return called(() -> constructor.newInstance(values));
    }

    private interface Reflected<T> {
        T get() throws ReflectiveOperationException;
    }

    private static <T> T called(Reflected<T> call) {
        try {
            return call.get();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a row does not fit its record", e);
        }
    }
}
