package dev.fermata.live.learn;

import dev.fermata.live.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What makes two jobs alike for whatever is measured of them.
 *
 * @param command what it runs, without what differs from run to run ({@link CommandWords})
 * @param model what it trains as far as its command or environment says, empty for nothing
 * @param gpuType the type of its GPUs
 * @param gpus how many of them
 */
public record Kind(String command, String model, String gpuType, int gpus) {
    public static Kind of(JobSpec spec, String gpuType, int gpus) {
        CommandWords words = CommandWords.of(spec);
        return new Kind(words.command(), words.model(), gpuType, gpus);
    }

    /** The same command and model, wherever and however large. */
    public Kind anywhere() {
        return new Kind(command, model, "", 0);
    }

    /** Whether it stands for all kinds of its command and model. */
    boolean isAnywhere() {
        return gpus == 0 && gpuType.isEmpty();
    }

    /** The same on other GPUs. */
    public Kind on(String otherType, int otherGpus) {
        return new Kind(command, model, otherType, otherGpus);
    }

    /** A short name that no other kind has, as far as anybody will ever see. */
    public String id() {
        try {
            String all = String.join("\n", command, model, gpuType, Integer.toString(gpus));
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 5);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** What it trains, in a few words. */
    public String label() {
        return model.isEmpty() ? command : model + " (" + command + ")";
    }
}
