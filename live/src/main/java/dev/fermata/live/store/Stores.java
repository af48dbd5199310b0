package dev.fermata.live.store;

import java.nio.file.Path;
import java.util.Map;

/** Opens the store that a user named. */
public final class Stores {
    private static final String SQLITE = "sqlite";
    private static final String FILE = "fermata.db";

    private Stores() {}

    /**
     * Opens it and makes its tables where there are none. Nothing is led yet: that is {@link Store#recover}.
     *
     * @param where {@code sqlite} (a file in the data folder), {@code sqlite:FILE}, or {@code postgresql://user@host:port/db}
     */
    public static Store open(String where, Path dataFolder) {
        return open(where, dataFolder, System.getenv());
    }

    static Store open(String where, Path dataFolder, Map<String, String> environment) {
        Database database = database(where.strip(), dataFolder, environment);
        try {
            return SqlStore.open(database, new Schema(Schema.MIGRATIONS));
        } catch (RuntimeException | Error e) {
            database.close();
            throw e;
        }
    }

    private static Database database(String where, Path dataFolder, Map<String, String> environment) {
        if (where.equals(SQLITE)) {
            return SqliteDatabase.open(dataFolder.resolve(FILE));
        }
        if (where.startsWith(SQLITE + ":") && where.length() > SQLITE.length() + 1) {
            return SqliteDatabase.open(dataFolder.resolve(where.substring(SQLITE.length() + 1)));
        }
        return new PostgresDatabase(PostgresAddress.parse(where, environment));
    }
}
