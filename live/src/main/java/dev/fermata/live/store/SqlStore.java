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

/** The store over a relational database. */
final class SqlStore implements Store {
    private static final Logger LOG = LoggerFactory.getLogger(SqlStore.class);
    private static final long STANDBY_MILLIS = 500;

    private final Database database;
    private final Schema schema;
    private final WriteLane lane;
    private final Leadership leadership;
    private final SqlReader reader;
    private final SqlReader ownReader;
    private final SqlTokens tokens;

    private long ticket;
    private @Nullable Batch unsure;

    private SqlStore(Database database, Schema schema) {
        this.database = database;
        this.schema = schema;
        this.lane = new WriteLane(database);
        this.leadership = new Leadership(database);
        this.reader = new SqlReader(database, database.readers());
        this.ownReader = new SqlReader(database, database.ownReader());
        this.tokens = new SqlTokens(database, lane);
    }

    static SqlStore open(Database database, Schema schema) {
        SqlStore store = new SqlStore(database, schema);
        try {
            schema.prepare(store.lane, database);
            return store;
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    @Override
    public Optional<Recovery> recover(BooleanSupplier waiting, Function<Recovery, Home> moveIn) {
        boolean standby = false;
        while (true) {
            try {
                if (lane.transact("take the lead", database::lead)) {
                    return Optional.of(takeOver(moveIn));
                }
                if (!standby) {
                    standby = true;
                    LOG.info("standby: {} leads on {}", lane.transact("ask who leads", leadership::writer), address());
                }
            } catch (StoreException e) {
                // A standby outlives a restart of the server, like the daemon it stands by for.
                if (!standby || !e.passing()) {
                    throw e;
                }
                LOG.warn("standby: {}", e.getMessage());
            }
            if (!waiting.getAsBoolean() || !pause()) {
                return Optional.empty();
            }
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(STANDBY_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Recovery takeOver(Function<Recovery, Home> moveIn) {
        schema.upgrade(lane, database);
        Recollection found = lane.transact("recover", connection -> {
            if (!leadership.take(connection)) {
                throw new StoreException("the lead on " + address() + " was lost again", true);
            }
            Recollection read = Recollection.read(
                    connection,
                    leadership.epoch(connection),
                    leadership.lastSeq(connection),
                    leadership.home(connection));
            leadership.moveTo(connection, moveIn.apply(read.recovery()));
            return read;
        });
        leadership.taken(found.epoch());
        ticket = 0;
        unsure = null;
        LOG.info("leading on {} (epoch {})", address(), found.epoch());
        return found.recovery();
    }

    @Override
    public void append(Batch batch) {
        if (batch.isEmpty()) {
            lane.transact("ask who leads", connection -> {
                leadership.check(connection);
                return true;
            });
            return;
        }
        if (!batch.equals(unsure)) {
            ticket++;
            unsure = batch;
        }
        long number = ticket;
        lane.transact("make the history durable", connection -> {
            new Append(connection, leadership).write(batch, number);
            return true;
        });
        unsure = null;
    }

    @Override
    public void saveImage(long seq, String image, List<KindRow> learned) {
        lane.transact("keep an image", connection -> {
            leadership.hold(connection);
            if (seq > leadership.lastSeq(connection)) {
                throw new StoreException("an image of line " + seq + ", which the history does not have yet", false);
            }
            Append.image(connection, seq, image);
            Append.learned(connection, learned);
            return true;
        });
    }

    @Override
    public Reader reader() {
        return reader;
    }

    @Override
    public Reader ownReader() {
        return ownReader;
    }

    @Override
    public Tokens tokens() {
        return tokens;
    }

    @Override
    public String address() {
        return database.address();
    }

    @Override
    public void close() {
        lane.close();
        database.close();
    }

    /** Of rows with one key the last, at the place of the first. */
    static <K, R> List<R> latest(List<R> rows, Function<R, K> key) {
        Map<K, R> kept = new LinkedHashMap<>();
        for (R row : rows) {
            kept.put(key.apply(row), row);
        }
        return List.copyOf(kept.values());
    }
}
