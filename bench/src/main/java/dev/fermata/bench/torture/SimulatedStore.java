package dev.fermata.bench.torture;

import dev.fermata.bench.torture.FaultPlan.Fault;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.store.Batch;
import dev.fermata.live.store.EngineLocation;
import dev.fermata.live.store.ProfileRow;
import dev.fermata.live.store.RecoveredState;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection of one daemon to the durable rows: slow, and failing before or after the commit. The daemon is killed here
 * between any two writes. It never changes what is durable except by whole transactions.
 */
final class SimulatedStore implements Store {
    private final DurableRows rows;
    private final VirtualTime time;
    private final FaultPlan faults;
    private final Chance chance;
    private final Trace trace;
    private final Consumer<List<HistoryEntry>> onDurable;
    private @Nullable Batch unconfirmed;
    private boolean unconfirmedIsDurable;
    private boolean killed;

    SimulatedStore(
            DurableRows rows,
            VirtualTime time,
            FaultPlan faults,
            Chance chance,
            Trace trace,
            Consumer<List<HistoryEntry>> onDurable) {
        this.rows = rows;
        this.time = time;
        this.faults = faults;
        this.chance = chance;
        this.trace = trace;
        this.onDurable = onDurable;
    }

    /** The daemon died while it waited for the store: the call never returns. */
    void kill() {
        killed = true;
    }

    @Override
    public Optional<RecoveredState> recover(
            BooleanSupplier waiting, Function<RecoveredState, EngineLocation> chooseLocation) {
        if (faults.happens(Fault.READ_FAILS)) {
            throw new StoreException("the database is starting up", true);
        }
        RecoveredState found = rows.recover();
        killIf(Fault.KILLED_IN_RECOVERY, "before it claims the location");
        rows.setLocation(chooseLocation.apply(found));
        killIf(Fault.KILLED_IN_RECOVERY, "when it has claimed the location");
        return Optional.of(found);
    }

    @Override
    public void append(Batch batch) {
        if (faults.happens(Fault.APPEND_SLOW)) {
            long millis = chance.logUniform(100, 60_000);
            trace.add("store", "append takes " + millis + " ms");
            time.pass(millis);
            if (killed) {
                if (chance.oneIn(2)) {
                    makeDurable(batch);
                }
                throw new DaemonKilled("while it waited for the store");
            }
        }
        killIf(Fault.KILLED_BEFORE_APPEND, "before the append");
        if (faults.happens(Fault.APPEND_FAILS_BEFORE)) {
            trace.add("store", "append fails, nothing is durable");
            throw new StoreException("disk full", true);
        }
        makeDurable(batch);
        killIf(Fault.KILLED_AFTER_APPEND, "after the append");
        if (faults.happens(Fault.APPEND_FAILS_AFTER)) {
            trace.add("store", "append fails, but all is durable");
            unconfirmed = batch;
            unconfirmedIsDurable = true;
            throw new StoreException("the connection was closed during the commit", true);
        }
        unconfirmed = null;
        unconfirmedIsDurable = false;
    }

    private void makeDurable(Batch batch) {
        if (unconfirmedIsDurable && batch.equals(unconfirmed)) {
            return;
        }
        rows.add(batch);
        onDurable.accept(batch.entries());
    }

    private void killIf(Fault fault, String where) {
        if (faults.happens(fault)) {
            throw new DaemonKilled(where);
        }
    }

    @Override
    public void saveSnapshot(long seq, String snapshot, List<ProfileRow> learned) {
        killIf(Fault.KILLED_BEFORE_SNAPSHOT, "before the snapshot");
        if (faults.happens(Fault.SNAPSHOT_FAILS)) {
            trace.add("store", "snapshot fails");
            throw new StoreException("no room for a snapshot", true);
        }
        rows.saveSnapshot(seq, snapshot, learned);
        trace.add("store", "snapshot at entry " + seq);
        killIf(Fault.KILLED_AFTER_SNAPSHOT, "after the snapshot");
    }

    /** Whether a lookup of a job or submission fails now. */
    private void readOne() {
        if (faults.happens(Fault.READ_FAILS)) {
            throw new StoreException("no connection in time", true);
        }
    }

    @Override
    public StoreReader reader() {
        return new DurableRows.Reader(rows, this::readOne);
    }

    @Override
    public StoreReader dedicatedReader() {
        killIf(Fault.KILLED_IN_RECOVERY, "while it recovers");
        return reader();
    }

    @Override
    public TokenStore tokens() {
        throw new UnsupportedOperationException("the scheduler loop needs no tokens");
    }

    @Override
    public String address() {
        return "simulated";
    }

    @Override
    public void close() {}
}
