package dev.fermata.live.store;

/** The kinds of stores, for tests that run on each. */
enum Place {
    SQLITE,
    POSTGRESQL;

    /** The address of an empty one; for SQLite the folder makes the difference. */
    String fresh() {
        return this == SQLITE ? "sqlite" : PostgresServer.newDatabase();
    }
}
