package dev.fermata.live.store;

import java.nio.file.Path;
import java.util.Map;

/** Opens the store with a given address. */
public final class StoreFactory {
    private static final String SQLITE = "sqlite";
    private static final String FILE = "fermata.db";

    private StoreFactory() {}

    /**
     * Opens it and creates missing tables. It does not take the leadership: {@link Store#recover} does.
     *
     * @param address {@code sqlite} (a file in the data folder), {@code sqlite:FILE}, or {@code postgresql://user@host:port/db}
     */
    public static Store open(String address, Path dataFolder) {
        return open(address, dataFolder, System.getenv());
    }

    static Store open(String address, Path dataFolder, Map<String, String> environment) {
        Database database = database(address.strip(), dataFolder, environment);
        try {
            return SqlStore.open(database, new DatabaseSchema(DatabaseSchema.MIGRATIONS));
        } catch (RuntimeException | Error e) {
            database.close();
            throw e;
        }
    }

    private static Database database(String address, Path dataFolder, Map<String, String> environment) {
        if (address.equals(SQLITE)) {
            return SqliteDatabase.open(dataFolder.resolve(FILE));
        }
        if (address.startsWith(SQLITE + ":") && address.length() > SQLITE.length() + 1) {
            return SqliteDatabase.open(dataFolder.resolve(address.substring(SQLITE.length() + 1)));
        }
        return new PostgresDatabase(PostgresAddress.parse(address, environment));
    }
}
