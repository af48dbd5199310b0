package dev.fermata.live.learn;

import dev.fermata.live.spec.JobSpec;

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

    /** The same on other GPUs. */
    public Kind on(String otherType, int otherGpus) {
        return new Kind(command, model, otherType, otherGpus);
    }

    /** What it trains, in a few words. */
    public String label() {
        return model.isEmpty() ? command : model + " (" + command + ")";
    }
}
