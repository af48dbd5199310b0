package dev.fermata.engine.local;

import dev.fermata.core.contract.Event;
import dev.fermata.live.engine.EngineEvent;
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
 * GPUs on which a process hangs inside the kernel, where not even KILL ends it. They are out of service until it is gone; the
 * job does not wait for that. A file for each such attempt keeps this across restarts.
 */
final class StuckGpus {
    private static final Logger LOG = LoggerFactory.getLogger(StuckGpus.class);
    /** Backoff between two attempts to end a stuck process. */
    private static final long BACKOFF_MILLIS = 2_000;

    /** A report is durable long after this time; until then a restarted daemon repeats it. */
    private static final long FORGET_MILLIS = 60_000;

    private final EngineServices services;
    private final Set<Integer> gpus;
    private final String attempt;

    StuckGpus(EngineServices services, Set<Integer> gpus, String attempt) {
        this.services = services;
        this.gpus = new TreeSet<>(gpus);
        this.attempt = attempt;
    }

    private static Path folder(EngineServices services) {
        return services.attemptsFolder().resolveSibling("stuck");
    }

    void declare(ProcessReaper reaper) {
        LOG.warn("attempt {}: a process cannot be killed; its GPUs are out of service until it is gone", attempt);
        try {
            Files.createDirectories(folder(services));
            Files.writeString(
                    folder(services).resolve(attempt),
                    gpus.stream().map(services.hardware().topology()::gpuId).collect(Collectors.joining("\n")));
        } catch (IOException e) {
            LOG.warn("stuck GPUs: cannot write their state: {}", e.toString());
        }
        gpus.forEach(gpu -> services.events().accept(new EngineEvent.StateChanged(new Event.GpuDown(gpu), null)));
        services.executor().runLater(BACKOFF_MILLIS, () -> retry(reaper));
    }

    private void retry(ProcessReaper reaper) throws InterruptedException {
        if (!reaper.reap(0).stuck().isEmpty()) {
            services.executor().runLater(BACKOFF_MILLIS, () -> retry(reaper));
            return;
        }
        restoreService(Set.of());
    }

    private void restoreService(Set<Integer> except) {
        LOG.info("attempt {}: its last process is gone; its GPUs are in service again", attempt);
        gpus.stream()
                .filter(gpu -> !except.contains(gpu))
                .forEach(gpu -> services.events().accept(new EngineEvent.StateChanged(new Event.GpuUp(gpu), null)));
        services.executor()
                .runLater(
                        FORGET_MILLIS,
                        () -> Files.deleteIfExists(folder(services).resolve(attempt)));
    }

    /** Reports which GPUs that an earlier daemon declared down are usable again, and watches the others. */
    static void restore(EngineServices services) throws IOException, InterruptedException {
        if (!Files.isDirectory(folder(services))) {
            return;
        }
        Set<Integer> stillStuck = new HashSet<>();
        List<StuckGpus> free = new ArrayList<>();
        try (var files = Files.newDirectoryStream(folder(services), "[0-9]*.[0-9]*")) {
            for (Path file : files) {
                StuckGpus known = new StuckGpus(services, read(services, file), String.valueOf(file.getFileName()));
                ProcessReaper reaper = known.reaper();
                if (reaper.reap(0).stuck().isEmpty()) {
                    free.add(known);
                } else {
                    stillStuck.addAll(known.gpus);
                    services.executor().runLater(BACKOFF_MILLIS, () -> known.retry(reaper));
                }
            }
        }
        free.forEach(known -> known.restoreService(stillStuck));
    }

    /** Ids, one on a line; Fermata 0.1.0 wrote numbers between spaces. */
    private static Set<Integer> read(EngineServices services, Path file) throws IOException {
        Hardware hardware = services.hardware();
        Set<Integer> gpus = new HashSet<>();
        for (String line : Files.readString(file).lines().toList()) {
            int gpu = hardware.gpuOf(line);
            if (gpu >= 0) {
                gpus.add(gpu);
            } else if (line.matches("[0-9]{1,6}( [0-9]{1,6})*")) {
                for (String number : line.split(" ")) {
                    if (Integer.parseInt(number) < hardware.devices().size()) {
                        gpus.add(Integer.valueOf(number));
                    }
                }
            }
        }
        return gpus;
    }

    private ProcessReaper reaper() {
        int dot = attempt.indexOf('.');
        long job = Long.parseLong(attempt.substring(0, dot));
        int number = Integer.parseInt(attempt.substring(dot + 1));
        AttemptFolder run = new AttemptFolder(
                services.attemptsFolder().resolve(Long.toString(job)).resolve(Integer.toString(number)));
        ControlGroup group = services.groups().forAttempt(attempt);
        return new ProcessReaper(new AttemptMembers(run, services.markers().of(job, number), group), group, run);
    }
}
