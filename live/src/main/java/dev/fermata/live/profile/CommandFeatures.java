package dev.fermata.live.profile;

import dev.fermata.core.model.RunFeatures;
import dev.fermata.live.spec.JobSpec;
import java.util.Map;
import java.util.TreeMap;

/** Reads from a command what the run time of its job depends on. */
public final class CommandFeatures {
    /** A job with this variable runs only this many steps, to be profiled. */
    public static final String PROFILE_STEPS = "FERMATA_PROFILE_STEPS";

    private CommandFeatures() {}

    public static RunFeatures of(JobSpec spec) {
        return of(ProfileKey.of(spec, "", 0), spec);
    }

    /** @param programKey the key of the command */
    static RunFeatures of(ProfileKey programKey, JobSpec spec) {
        if (spec.env().containsKey(PROFILE_STEPS)) {
            return RunFeatures.NONE; // it ends early, so its run time says nothing about others
        }
        StringBuilder program = new StringBuilder(programKey.model());
        Map<String, String> options = new TreeMap<>();
        for (String word : programKey.command().split(" ", -1)) {
            int sign = word.indexOf('=');
            if (word.startsWith("--")) {
                options.put(sign < 0 ? word : word.substring(0, sign), sign < 0 ? "" : word.substring(sign + 1));
            } else {
                program.append(program.isEmpty() ? "" : " ").append(word);
            }
        }
        options.put("gpus", Integer.toString(spec.maxGpus()));
        RunLength length = RunLength.of(spec.run());
        return new RunFeatures(program.toString(), options, length.steps(), length.epochs());
    }
}
