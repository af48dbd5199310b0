package dev.fermata.live.engine.local;

import dev.fermata.core.contract.Event;
import dev.fermata.live.engine.News;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * GPUs on which a process hangs inside the kernel, where not even KILL reaches it. They are out of service until it is gone; the job itself need
 * not wait for that. A file for each such attempt says so across the end of a daemon, or of the machine.
 */
final class StuckGpus {
    private static final Logger LOG = LoggerFactory.getLogger(StuckGpus.class);
    private static final long AGAIN_MILLIS = 2_000;
    /** What was told is durable long after this time; until then it is told again by a daemon that starts anew. */
    private static final long FORGET_MILLIS = 60_000;

    private final Shop shop;
    private final Set<Integer> gpus;
    private final String attempt;

    StuckGpus(Shop shop, Set<Integer> gpus, String attempt) {
        this.shop = shop;
        this.gpus = new TreeSet<>(gpus);
        this.attempt = attempt;
    }

    private static Path folder(Shop shop) {
        return shop.runs().resolveSibling("stuck");
    }

    void declare(Sweep sweep) {
        LOG.warn("job {} left a process that cannot be ended; its GPUs are out of service until it is gone", attempt);
        try {
            Files.createDirectories(folder(shop));
            Files.writeString(
                    folder(shop).resolve(attempt),
                    gpus.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        } catch (IOException e) {
            LOG.warn("cannot note which GPUs are out of service: {}", e.toString());
        }
        gpus.forEach(gpu -> shop.inbox().accept(new News.Happened(new Event.GpuDown(gpu), null)));
        shop.work().after(AGAIN_MILLIS, () -> again(sweep));
    }

    private void again(Sweep sweep) throws InterruptedException {
        if (!sweep.run(0).stuck().isEmpty()) {
            shop.work().after(AGAIN_MILLIS, () -> again(sweep));
            return;
        }
        backInService(Set.of());
    }

    private void backInService(Set<Integer> notThese) {
        LOG.info("what job {} left behind is gone; its GPUs are in service again", attempt);
        gpus.stream()
                .filter(gpu -> !notThese.contains(gpu))
                .forEach(gpu -> shop.inbox().accept(new News.Happened(new Event.GpuUp(gpu), null)));
        shop.work().after(FORGET_MILLIS, () -> Files.deleteIfExists(folder(shop).resolve(attempt)));
    }

    /** Tells which GPUs that an earlier daemon declared down are fine again, and goes on waiting for the others. */
    static void recall(Shop shop) throws IOException, InterruptedException {
        if (!Files.isDirectory(folder(shop))) {
            return;
        }
        Set<Integer> stillStuck = new HashSet<>();
        List<StuckGpus> free = new ArrayList<>();
        try (var files = Files.newDirectoryStream(folder(shop), "[0-9]*.[0-9]*")) {
            for (Path file : files) {
                StuckGpus known = new StuckGpus(shop, read(shop, file), String.valueOf(file.getFileName()));
                Sweep sweep = known.sweep();
                if (sweep.run(0).stuck().isEmpty()) {
                    free.add(known);
                } else {
                    stillStuck.addAll(known.gpus);
                    shop.work().after(AGAIN_MILLIS, () -> known.again(sweep));
                }
            }
        }
        free.forEach(known -> known.backInService(stillStuck));
    }

    private static Set<Integer> read(Shop shop, Path file) throws IOException {
        Set<Integer> gpus = new HashSet<>();
        for (String word : Files.readString(file).strip().split(" ")) {
            if (word.matches("[0-9]{1,6}")
                    && Integer.parseInt(word) < shop.hardware().devices().size()) {
                gpus.add(Integer.valueOf(word));
            }
        }
        return gpus;
    }

    private Sweep sweep() {
        int dot = attempt.indexOf('.');
        long job = Long.parseLong(attempt.substring(0, dot));
        int number = Integer.parseInt(attempt.substring(dot + 1));
        RunFolder run = new RunFolder(shop.runs().resolve(Long.toString(job)).resolve(Integer.toString(number)));
        ControlGroup group = shop.groups().of(attempt);
        return new Sweep(new Members(run, shop.ids().of(job, number), group), group, run);
    }
}
