package dev.fermata.app.run;

import java.util.Optional;

/** Where finished runs are kept, so that they need not be run again. Used from several threads. */
public interface Shelf {
    Shelf NONE = new Shelf() {
        @Override
        public Optional<Measured> find(Cell cell) {
            return Optional.empty();
        }

        @Override
        public Optional<String> keep(Cell cell, Measured run) {
            return Optional.empty();
        }
    };

    Optional<Measured> find(Cell cell);

    /** Never fails, since a run that cannot be kept is still a result; answers what to warn of, if anything. */
    Optional<String> keep(Cell cell, Measured run);
}
