package dev.fermata.app.run;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.input.Setting;
import dev.fermata.sim.experiment.LowerBound;
import dev.fermata.sim.workload.Workload;
import org.jspecify.annotations.Nullable;

/**
 * One setting with one seed: its workload and lower bound are made once, by the first run that needs them, and let go when
 * the last one has them no longer. Safe to use from several threads.
 */
final class Scene {
    /** What every policy of the scene shares. */
    record Made(Workload workload, double lowerBoundMeanJctSeconds) {
        static Made of(Setting setting, long seed) {
            Workload workload = Complaint.ifInvalid(() -> setting.workload(seed));
            return new Made(
                    workload,
                    LowerBound.meanJctSeconds(workload, setting.cluster().topology()));
        }
    }

    private final Setting setting;
    private final long seed;
    private int users;
    private @Nullable Made made;

    Scene(Setting setting, long seed, int users) {
        this.setting = setting;
        this.seed = seed;
        this.users = users;
    }

    Setting setting() {
        return setting;
    }

    long seed() {
        return seed;
    }

    synchronized Made use() {
        if (made == null) {
            made = Made.of(setting, seed);
        }
        return made;
    }

    synchronized void release() {
        users--;
        if (users == 0) {
            made = null;
        }
    }
}
