package dev.fermata.sim.trace.text;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Gives the same string for the same characters, so that a user's name is in memory once, not once per job. */
final class StringPool {
    private static final int MAX = 1 << 16;

    private @Nullable String[] slots = new String[256];
    private int used;

    String pool(char[] chars, int from, int to) {
        int hash = 0;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + chars[i];
        }
        int mask = slots.length - 1;
        int at = spread(hash) & mask;
        String found = slots[at];
        while (found != null) {
            if (matches(found, chars, from, to)) {
                return found;
            }
            at = (at + 1) & mask;
            found = slots[at];
        }
        String name = new String(chars, from, to - from);
        if (used < MAX) {
            slots[at] = name;
            used++;
            if (used * 2 > slots.length) {
                grow();
            }
        }
        return name;
    }

    private static int spread(int hash) {
        return hash ^ (hash >>> 16);
    }

    private static boolean matches(String name, char[] chars, int from, int to) {
        if (name.length() != to - from) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) != chars[from + i]) {
                return false;
            }
        }
        return true;
    }

    private void grow() {
        @Nullable String[] old = slots;
        slots = Arrays.copyOf(new String[0], old.length * 2);
        int mask = slots.length - 1;
        for (String name : old) {
            if (name != null) {
                int at = spread(name.hashCode()) & mask;
                while (slots[at] != null) {
                    at = (at + 1) & mask;
                }
                slots[at] = name;
            }
        }
    }
}
