package dev.fermata.bench.torture;

/** The daemon's process is killed in the middle of a call: nothing after the call happens any more. */
final class DaemonKilled extends Error {
    private static final long serialVersionUID = 1;

    DaemonKilled(String where) {
        super(where, null, false, false);
    }
}
