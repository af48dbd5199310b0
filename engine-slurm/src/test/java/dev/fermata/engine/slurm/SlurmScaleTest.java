package dev.fermata.engine.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.live.engine.EngineContract.Behaviour;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reading the state costs the same number of commands, however many jobs there are. With {@code
 * -Dfermata.slurm.nodes=64} it runs on so many fake nodes and prints figures.
 */
class SlurmScaleTest {
    private static final int NODES = Integer.getInteger("fermata.slurm.nodes", 0);

    @TempDir
    private Path folder;

    @Test
    void commandsThatReadDoNotGrowWithTheJobs() throws Exception {
        if (NODES == 0) {
            measure(TestSlurm.shared(), 32);
        } else {
            try (TestSlurm slurm = TestSlurm.start(Files.createTempDirectory("slurm"), NODES, 300)) {
                System.out.println(measure(slurm, NODES * 8));
            }
        }
    }

    private String measure(TestSlurm slurm, int jobs) throws Exception {
        SlurmBench bench = new SlurmBench(slurm, folder);
        bench.open(ExpectedAttempts.NONE);
        bench.await(() -> bench.events().contains(new EngineEvent.Reachable()));
        long commands = bench.engine().commandsExecuted();
        long began = System.nanoTime();
        List<Launch> launches = new ArrayList<>();
        for (int job = 1; job <= jobs; job++) {
            launches.add(bench.launch(
                    job, 1, bench.launch(job, 1, Behaviour.COMPLETES, 1).spec(), job - 1));
        }
        launches.forEach(launch -> bench.engine().submit(new EngineOrder.Start(launch)));
        bench.await(() -> count(bench.events(), EngineEvent.Accepted.class) == jobs);
        double submitted = (System.nanoTime() - began) / 1e9;
        bench.await(() -> bench.events().stream()
                        .filter(event -> event instanceof EngineEvent.StateChanged changed
                                && changed.event() instanceof Event.AttemptEnded)
                        .count()
                == jobs);
        double ended = (System.nanoTime() - began) / 1e9;
        long reads = bench.engine().commandsExecuted() - commands - jobs;
        // Polls are a fixed time apart; nodes are read with every tenth.
        assertThat(reads).isLessThan((long) (ended * 1000 / SlurmBench.POLL_MILLIS * 1.2) + 5);
        long[] polls = new long[5];
        SlurmController controller =
                new SlurmController(new SlurmCommands(folder, slurm.conf().toString()));
        for (int i = 0; i < polls.length; i++) {
            long from = System.nanoTime();
            assertThat(controller.jobs()).hasSizeGreaterThanOrEqualTo(jobs);
            polls[i] = (System.nanoTime() - from) / 1_000_000;
        }
        Arrays.sort(polls);
        bench.close();
        return String.format(
                Locale.ROOT,
                "%d nodes, %d jobs: submitted in %.1f s (%.0f/s), all ended after %.1f s; %d commands that read (%.1f/s);"
                        + " one poll of all jobs: median %d ms",
                NODES,
                jobs,
                submitted,
                jobs / submitted,
                ended,
                reads,
                reads / ended,
                polls[2]);
    }

    private static long count(List<EngineEvent> events, Class<?> type) {
        return events.stream().filter(type::isInstance).count();
    }
}
