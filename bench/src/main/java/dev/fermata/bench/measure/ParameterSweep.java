package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.sim.workload.Rng;
import java.util.List;

/**
 * People who try arguments: five programs, each time with others. What a run takes depends on them in ways that the daemon is
 * not told, and differs by a tenth from run to run. No job declares a time.
 */
final class ParameterSweep implements SubmittedJobs {
    private static final double NOISE = 0.1;
    private static final int SAMPLES = 2_000;

    private final Rng random;
    private int number;

    ParameterSweep(Rng random) {
        this.random = random;
    }

    private record Run(String command, double seconds) {}

    @Override
    public Submitted next() {
        int program = random.uniformInt(5);
        Run run = draw(program, random);
        int gpus = 1 << random.weightedIndex(0.7, 0.2, 0.1);
        double millis = 1000 * run.seconds * random.logNormal(1, NOISE) / StrictMath.pow(gpus, 0.85);
        ObjectNode job = HistoryGenerator.job("try-" + number++, gpus, run.command);
        return new Submitted(
                "program-" + program, JobFileParser.parse(job).get(0), Math.max(1_000, Math.round(millis)));
    }

    private static Run draw(int program, Rng random) {
        double rate = random.logNormal(1e-3, 1);
        return switch (program) {
            case 0 -> {
                int width = pick(random, 128, 192, 256, 384, 512);
                int layers = pick(random, 4, 6, 8, 12);
                int batch = pick(random, 8, 16, 32, 64);
                int steps = 200 * (1 + random.uniformInt(20));
                yield new Run(
                        "python text.py --width=" + width + " --layers=" + layers + " --batch_size=" + batch
                                + " --max_iters=" + steps + " --learning_rate=" + rate,
                        20
                                + steps
                                        * 0.04
                                        * StrictMath.pow(width / 128.0, 1.4)
                                        * layers
                                        / 4
                                        * StrictMath.pow(batch / 8.0, 0.8));
            }
            case 1 -> {
                int crop = pick(random, 192, 256, 320, 448);
                int epochs = 2 + random.uniformInt(30);
                yield new Run(
                        "torchrun --nproc_per_node=1 segment.py --epochs " + epochs + " --crop " + crop + " --lr "
                                + rate,
                        45 + epochs * 25 * StrictMath.pow(crop / 192.0, 1.9));
            }
            case 2 -> {
                String size = List.of("small", "base", "large").get(random.uniformInt(3));
                int steps = 500 * (1 + random.uniformInt(12));
                double step = size.equals("small") ? 0.05 : size.equals("base") ? 0.13 : 0.38;
                yield new Run(
                        "python -m speech.fit model.size=" + size + " trainer.max_steps=" + steps + " optim.lr=" + rate,
                        60 + steps * step);
            }
            case 3 -> {
                int trees = 100 * (1 + random.uniformInt(30));
                int depth = 4 + random.uniformInt(7);
                yield new Run(
                        "python rank.py --trees " + trees + " --depth " + depth + " --seed " + random.uniformInt(1_000),
                        8 + trees * 0.12 * StrictMath.pow(1.25, depth));
            }
            default -> {
                boolean full = random.uniform() < 0.5;
                yield new Run(
                        "./evaluate.sh --split " + (full ? "full" : "test"),
                        (full ? 900 : 240) * random.logNormal(1, 0.2));
            }
        };
    }

    private static int pick(Rng random, int... values) {
        return values[random.uniformInt(values.length)];
    }

    @Override
    public double meanWork() {
        Rng other = Rng.stream(1, 77);
        double sum = 0;
        for (int i = 0; i < SAMPLES; i++) {
            double seconds = draw(other.uniformInt(5), other).seconds;
            sum += 1000 * seconds * StrictMath.pow(1 << other.weightedIndex(0.7, 0.2, 0.1), 0.15);
        }
        return sum / SAMPLES;
    }
}
