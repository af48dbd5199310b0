package dev.fermata.sim.reproduce;

/** One paper's experiment. */
public interface Reproduction {
    /** The name it is asked for by: {@code xion}, {@code fitgpp}, {@code dally}, {@code jps} or {@code xonar}. */
    String paper();

    /** How many times {@link Lab} will be asked for a piece of work, for the progress bar. */
    int pieces(int seeds);

    Chapter run(Lab lab);
}
