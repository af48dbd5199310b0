package dev.fermata.cli.demo;

/**
 * One training of the demo.
 *
 * @param atMillis when it arrives, after the beginning
 * @param seed of its data and its network: the same seed and steps end with the same loss
 * @param secondsPerStep as long as this at least, for people to look on
 */
record DemoJob(String name, boolean trial, long atMillis, long seed, int steps, double secondsPerStep) {

    double seconds() {
        return steps * secondsPerStep;
    }
}
