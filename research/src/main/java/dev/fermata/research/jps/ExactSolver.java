package dev.fermata.research.jps;

import com.google.ortools.Loader;
import com.google.ortools.linearsolver.MPConstraint;
import com.google.ortools.linearsolver.MPObjective;
import com.google.ortools.linearsolver.MPSolver;
import com.google.ortools.linearsolver.MPSolverParameters;
import com.google.ortools.linearsolver.MPVariable;
import dev.fermata.core.policy.market.Market;
import org.jspecify.annotations.Nullable;

/**
 * The least mean completion time there is, by a solver (CBC out of OR-Tools, on one thread). Since workers are of few
 * types, a job's time can be tabulated over its counts of each type; choosing one row of each job's table within the
 * workers there are is a knapsack problem with classes, which the solver gets as a mixed-integer program.
 */
final class ExactSolver {
    /** Proven to this share of the optimum. */
    private static final double GAP = 1e-9;

    private final Market market;
    private final MPSolver solver;
    private final MPObjective objective;
    private final MPConstraint[] onePlacementOf;
    private final MPConstraint[] workersOf;
    private final double unit;

    private ExactSolver(Market market, boolean idle) {
        this.market = market;
        solver = MPSolver.createSolver("CBC");
        objective = solver.objective();
        objective.setMinimization();
        onePlacementOf = new MPConstraint[market.jobs()];
        workersOf = new MPConstraint[market.types()];
        double sum = 0; // scaled to about one for the solver
        for (int i = 0; i < onePlacementOf.length; i++) {
            onePlacementOf[i] = solver.makeConstraint(1, 1);
            sum += market.equalSeconds(i);
        }
        unit = sum / onePlacementOf.length;
        for (int t = 0; t < workersOf.length; t++) {
            workersOf[t] = solver.makeConstraint(idle ? 0 : market.workers(t), market.workers(t));
        }
    }

    /** Why there is no solver on this machine, or null when there is one. */
    static @Nullable String unavailable() {
        try {
            Loader.loadNativeLibraries();
            return null;
        } catch (RuntimeException | LinkageError e) {
            return "the exact optimum needs the solver library for Linux on x86-64; this is "
                    + System.getProperty("os.name") + " on " + System.getProperty("os.arch");
        }
    }

    /** Seconds; throws when the solver does not prove that there is nothing better. */
    static double meanSeconds(Market market, boolean idle) {
        ExactSolver exact = new ExactSolver(market, idle);
        try {
            int max = market.workers() - market.jobs() + 1;
            for (int i = 0; i < market.jobs(); i++) {
                exact.enumeratePlacements(i, new int[market.types()], 0, 0, max);
            }
            MPSolverParameters parameters = new MPSolverParameters();
            parameters.setDoubleParam(MPSolverParameters.DoubleParam.RELATIVE_MIP_GAP, GAP);
            MPSolver.ResultStatus status = exact.solver.solve(parameters);
            if (status != MPSolver.ResultStatus.OPTIMAL) {
                throw new IllegalStateException("the solver ended " + status);
            }
            return exact.objective.value() * exact.unit / market.jobs();
        } finally {
            exact.solver.delete();
        }
    }

    private void enumeratePlacements(int job, int[] counts, int type, int taken, int max) {
        if (type == counts.length) {
            if (taken > 0) {
                addPlacement(job, counts);
            }
            return;
        }
        for (int c = 0; c <= Math.min(max - taken, market.workers(type)); c++) {
            counts[type] = c;
            enumeratePlacements(job, counts, type + 1, taken + c, max);
        }
        counts[type] = 0;
    }

    private void addPlacement(int job, int[] counts) {
        MPVariable chosen = solver.makeBoolVar("");
        objective.setCoefficient(chosen, market.seconds(job, counts) / unit);
        onePlacementOf[job].setCoefficient(chosen, 1);
        for (int t = 0; t < counts.length; t++) {
            if (counts[t] > 0) {
                workersOf[t].setCoefficient(chosen, counts[t]);
            }
        }
    }
}
