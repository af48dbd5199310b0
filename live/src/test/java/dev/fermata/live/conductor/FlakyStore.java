package dev.fermata.live.conductor;

import dev.fermata.live.store.Batch;
import dev.fermata.live.store.Home;
import dev.fermata.live.store.KindRow;
import dev.fermata.live.store.Recovery;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** A real store in front of which the daemon dies when it is told to. */
final class FlakyStore implements Store {
    /** What happens when something is written next. */
    enum Mishap {
        NONE,
        BEFORE_APPEND,
        AFTER_APPEND,
        BEFORE_IMAGE,
        AFTER_IMAGE,
        /** The daemon lives, but the image is not kept. */
        NO_IMAGE
    }

    /** The daemon is no more. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** Whether what it was about to say became durable. */
        final boolean durable;

        Crash(boolean durable) {
            super("crash");
            this.durable = durable;
        }
    }

    private final Store store;
    Mishap next = Mishap.NONE;

    FlakyStore(Store store) {
        this.store = store;
    }

    @Override
    public void append(Batch batch) {
        if (next == Mishap.BEFORE_APPEND) {
            throw new Crash(false);
        }
        store.append(batch);
        if (next == Mishap.AFTER_APPEND) {
            throw new Crash(true);
        }
    }

    @Override
    public void saveImage(long seq, String image, List<KindRow> learned) {
        if (next == Mishap.BEFORE_IMAGE) {
            throw new Crash(true);
        }
        if (next == Mishap.NO_IMAGE) {
            throw new StoreException("no room for an image", true);
        }
        store.saveImage(seq, image, learned);
        if (next == Mishap.AFTER_IMAGE) {
            throw new Crash(true);
        }
    }

    @Override
    public Optional<Recovery> recover(BooleanSupplier waiting, Function<Recovery, Home> moveIn) {
        return store.recover(waiting, moveIn);
    }

    @Override
    public Reader reader() {
        return store.reader();
    }

    @Override
    public Reader ownReader() {
        return store.ownReader();
    }

    @Override
    public Tokens tokens() {
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
