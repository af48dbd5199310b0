package dev.fermata.core.contract;

/** A number of things as text: {@code 1 GPU}, {@code 2 GPUs}. */
public final class Count {
    private Count() {}

    /** @param thing in the singular; its plural ends in s */
    public static String of(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    /** The number with its verb: {@code 1 is}, {@code 2 are}. */
    public static String are(long number) {
        return number + (number == 1 ? " is" : " are");
    }
}
