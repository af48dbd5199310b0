package dev.fermata.live.profile;

import dev.fermata.core.model.RunFeatures;
import dev.fermata.live.spec.JobSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Cache of what command lines say. Thousands of jobs may have the same one, and parsing it is slow. */
public final class CommandFingerprints {
    private static final int CAPACITY = 1_000;

    /** The parts of a spec that decide its program key and its features. */
    private record CommandInput(String run, Map<String, String> env, List<String> secrets, int gpus) {}

    private record Parsed(ProfileKey programKey, RunFeatures features) {}

    private final Map<CommandInput, Parsed> known = new LinkedHashMap<>(16, 0.75f, true);

    public ProfileKey keyOf(JobSpec spec) {
        return parsed(spec).programKey;
    }

    /** What the run time of a job depends on. */
    public RunFeatures featuresOf(JobSpec spec) {
        return parsed(spec).features;
    }

    private Parsed parsed(JobSpec spec) {
        CommandInput entry = new CommandInput(spec.run(), spec.env(), spec.secrets(), spec.maxGpus());
        Parsed parsed = known.get(entry);
        if (parsed == null) {
            ProfileKey programKey = ProfileKey.of(spec, "", 0);
            parsed = new Parsed(programKey, CommandFeatures.of(programKey, spec));
            known.put(entry, parsed);
            if (known.size() > CAPACITY) {
                known.remove(known.keySet().iterator().next());
            }
        }
        return parsed;
    }
}
