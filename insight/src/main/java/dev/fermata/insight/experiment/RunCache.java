package dev.fermata.insight.experiment;

import java.util.Optional;

/** Where finished runs are kept, so that they need not be run again. Used from several threads. */
public interface RunCache {
    RunCache NONE = new RunCache() {
        @Override
        public Optional<MeasuredRun> find(MatrixCell cell) {
            return Optional.empty();
        }

        @Override
        public Optional<String> store(MatrixCell cell, MeasuredRun run) {
            return Optional.empty();
        }
    };

    Optional<MeasuredRun> find(MatrixCell cell);

    /** Never fails, since a run that cannot be stored is still a result; returns a warning, if any. */
    Optional<String> store(MatrixCell cell, MeasuredRun run);
}
