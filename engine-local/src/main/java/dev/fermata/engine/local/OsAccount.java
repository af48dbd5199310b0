package dev.fermata.engine.local;

/** The account under which a job runs; {@code switchesUser} when it is not the daemon's own. */
record OsAccount(String name, int uid, int gid, String home, String shell, boolean switchesUser) {}
