package dev.fermata.live.engine.local;

import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.News;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs jobs as processes of this machine. */
public final class LocalEngine implements LiveEngine {
    private record Key(long job, int attempt) {}

    private final LocalSettings settings;
    private final Hardware hardware;
    private final Accounts accounts = new Accounts();
    private final Map<Key, Attempt> attempts = new ConcurrentHashMap<>();
    private final Shop shop;
    private volatile @Nullable Consumer<News> inbox;

    private LocalEngine(LocalSettings settings) throws IOException {
        this.settings = settings;
        this.hardware = Hardware.of(settings.gpus());
        Path runs = Files.createDirectories(settings.data().resolve("runs"));
        Path scripts = Files.createDirectories(settings.data().resolve("engine"));
        shop = new Shop(
                settings,
                hardware,
                runs,
                script(scripts, "shim.sh"),
                script(scripts, "step.sh"),
                Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip(),
                RunIds.in(settings.data()),
                new ControlGroups(),
                new Work(),
                this::tell);
    }

    public static LocalEngine of(LocalSettings settings) {
        try {
            return new LocalEngine(settings);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot use the data folder " + settings.data(), e);
        }
    }

    /** A script of ours as a file. Its name holds what is in it: a shim that runs is never changed under its feet. */
    private static Path script(Path folder, String name) throws IOException {
        byte[] text;
        try (InputStream in = Objects.requireNonNull(LocalEngine.class.getResourceAsStream(name), name)) {
            text = in.readAllBytes();
        }
        Path file = folder.resolve(Integer.toHexString(java.util.Arrays.hashCode(text)) + "-" + name);
        if (!Files.exists(file) || Files.size(file) != text.length) {
            Path next = folder.resolve(name + ".new");
            Files.write(next, text);
            Files.move(next, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        }
        return file;
    }

    @Override
    public String name() {
        return "local";
    }

    @Override
    public Topology topology() {
        return hardware.topology();
    }

    @Override
    public List<String> remarks() {
        return shop.groups().remarks();
    }

    @Override
    public @Nullable String refusal(JobSpec spec, String user) {
        return null;
    }

    @Override
    public void open(List<Launch> believed, Consumer<News> listener) {
        inbox = listener;
    }

    @Override
    public void start(Launch launch) {
        Attempt attempt = new Attempt(shop, launch, this::forget);
        attempts.put(new Key(launch.jobId(), launch.attempt()), attempt);
        shop.work().now(() -> attempt.start(accounts.of(launch.user())));
    }

    @Override
    public void pause(long jobId, int attempt, long graceMillis) {
        leave(jobId, attempt, RunFolder.Why.PAUSE, graceMillis);
    }

    @Override
    public void kill(long jobId, int attempt) {
        leave(jobId, attempt, RunFolder.Why.KILL, settings.killGraceMillis());
    }

    private void leave(long jobId, int number, RunFolder.Why why, long graceMillis) {
        Attempt attempt = attempts.get(new Key(jobId, number));
        if (attempt != null) { // else it left before the command came
            attempt.leave(why, graceMillis);
        }
    }

    private void forget(Attempt attempt) {
        attempts.remove(new Key(attempt.jobId(), attempt.number()));
    }

    private void tell(News news) {
        Consumer<News> listener = inbox;
        if (listener != null) {
            listener.accept(news);
        }
    }

    @Override
    public void close() {
        inbox = null;
        shop.work().close();
    }
}
