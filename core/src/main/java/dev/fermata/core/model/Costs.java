package dev.fermata.core.model;

/**
 * What stopping and starting a job costs, in milliseconds. A pause writes a checkpoint and leaves; a first start builds
 * the model and warms up; a resumed start also restores the checkpoint.
 */
public record Costs(long pauseMillis, long buildMillis, long restoreMillis, long warmupMillis) {
    public static final Costs NONE = new Costs(0, 0, 0, 0);

    public Costs {
        Require.that(
                pauseMillis >= 0 && buildMillis >= 0 && restoreMillis >= 0 && warmupMillis >= 0,
                "costs must not be negative");
    }

    public long firstLoadMillis() {
        return buildMillis + warmupMillis;
    }

    public long reloadMillis() {
        return buildMillis + restoreMillis + warmupMillis;
    }

    public long loadMillis(boolean resumed) {
        return resumed ? reloadMillis() : firstLoadMillis();
    }

    public Costs scaled(double factor) {
        return new Costs(
                Math.round(pauseMillis * factor),
                Math.round(buildMillis * factor),
                Math.round(restoreMillis * factor),
                Math.round(warmupMillis * factor));
    }
}
