package dev.fermata.sim.trace;

import dev.fermata.core.model.After;
import dev.fermata.core.model.Bundle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What holds jobs of a trace together: who waits for whom, and who is part of which array. Few traces tell. */
final class Ties {
    private final Map<String, Long> numbers;
    private final Map<String, Long> arrays = new HashMap<>();

    private Ties(Map<String, Long> numbers) {
        this.numbers = numbers;
    }

    /** @param own whether jobs go by the numbers that they have in the trace, not by their places in it */
    static Ties among(List<TraceRecord> records, boolean own) {
        Map<String, Long> numbers = new HashMap<>();
        if (records.stream().anyMatch(record -> !record.after().isEmpty())) {
            for (int i = 0; i < records.size(); i++) {
                String id = records.get(i).id();
                numbers.put(id, own ? Long.parseLong(id) : i + 1);
            }
        }
        return new Ties(numbers);
    }

    /** Whom a job waits for; who is not in this part of the trace counts as ended. */
    List<After> after(TraceRecord record) {
        if (record.after().isEmpty()) {
            return List.of();
        }
        List<After> after = new ArrayList<>();
        for (String one : record.after()) {
            int cut = one.lastIndexOf(':');
            Long number = numbers.get(one.substring(0, cut));
            if (number != null) {
                after.add(new After(
                        number, After.Wanted.valueOf(one.substring(cut + 1).toUpperCase(Locale.ROOT))));
            }
        }
        return after;
    }

    /** An array goes by the number of its first job. */
    Bundle bundle(TraceRecord record, long number) {
        if (record.array().isEmpty()) {
            return Bundle.NONE;
        }
        long first = arrays.computeIfAbsent(record.array(), array -> number);
        return new Bundle(first, (int) (number - first), record.arrayLimit());
    }
}
