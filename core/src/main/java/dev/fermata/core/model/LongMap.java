package dev.fermata.core.model;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hash map from ids to objects without boxing, for the few look-ups that every event makes. Open addressing with linear
 * probing; iteration is in table order, the same for the same operations.
 */
public final class LongMap<V> {
    private long[] keys = new long[64];
    private @Nullable Object[] values = new @Nullable Object[64];
    private int size;

    public int size() {
        return size;
    }

    @SuppressWarnings("unchecked")
    public @Nullable V get(long key) {
        int mask = keys.length - 1;
        for (int i = home(key, mask); values[i] != null; i = (i + 1) & mask) {
            if (keys[i] == key) {
                return (V) values[i];
            }
        }
        return null;
    }

    public void put(long key, V value) {
        if (2 * (size + 1) > keys.length) {
            grow();
        }
        int mask = keys.length - 1;
        int i = home(key, mask);
        while (values[i] != null && keys[i] != key) {
            i = (i + 1) & mask;
        }
        size += values[i] == null ? 1 : 0;
        keys[i] = key;
        values[i] = value;
    }

    @SuppressWarnings("unchecked")
    public @Nullable V remove(long key) {
        int mask = keys.length - 1;
        int i = home(key, mask);
        while (values[i] != null && keys[i] != key) {
            i = (i + 1) & mask;
        }
        Object removed = values[i];
        if (removed != null) {
            size--;
            closeGap(i, mask);
        }
        return (V) removed;
    }

    /** Moves later entries of the same run up, so that no look-up stops at the hole. */
    private void closeGap(int hole, int mask) {
        int gap = hole;
        for (int i = (gap + 1) & mask; values[i] != null; i = (i + 1) & mask) {
            int home = home(keys[i], mask);
            if (((i - home) & mask) >= ((i - gap) & mask)) {
                keys[gap] = keys[i];
                values[gap] = values[i];
                gap = i;
            }
        }
        values[gap] = null;
    }

    @SuppressWarnings("unchecked")
    public void forEach(Consumer<? super V> visitor) {
        for (Object value : values) {
            if (value != null) {
                visitor.accept((V) value);
            }
        }
    }

    private void grow() {
        long[] oldKeys = keys;
        @Nullable Object[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new @Nullable Object[oldKeys.length * 2];
        int mask = keys.length - 1;
        for (int k = 0; k < oldKeys.length; k++) {
            if (oldValues[k] != null) {
                int i = home(oldKeys[k], mask);
                while (values[i] != null) {
                    i = (i + 1) & mask;
                }
                keys[i] = oldKeys[k];
                values[i] = oldValues[k];
            }
        }
    }

    private static int home(long key, int mask) {
        long h = key * 0x9E3779B97F4A7C15L;
        return (int) (h >>> 32) & mask;
    }
}
