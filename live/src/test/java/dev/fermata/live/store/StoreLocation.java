package dev.fermata.live.store;

/** The types of stores, for tests that run on each. */
enum StoreLocation {
    SQLITE,
    POSTGRESQL;

    /** The address of an empty one; for SQLite the folder differs. */
    String newAddress() {
        return this == SQLITE ? "sqlite" : PostgresServer.newDatabase();
    }
}
