package dev.fermata.live.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fermata.live.lock.ProcessLock;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** One file in the data folder, with a write-ahead log that is synced at every commit. */
final class SqliteDatabase implements Database {
    private static final int BUSY_MILLIS = 5000;
    private static final int READERS = 4;
    private static final int WAL_BYTES_KEPT = 64 << 20;
    private static final long MAX_CHECKED_BYTES = 256L << 20;
    private static final long MIN_FREE_BYTES = 1 << 20;

    private final Path file;
    private final ProcessLock lock;
    private final SQLiteDataSource writeSource;
    private final HikariDataSource readers;
    private final HikariDataSource ownReader;

    private SqliteDatabase(Path file) {
        this.file = file;
        this.lock = new ProcessLock(file.resolveSibling(file.getFileName() + ".lock"));
        this.writeSource = dataSource(false);
        this.readers = pool("fermata-readers", dataSource(true), READERS);
        this.ownReader = pool("fermata-own-reader", dataSource(true), 1);
    }

    static SqliteDatabase open(Path file) {
        Path folder = file.toAbsolutePath().normalize().getParent();
        if (folder == null) {
            throw new StoreException("'" + file + "' cannot be a database file", false);
        }
        try {
            if (!Files.isDirectory(folder)) {
                Files.createDirectories(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
            setNativeFolder(folder.resolve("native"));
            try {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            } catch (FileAlreadyExistsException e) {
                // The usual case. SQLite gives its other files the same mode.
            }
            if (!Files.isWritable(file) || !Files.isWritable(folder)) {
                throw new IOException("it is read-only for this account");
            }
            requireUndamaged(file);
            return new SqliteDatabase(file.toRealPath());
        } catch (IOException e) {
            throw new StoreException(
                    "cannot keep a database in " + folder + " (" + e + "). Choose another folder with --data.",
                    false,
                    e);
        }
    }

    /** The driver unpacks its native library; the system's temporary folder may be mounted noexec. */
    private static void setNativeFolder(Path folder) throws IOException {
        if (System.getProperty("org.sqlite.tmpdir") == null) {
            Files.createDirectories(folder);
            System.setProperty("org.sqlite.tmpdir", folder.toString());
        }
    }

    /** Checks a database that is small enough for that; of a large one damage shows when the damaged part is read. */
    private static void requireUndamaged(Path file) throws IOException {
        if (Files.size(file) > MAX_CHECKED_BYTES) {
            return;
        }
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + file);
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("PRAGMA quick_check(1)")) {
            String found = result.next() ? result.getString(1) : "no answer";
            if (!found.equals("ok")) {
                throw damaged("open the database", file, found, null);
            }
        } catch (SQLiteException e) {
            int code = e.getResultCode().code & 0xff;
            if (code == SQLiteErrorCode.SQLITE_CORRUPT.code || code == SQLiteErrorCode.SQLITE_NOTADB.code) {
                throw damaged("open the database", file, String.valueOf(e.getMessage()), e);
            }
            throw failureAtStart(file, e);
        } catch (SQLException e) {
            throw failureAtStart(file, e);
        }
    }

    /** A full disk is the usual cause: the write-ahead log and its index cannot be created then. */
    private static StoreException failureAtStart(Path file, SQLException e) {
        Path folder = file.toAbsolutePath().getParent();
        long free = folder == null ? 0 : folder.toFile().getUsableSpace();
        String cause = free < MIN_FREE_BYTES ? "its disk is full (" + free / 1024 + " KiB free)" : e.getMessage();
        return new StoreException("cannot open " + file + ": " + cause + ". Nothing was changed.", false, e);
    }

    private static StoreException damaged(String operation, Path file, String problem, @Nullable SQLException e) {
        String message = "cannot " + operation + ": " + file + " is damaged (" + problem
                + "). Put a backup in its place (docs/operator/store.md).";
        return e == null ? new StoreException(message, false) : new StoreException(message, false, e);
    }

    private SQLiteDataSource dataSource(boolean readOnly) {
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

    private static HikariDataSource pool(String name, DataSource source, int max) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setDataSource(source);
        config.setReadOnly(true);
        config.setMaximumPoolSize(max);
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
        return writeSource.getConnection();
    }

    @Override
    public DataSource readers() {
        return readers;
    }

    @Override
    public DataSource dedicatedReader() {
        return ownReader;
    }

    @Override
    public String toDialect(String sql) {
        return sql.replace("{key}", "INTEGER PRIMARY KEY").replace("{serial}", "INTEGER PRIMARY KEY AUTOINCREMENT");
    }

    @Override
    public void lockSchema(Connection connection) {
        // Transactions are IMMEDIATE: the first statement locks out other writers.
    }

    @Override
    public boolean tryLead(Connection connection) {
        try {
            lock.acquire();
            return true;
        } catch (ProcessLock.HeldByAnotherException e) {
            throw new StoreException(
                    "another daemon (" + e.getMessage() + ") works on " + file
                            + ". Stop it first, or choose another folder with --data.",
                    false);
        } catch (IOException e) {
            throw new StoreException("cannot lock " + file + ": " + e.getMessage(), true, e);
        }
    }

    @Override
    public void releaseLead() {
        lock.close();
    }

    @Override
    public StoreException toStoreException(String operation, SQLException failure) {
        if (!(failure instanceof SQLiteException known)) {
            // The pool had no free connection in time.
            return new StoreException("cannot " + operation + ": " + failure.getMessage(), true, failure);
        }
        SQLiteErrorCode code = known.getResultCode();
        return switch (SQLiteErrorCode.getErrorCode(code.code & 0xff)) {
            case SQLITE_FULL -> new StoreException("the disk of " + file + " is full", true, failure);
            case SQLITE_BUSY, SQLITE_LOCKED ->
                new StoreException("another program keeps " + file + " locked", true, failure);
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN ->
                new StoreException(
                        "cannot " + operation + ": " + file + " cannot be opened for writing", true, failure);
            case SQLITE_IOERR ->
                new StoreException(
                        "cannot " + operation + ": input or output error on " + file + " (" + code + ")",
                        true,
                        failure);
            case SQLITE_CORRUPT, SQLITE_NOTADB ->
                new StoreException(
                        "cannot " + operation + ": " + file
                                + " is damaged. Put a backup in its place (docs/operator/store.md).",
                        false,
                        failure);
            default -> new StoreException("cannot " + operation + ": " + failure.getMessage(), false, failure);
        };
    }

    @Override
    public void close() {
        readers.close();
        ownReader.close();
        lock.close();
    }
}
