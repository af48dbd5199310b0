package dev.fermata.cli.input.sbatch;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/** The option {@code --dependency}: the jobs that must have ended before. */
final class SbatchDependencies {
    private static final Map<String, String> CONDITIONS =
            Map.of("afterok", "success", "afterany", "any", "afternotok", "failure");

    private SbatchDependencies() {}

    static void addTo(ObjectNode job, SbatchDirective d, List<String> warnings) {
        if (d.value().contains("?")) {
            throw d.error("waits for any one of several jobs, which is not supported; all of them: separate by commas");
        }
        ArrayNode after = job.withArrayProperty("after");
        for (String part : d.value().split(",", -1)) {
            String[] words = part.split(":", -1);
            String wanted = CONDITIONS.get(words[0]);
            if (wanted == null) {
                warnings.add(d.location() + " (" + part + ") is ignored: it must be afterok, afterany or afternotok");
                continue;
            }
            for (int i = 1; i < words.length; i++) {
                if (!words[i].matches("\\d{1,18}")) {
                    throw d.error("names '" + words[i] + "', which is no id of a job, such as 123");
                }
                after.add(words[i] + ":" + wanted);
            }
        }
        if (after.isEmpty()) {
            job.remove("after");
        }
    }
}
