package dev.fermata.live.conductor;

import dev.fermata.live.learn.Kind;
import dev.fermata.live.spec.JobSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What jobs run, wherever that will be. Thousands of jobs may run the same command line, and to read it takes a while. */
final class Families {
    private static final int REMEMBERED = 1_000;

    /** All of a job that tells what it runs. */
    private record CommandLine(String run, Map<String, String> env, List<String> secrets) {}

    private final Map<CommandLine, Kind> known = new LinkedHashMap<>(16, 0.75f, true);

    Kind of(JobSpec spec) {
        CommandLine line = new CommandLine(spec.run(), spec.env(), spec.secrets());
        Kind family = known.get(line);
        if (family == null) {
            family = Kind.of(spec, "", 0);
            known.put(line, family);
            if (known.size() > REMEMBERED) {
                known.remove(known.keySet().iterator().next());
            }
        }
        return family;
    }
}
