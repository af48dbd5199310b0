package dev.fermata.live.profile;

import dev.fermata.live.spec.JobSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Cache of program keys by command line. Thousands of jobs may have the same one, and parsing it is slow. */
public final class CommandFingerprints {
    private static final int CAPACITY = 1_000;

    /** The parts of a spec that decide its program key. */
    private record CommandInput(String run, Map<String, String> env, List<String> secrets) {}

    private final Map<CommandInput, ProfileKey> known = new LinkedHashMap<>(16, 0.75f, true);

    public ProfileKey keyOf(JobSpec spec) {
        CommandInput entry = new CommandInput(spec.run(), spec.env(), spec.secrets());
        ProfileKey programKey = known.get(entry);
        if (programKey == null) {
            programKey = ProfileKey.of(spec, "", 0);
            known.put(entry, programKey);
            if (known.size() > CAPACITY) {
                known.remove(known.keySet().iterator().next());
            }
        }
        return programKey;
    }
}
