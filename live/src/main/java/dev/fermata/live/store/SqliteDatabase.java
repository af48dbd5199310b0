package dev.fermata.live.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fermata.live.lock.SoleUse;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** One file in the data folder, with a write-ahead log that is synced at every commit. */
final class SqliteDatabase implements Database {
    private static final int BUSY_MILLIS = 5000;
    private static final int READERS = 4;
    private static final int WAL_BYTES_KEPT = 64 << 20;

    private final Path file;
    private final SoleUse lock;
    private final SQLiteDataSource writing;
    private final HikariDataSource readers;
    private final HikariDataSource ownReader;

    private SqliteDatabase(Path file) {
        this.file = file;
        this.lock = new SoleUse(file.resolveSibling(file.getFileName() + ".lock"));
        this.writing = source(false);
        this.readers = pool("fermata-readers", source(true), READERS);
        this.ownReader = pool("fermata-own-reader", source(true), 1);
    }

    static SqliteDatabase open(Path file) {
        Path folder = file.toAbsolutePath().normalize().getParent();
        if (folder == null) {
            throw new StoreException("'" + file + "' is no file that could hold a database", false);
        }
        try {
            if (!Files.isDirectory(folder)) {
                Files.createDirectories(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            unpackInto(folder.resolve("native"));
            try {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            } catch (FileAlreadyExistsException e) {
                // The usual case. SQLite gives its other files the mode of this one.
            }
            return new SqliteDatabase(file.toRealPath());
        } catch (IOException e) {
            throw new StoreException(
                    "cannot keep a database in " + folder + " (" + e + "). Choose another folder with --data.",
                    false,
                    e);
        }
    }

    /** The driver unpacks its native library; the folder for temporary files may not allow to run what is there. */
    private static void unpackInto(Path folder) throws IOException {
        if (System.getProperty("org.sqlite.tmpdir") == null) {
            Files.createDirectories(folder);
            System.setProperty("org.sqlite.tmpdir", folder.toString());
        }
    }

    private SQLiteDataSource source(boolean readOnly) {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_MILLIS);
        config.setReadOnly(readOnly);
        if (!readOnly) {
            config.setJournalMode(SQLiteConfig.JournalMode.WAL);
            config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
            config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
            config.setJournalSizeLimit(WAL_BYTES_KEPT);
        }
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        return source;
    }

    private static HikariDataSource pool(String name, DataSource source, int most) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setDataSource(source);
        config.setReadOnly(true);
        config.setMaximumPoolSize(most);
        config.setConnectionTimeout(BUSY_MILLIS);
        config.setMinimumIdle(1);
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    @Override
    public String address() {
        return "sqlite:" + file;
    }

    @Override
    public Connection connect() throws SQLException {
        return writing.getConnection();
    }

    @Override
    public DataSource readers() {
        return readers;
    }

    @Override
    public DataSource ownReader() {
        return ownReader;
    }

    @Override
    public String spelled(String sql) {
        return sql.replace("{key}", "INTEGER PRIMARY KEY").replace("{serial}", "INTEGER PRIMARY KEY AUTOINCREMENT");
    }

    @Override
    public void reserveSchema(Connection connection) {
        // Transactions here are IMMEDIATE: the first statement shuts out other writers.
    }

    @Override
    public boolean lead(Connection connection) {
        try {
            lock.take();
            return true;
        } catch (SoleUse.Taken e) {
            throw new StoreException(
                    "another daemon (" + e.getMessage() + ") works on " + file
                            + ". Stop it first, or choose another folder with --data.",
                    false);
        } catch (IOException e) {
            throw new StoreException("cannot lock " + file + ": " + e.getMessage(), true, e);
        }
    }

    @Override
    public StoreException explain(String doing, SQLException trouble) {
        if (!(trouble instanceof SQLiteException known)) {
            // The pool had no connection in time.
            return new StoreException("cannot " + doing + ": " + trouble.getMessage(), true, trouble);
        }
        SQLiteErrorCode code = known.getResultCode();
        return switch (SQLiteErrorCode.getErrorCode(code.code & 0xff)) {
            case SQLITE_FULL -> new StoreException("the disk of " + file + " is full", true, trouble);
            case SQLITE_BUSY, SQLITE_LOCKED ->
                new StoreException("another program keeps " + file + " locked", true, trouble);
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN ->
                new StoreException("cannot " + doing + ": " + file + " cannot be opened for writing", true, trouble);
            case SQLITE_IOERR ->
                new StoreException(
                        "cannot " + doing + ": input or output error on " + file + " (" + code + ")", true, trouble);
            case SQLITE_CORRUPT, SQLITE_NOTADB ->
                new StoreException(
                        "cannot " + doing + ": " + file + " is damaged. Put a backup in its place (docs/store.md).",
                        false,
                        trouble);
            default -> new StoreException("cannot " + doing + ": " + trouble.getMessage(), false, trouble);
        };
    }

    @Override
    public void close() {
        readers.close();
        ownReader.close();
        lock.close();
    }
}
