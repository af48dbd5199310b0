package dev.fermata.live.spec;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.WeakHashMap;

/** Keeps one copy of a long script in memory. The jobs of an array are read from rows of their own. */
final class SharedScripts {
    private static final int SHORT = 256;
    private static final Map<String, WeakReference<String>> SCRIPTS = new WeakHashMap<>();

    private SharedScripts() {}

    /** The same text, the same object as for an equal text before. */
    static String of(String script) {
        if (script.length() <= SHORT) {
            return script;
        }
        synchronized (SCRIPTS) {
            WeakReference<String> known = SCRIPTS.get(script);
            String first = known == null ? null : known.get();
            if (first == null) {
                SCRIPTS.put(script, new WeakReference<>(script));
                return script;
            }
            return first;
        }
    }
}
