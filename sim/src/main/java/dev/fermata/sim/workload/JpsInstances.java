package dev.fermata.sim.workload;

import dev.fermata.core.policy.market.RingAllReduceMarket;
import dev.fermata.core.policy.market.TrainingJob;
import java.util.ArrayList;
import java.util.List;

/** Placement problems drawn from a seed: S jobs, K workers of a few types, one link speed. */
public final class JpsInstances {
    /** How an instance is drawn. */
    public enum InstanceClass {
        /** Models with their measured speeds, 100 Gb/s: computing decides. */
        LIGHT("comm-light", 0, 100e9 / 8, true),
        /** The same over 10 Gb/s: communication and computing weigh alike. */
        HEAVY("comm-heavy", 1, 10e9 / 8, true),
        /** Speeds on every type and gradients of up to 550 MB drawn at random, 10 Gb/s. */
        UNSTRUCTURED("wild", 2, 10e9 / 8, false);

        private final String label;
        private final int stream;
        private final double bytesPerSecond;
        private final boolean modelled;

        InstanceClass(String label, int stream, double bytesPerSecond, boolean modelled) {
            this.label = label;
            this.stream = stream;
            this.bytesPerSecond = bytesPerSecond;
            this.modelled = modelled;
        }

        public String label() {
            return label;
        }
    }

    private JpsInstances() {}

    /** Three types of workers in random proportion, at least one of each. */
    public static RingAllReduceMarket draw(InstanceClass instanceClass, int jobs, int workers, long seed) {
        return draw(instanceClass, jobs, workers, 3, seed);
    }

    /** The same with another number of types, for speeds drawn at random: models have speeds on three. */
    public static RingAllReduceMarket draw(
            InstanceClass instanceClass, int jobs, int workers, int mostTypes, long seed) {
        if (instanceClass.modelled && mostTypes != 3) {
            throw new IllegalArgumentException(instanceClass.label + " instances have 3 types, not " + mostTypes);
        }
        Rng rng = Rng.stream(seed, 1000L * jobs + 10L * workers + instanceClass.stream);
        int types = Math.min(mostTypes, workers);
        int[] typeOf = new int[workers];
        for (int k = 0; k < workers; k++) {
            typeOf[k] = k < types ? k : rng.uniformInt(types);
        }
        List<TrainingJob> all = new ArrayList<>();
        double[][] throughput = new double[jobs][workers];
        for (int i = 0; i < jobs; i++) {
            double[] speed = new double[types];
            double bytes;
            double samples;
            double secondsAlone; // of one round on one reference worker
            if (instanceClass.modelled) {
                JpsModels.JpsModel model =
                        JpsModels.all().get(rng.uniformInt(JpsModels.all().size()));
                speed[0] = model.t4();
                speed[1] = model.p100();
                speed[2] = 1;
                bytes = model.gradientMib() * 1048576.0;
                samples = 64L << rng.uniformInt(4);
                secondsAlone = samples / model.samplesPerSecond();
            } else {
                for (int t = 0; t < types; t++) {
                    speed[t] = 0.1 + 0.9 * rng.uniform();
                }
                bytes = 550e6 * rng.uniform();
                samples = 64L << rng.uniformInt(4);
                secondsAlone = 0.1 * StrictMath.exp(StrictMath.log(30) * rng.uniform());
            }
            double rounds = Math.ceil(500 * StrictMath.exp(StrictMath.log(40) * rng.uniform()));
            all.add(new TrainingJob(samples, rounds, bytes));
            for (int k = 0; k < workers; k++) {
                throughput[i][k] = speed[typeOf[k]] * samples / secondsAlone;
            }
        }
        return new RingAllReduceMarket(all, throughput, instanceClass.bytesPerSecond);
    }
}
