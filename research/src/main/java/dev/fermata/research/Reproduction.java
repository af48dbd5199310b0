package dev.fermata.research;

import java.nio.file.Path;

/** One paper's experiment. */
public interface Reproduction {
    /** The name on the command line: {@code xion}, {@code fitgpp}, {@code dally}, {@code jps} or {@code xonar}. */
    String paper();

    /** How many work units {@link ExperimentRunner} will get, for the progress bar. */
    int workUnits(int seeds);

    /** How many more for the authors' traces in this folder. */
    default int dataWorkUnits(Path data) {
        return 0;
    }

    ReproductionReport reproduce(ExperimentRunner runner);
}
