package dev.fermata.research;

/** One paper's experiment. */
public interface Reproduction {
    /** The name on the command line: {@code xion}, {@code fitgpp}, {@code dally}, {@code jps} or {@code xonar}. */
    String paper();

    /** How many work units {@link ExperimentRunner} will get, for the progress bar. */
    int workUnits(int seeds);

    ReproductionReport reproduce(ExperimentRunner runner);
}
