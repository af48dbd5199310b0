package dev.fermata.live.profile;

import dev.fermata.live.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The key of jobs with the same learned behaviour.
 *
 * @param command the command without what differs between runs ({@link NormalizedCommand})
 * @param model the model that the command or environment names; empty for none
 */
public record ProfileKey(String command, String model, String gpuType, int gpus) {
    public static ProfileKey of(JobSpec spec, String gpuType, int gpus) {
        NormalizedCommand words = NormalizedCommand.of(spec);
        return new ProfileKey(words.command(), words.model(), gpuType, gpus);
    }

    /** The key of the same command and model on any GPUs. */
    public ProfileKey programKey() {
        return new ProfileKey(command, model, "", 0);
    }

    /** Whether this is the key of a command and model on any GPUs. */
    boolean isProgramKey() {
        return gpus == 0 && gpuType.isEmpty();
    }

    /** The key of the same program on other GPUs. */
    public ProfileKey onGpus(String otherType, int otherGpus) {
        return new ProfileKey(command, model, otherType, otherGpus);
    }

    /** A short hash of the key, unique in practice. */
    public String id() {
        try {
            String all = String.join("\n", command, model, gpuType, Integer.toString(gpus));
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 5);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The model and command for people. */
    public String label() {
        return model.isEmpty() ? command : model + " (" + command + ")";
    }
}
