package dev.fermata.live.engine.local;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A daemon reduced to its engine, run in a process of its own so that it can be killed at any moment. It believes what is in its file, one
 * {@code JOB.ATTEMPT} a line, written before anything is started; what has left is written to another file after it was told.
 *
 * <p>Each job appends a line to {@code ran} when it starts, runs a little, and ends with its number modulo 3.
 */
final class CrashingDaemon {
    private CrashingDaemon() {}

    public static void main(String[] args) throws Exception {
        Path data = Path.of(args[0]);
        Path ran = Path.of(args[1]);
        int jobs = Integer.parseInt(args[2]);
        Path believed = data.resolve("believed");
        Path left = data.resolve("left");
        LinkedBlockingQueue<News> inbox = new LinkedBlockingQueue<>();
        LocalEngine engine =
                LocalEngine.of(LocalSettings.in(data).gpus("virtual:8").killGraceMillis(200));
        List<String> begun = lines(believed);
        List<String> done = lines(left).stream().map(line -> line.split(" ")[0]).toList();
        List<Launch> alive = new ArrayList<>();
        for (String name : begun) {
            if (!done.contains(name)) {
                alive.add(launch(engine, name, ran));
            }
        }
        engine.open(alive, inbox::add);
        int next = begun.stream()
                        .mapToInt(name -> Integer.parseInt(name.split("\\.")[0]))
                        .max()
                        .orElse(0)
                + 1;
        int running = alive.size();
        while (true) {
            while (running < 4 && next <= jobs) {
                String name = next + ".1";
                append(believed, name);
                engine.start(launch(engine, name, ran));
                running++;
                next++;
            }
            if (running == 0) {
                append(data.resolve("finished"), "all");
                Thread.sleep(Long.MAX_VALUE); // killed from outside, like every time
            }
            if (inbox.take() instanceof News.Happened happened && happened.event() instanceof Event.Left gone) {
                String code = happened.exit() == null
                        ? ""
                        : String.valueOf(happened.exit().code());
                append(left, gone.jobId() + "." + gone.attempt() + " " + gone.outcome() + " " + code);
                running--;
            }
        }
    }

    private static Launch launch(LocalEngine engine, String name, Path ran) {
        long job = Long.parseLong(name.split("\\.")[0]);
        SpecDraft draft = new SpecDraft(
                "echo $FERMATA_JOB_ID.$FERMATA_ATTEMPT >>" + ran + "; sleep 0.0" + job % 7 + "; exit " + job % 3);
        return new Launch(
                job,
                1,
                false,
                Allocation.of(engine.topology(), new int[] {(int) (job % 8)}, false),
                draft.spec(),
                System.getProperty("user.name"),
                0,
                0,
                -1,
                0,
                0);
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
