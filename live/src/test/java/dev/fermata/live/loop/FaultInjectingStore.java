package dev.fermata.live.loop;

import dev.fermata.live.store.Batch;
import dev.fermata.live.store.EngineLocation;
import dev.fermata.live.store.ProfileRow;
import dev.fermata.live.store.RecoveredState;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** A real store that can simulate a crash of the daemon at its next write. */
public final class FaultInjectingStore implements Store {
    /** The fault at the next write. */
    public enum Fault {
        NONE,
        BEFORE_APPEND,
        AFTER_APPEND,
        BEFORE_SNAPSHOT,
        AFTER_SNAPSHOT,
        /** The snapshot is not saved; the daemon continues. */
        NO_SNAPSHOT
    }

    /** The simulated crash. */
    public static final class InjectedCrash extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** Whether the write became durable. */
        public final boolean durable;

        InjectedCrash(boolean durable) {
            super("crash");
            this.durable = durable;
        }
    }

    private final Store store;
    public Fault next = Fault.NONE;

    public FaultInjectingStore(Store store) {
        this.store = store;
    }

    @Override
    public void append(Batch batch) {
        if (next == Fault.BEFORE_APPEND) {
            throw new InjectedCrash(false);
        }
        store.append(batch);
        if (next == Fault.AFTER_APPEND) {
            throw new InjectedCrash(true);
        }
    }

    @Override
    public void saveSnapshot(long seq, String snapshot, List<ProfileRow> profileUpdate) {
        if (next == Fault.BEFORE_SNAPSHOT) {
            throw new InjectedCrash(true);
        }
        if (next == Fault.NO_SNAPSHOT) {
            throw new StoreException("no room for a snapshot", true);
        }
        store.saveSnapshot(seq, snapshot, profileUpdate);
        if (next == Fault.AFTER_SNAPSHOT) {
            throw new InjectedCrash(true);
        }
    }

    @Override
    public Optional<RecoveredState> recover(
            BooleanSupplier waiting, Function<RecoveredState, EngineLocation> checkLocation) {
        return store.recover(waiting, checkLocation);
    }

    @Override
    public StoreReader reader() {
        return store.reader();
    }

    @Override
    public StoreReader dedicatedReader() {
        return store.dedicatedReader();
    }

    @Override
    public TokenStore tokens() {
        return store.tokens();
    }

    @Override
    public String address() {
        return store.address();
    }

    @Override
    public void close() {
        store.close();
    }
}
