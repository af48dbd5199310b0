package dev.fermata.engine.local;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A daemon reduced to its engine, in its own process so that it can be killed at any moment. It expects the attempts in its file,
 * one {@code JOB.ATTEMPT} per line, written before any start. Ended attempts are written to another file after they were reported.
 *
 * <p>Each job appends a line to {@code ran} when it starts, runs briefly, and exits with its number modulo 3.
 */
final class CrashingEngineProcess {
    private CrashingEngineProcess() {}

    public static void main(String[] args) throws Exception {
        Path data = Path.of(args[0]);
        Path ran = Path.of(args[1]);
        int jobs = Integer.parseInt(args[2]);
        Path expectedAttempts = data.resolve("expected");
        Path left = data.resolve("left");
        LinkedBlockingQueue<EngineEvent> inbox = new LinkedBlockingQueue<>();
        LocalEngine engine = LocalEngine.create(
                LocalEngineSettings.forDataFolder(data).gpus("virtual:8").killGraceMillis(200));
        List<String> started = lines(expectedAttempts);
        List<String> done = lines(left).stream().map(line -> line.split(" ")[0]).toList();
        List<Launch> alive = new ArrayList<>();
        for (String name : started) {
            if (!done.contains(name)) {
                alive.add(launch(engine, name, ran));
            }
        }
        engine.open(engine.topology(), ExpectedAttempts.accepted(alive), inbox::add);
        int next = started.stream()
                        .mapToInt(name -> Integer.parseInt(name.split("\\.")[0]))
                        .max()
                        .orElse(0)
                + 1;
        int running = alive.size();
        while (true) {
            while (running < 4 && next <= jobs) {
                String name = next + ".1";
                append(expectedAttempts, name);
                engine.submit(new EngineOrder.Start(launch(engine, name, ran)));
                running++;
                next++;
            }
            if (running == 0) {
                append(data.resolve("finished"), "all");
                Thread.sleep(Long.MAX_VALUE); // killed from outside, as always
            }
            if (inbox.take() instanceof EngineEvent.StateChanged happened
                    && happened.event() instanceof Event.AttemptEnded released) {
                String code = happened.exit() == null
                        ? ""
                        : String.valueOf(happened.exit().code());
                append(left, released.jobId() + "." + released.attempt() + " " + released.outcome() + " " + code);
                running--;
            }
        }
    }

    private static Launch launch(LocalEngine engine, String name, Path ran) {
        long job = Long.parseLong(name.split("\\.")[0]);
        JobSpecBuilder builder = new JobSpecBuilder(
                "echo $FERMATA_JOB_ID.$FERMATA_ATTEMPT >>" + ran + "; sleep 0.0" + job % 7 + "; exit " + job % 3);
        return new Launch(
                job,
                1,
                -1,
                System.getProperty("user.name"),
                builder.build(),
                Allocation.of(engine.topology(), new int[] {(int) (job % 8)}, false),
                Launch.PriorWork.NONE,
                Launch.LearnedLimits.NONE);
    }

    static List<String> lines(Path file) throws java.io.IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        String text = Files.readString(file);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }

    private static void append(Path file, String line) throws java.io.IOException {
        Files.writeString(
                file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.SYNC);
    }
}
