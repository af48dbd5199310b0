package dev.fermata.live.store;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The store in a relational database. */
final class SqlStore implements Store {
    private static final Logger LOG = LoggerFactory.getLogger(SqlStore.class);
    private static final long STANDBY_MILLIS = 500;

    private final Database database;
    private final DatabaseSchema schema;
    private final WriteConnection writer;
    private final Leadership leadership;
    private final SqlReader reader;
    private final SqlReader ownReader;
    private final SqlTokens tokens;

    private long batchNumber;
    private @Nullable Batch unconfirmedBatch;

    private SqlStore(Database database, DatabaseSchema schema) {
        this.database = database;
        this.schema = schema;
        this.writer = new WriteConnection(database);
        this.leadership = new Leadership(database);
        this.reader = new SqlReader(database, database.readers());
        this.ownReader = new SqlReader(database, database.dedicatedReader());
        this.tokens = new SqlTokens(database, writer, leadership);
    }

    static SqlStore open(Database database, DatabaseSchema schema) {
        SqlStore store = new SqlStore(database, schema);
        try {
            schema.prepare(store.writer, database);
            return store;
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    @Override
    public Optional<RecoveredState> recover(
            BooleanSupplier waiting, Function<RecoveredState, EngineLocation> chooseLocation) {
        boolean standby = false;
        while (true) {
            try {
                if (writer.transact("take the leadership", database::tryLead)) {
                    return Optional.of(takeOver(chooseLocation));
                }
                if (!standby) {
                    standby = true;
                    LOG.info(
                            "standby: {} is the leader of {}",
                            writer.transact("read the leader", leadership::writer),
                            address());
                }
            } catch (StoreException e) {
                // A standby survives a restart of the server.
                if (!standby || !e.isRetryable()) {
                    throw e;
                }
                LOG.warn("standby: {}", e.getMessage());
            }
            if (!waiting.getAsBoolean() || !sleepStandby()) {
                return Optional.empty();
            }
        }
    }

    private static boolean sleepStandby() {
        try {
            Thread.sleep(STANDBY_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Does not hold the leadership after a failure: another daemon may succeed. */
    private RecoveredState takeOver(Function<RecoveredState, EngineLocation> chooseLocation) {
        try {
            return recoverAsLeader(chooseLocation);
        } catch (RuntimeException | Error e) {
            database.releaseLead();
            throw e;
        }
    }

    private RecoveredState recoverAsLeader(Function<RecoveredState, EngineLocation> chooseLocation) {
        schema.upgrade(writer, database);
        TakeoverState found = writer.transact("recover", connection -> {
            if (!leadership.acquire(connection)) {
                throw new StoreException("the leadership of " + address() + " was lost again", true);
            }
            TakeoverState read = TakeoverState.read(
                    connection,
                    leadership.epoch(connection),
                    leadership.lastSeq(connection),
                    leadership.engineLocation(connection));
            leadership.setEngineLocation(connection, chooseLocation.apply(read.recovered()));
            return read;
        });
        leadership.confirm(found.epoch());
        batchNumber = 0;
        unconfirmedBatch = null;
        LOG.info("leader of {} (epoch {})", address(), found.epoch());
        return found.recovered();
    }

    @Override
    public void append(Batch batch) {
        if (batch.isEmpty()) {
            writer.transact("read the leader", connection -> {
                leadership.verify(connection);
                return true;
            });
            return;
        }
        if (!batch.equals(unconfirmedBatch)) {
            batchNumber++;
            unconfirmedBatch = batch;
        }
        long number = batchNumber;
        writer.transact("make the history durable", connection -> {
            new BatchWriter(connection, leadership).write(batch, number);
            return true;
        });
        unconfirmedBatch = null;
    }

    @Override
    public void saveSnapshot(long seq, String snapshot, List<ProfileRow> learned) {
        writer.transact("save a snapshot", connection -> {
            leadership.lockLead(connection);
            if (seq > leadership.lastSeq(connection)) {
                throw new StoreException(
                        "snapshot at history entry " + seq + " rejected: the history does not have this entry yet",
                        false);
            }
            BatchWriter.writeSnapshot(connection, seq, snapshot);
            BatchWriter.writeProfiles(connection, learned);
            return true;
        });
    }

    @Override
    public int removeOld(long endedBeforeMillis, long auditBeforeMillis) {
        return writer.transact("remove old rows", connection -> {
            leadership.lockLead(connection);
            return new OldRows(connection).remove(endedBeforeMillis, auditBeforeMillis);
        });
    }

    @Override
    public StoreReader reader() {
        return reader;
    }

    @Override
    public StoreReader dedicatedReader() {
        return ownReader;
    }

    @Override
    public TokenStore tokens() {
        return tokens;
    }

    @Override
    public String address() {
        return database.address();
    }

    @Override
    public void close() {
        writer.close();
        database.close();
    }

    /** The last of the rows with one key, at the position of the first. */
    static <K, R> List<R> lastByKey(List<R> rows, Function<R, K> key) {
        Map<K, R> kept = new LinkedHashMap<>();
        for (R row : rows) {
            kept.put(key.apply(row), row);
        }
        return List.copyOf(kept.values());
    }
}
