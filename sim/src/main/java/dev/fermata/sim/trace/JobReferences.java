package dev.fermata.sim.trace;

import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.JobArray;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The relations between jobs of a trace: dependencies and arrays. Few traces have them. */
final class JobReferences {
    private final Map<String, Long> numbers;
    private final Map<String, Long> firstIdByArray = new HashMap<>();

    private JobReferences(Map<String, Long> numbers) {
        this.numbers = numbers;
    }

    /** @param numericIds whether jobs keep the numbers of the trace instead of their positions in it */
    static JobReferences resolve(List<TraceRecord> records, boolean numericIds) {
        Map<String, Long> numbers = new HashMap<>();
        if (records.stream().anyMatch(record -> !record.dependencies().isEmpty())) {
            for (int i = 0; i < records.size(); i++) {
                String id = records.get(i).id();
                numbers.put(id, numericIds ? Long.parseLong(id) : i + 1);
            }
        }
        return new JobReferences(numbers);
    }

    /** The dependencies of a job; a job outside this part of the trace counts as ended. */
    List<Dependency> dependencies(TraceRecord record) {
        if (record.dependencies().isEmpty()) {
            return List.of();
        }
        List<Dependency> after = new ArrayList<>();
        for (String one : record.dependencies()) {
            int separator = one.lastIndexOf(':');
            Long number = numbers.get(one.substring(0, separator));
            if (number != null) {
                after.add(new Dependency(
                        number,
                        Dependency.Condition.valueOf(
                                one.substring(separator + 1).toUpperCase(Locale.ROOT))));
            }
        }
        return after;
    }

    /** The id of an array is the number of its first job. */
    JobArray jobArray(TraceRecord record, long number) {
        if (record.array().isEmpty()) {
            return JobArray.NONE;
        }
        long first = firstIdByArray.computeIfAbsent(record.array(), array -> number);
        return new JobArray(first, (int) (number - first), record.arrayLimit());
    }
}
