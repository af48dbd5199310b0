package dev.fermata.live.engine.local;

/** An account of this machine as which a job runs; {@code switched} when it is not the daemon's own. */
record Account(String name, int uid, int gid, String home, String shell, boolean switched) {}
