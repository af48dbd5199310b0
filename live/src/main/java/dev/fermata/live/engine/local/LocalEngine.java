package dev.fermata.live.engine.local;

import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.News;
import dev.fermata.live.engine.PythonFolder;
import dev.fermata.live.lock.SoleUse;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs as processes of this machine. A shell script watches over each attempt and outlives the daemon;
 * {@code docs/engine-local.md} tells how.
 */
public final class LocalEngine implements LiveEngine {
    private static final Logger LOG = LoggerFactory.getLogger(LocalEngine.class);
    private static final long LOOK_AT_REPORTS_MILLIS = 500;
    /** GPUs are watched for so long after the last job: the next may come soon, and nvidia-smi is slow to start. */
    private static final long WATCH_ON_MILLIS = 30_000;

    private static final long STRANGERS_MILLIS = 10_000;
    private static final long CLEAN_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final long CLAIM_AGAIN_MILLIS = 50;

    private final LocalSettings settings;
    private final SoleUse own;
    private final Shop shop;
    private final GpuSampler sampler;
    /** By {@code JOB.ATTEMPT}. */
    private final Map<String, Attempt> attempts = new ConcurrentHashMap<>();

    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicLong cleanedNanos = new AtomicLong(System.nanoTime() - CLEAN_NANOS);
    private volatile @Nullable Consumer<News> inbox;

    private LocalEngine(LocalSettings settings) throws IOException, InterruptedException {
        this.settings = settings;
        Hardware hardware = Hardware.of(settings.gpus(), settings.sampling().program());
        Path data = Files.createDirectories(settings.data());
        own = new SoleUse(data.toRealPath().resolve("daemon.lock"));
        Path runs = Files.createDirectories(data.resolve("runs"));
        Path scripts = Files.createDirectories(data.resolve("engine"));
        Accounts accounts = new Accounts(settings.runAs(), runs);
        accounts.open(runs);
        accounts.open(scripts);
        RunIds ids = RunIds.in(data);
        shop = new Shop(
                settings,
                hardware,
                runs,
                script(scripts, "shim.sh"),
                script(scripts, "step.sh"),
                Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip(),
                ids,
                settings.limits() ? ControlGroups.discover(ids.prefix().replace("-", "")) : ControlGroups.none(),
                accounts,
                new LogFiles(runs),
                PythonFolder.write(data),
                new Work(),
                this::tell);
        sampler = new GpuSampler(settings.sampling(), hardware, shop.work(), ids);
    }

    public static LocalEngine of(LocalSettings settings) {
        try {
            return new LocalEngine(settings);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot use the data folder (" + settings.data() + ")", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the engine was set up", e);
        }
    }

    /** A script of ours as a file. Its name tells what is in it: one that is being run is never changed under its feet. */
    private static Path script(Path folder, String name) throws IOException {
        byte[] text;
        try (InputStream in = Objects.requireNonNull(LocalEngine.class.getResourceAsStream(name), name)) {
            text = in.readAllBytes();
        }
        Path file = folder.resolve(String.format("%08x-%s", Arrays.hashCode(text), name));
        if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), text)) {
            Path next = Files.createTempFile(folder, name, ".new");
            Files.write(next, text);
            Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return file;
    }

    @Override
    public String name() {
        return "local";
    }

    /** The data folder, wherever it was moved to, on this machine: a copy elsewhere cannot see the processes here. */
    @Override
    public String identity() {
        return shop.ids().folder() + "@" + Machine.id();
    }

    @Override
    public String place() {
        return "data folder " + settings.data().toAbsolutePath().normalize() + " on " + Machine.name();
    }

    /** Two daemons on one data folder would each take the other's jobs for strangers, and end them. */
    @Override
    public void claim(long patienceMillis) throws InterruptedException {
        long until = System.currentTimeMillis() + patienceMillis;
        while (true) {
            try {
                own.take();
                return;
            } catch (SoleUse.Taken e) {
                if (System.currentTimeMillis() >= until) {
                    throw new IllegalStateException(
                            "another daemon (" + e.getMessage() + ") works on the data folder " + settings.data()
                                    + ". Stop it first, or choose another folder with --data.",
                            e);
                }
                Thread.sleep(CLAIM_AGAIN_MILLIS);
            } catch (IOException e) {
                throw new IllegalStateException("cannot lock the data folder " + settings.data() + ": " + e, e);
            }
        }
    }

    @Override
    public Topology topology() {
        return shop.hardware().topology();
    }

    @Override
    public List<String> remarks() {
        List<String> remarks = new ArrayList<>(shop.accounts().remarks());
        if (settings.gpus().startsWith("virtual")) {
            remarks.add("GPUs are virtual: jobs run as ordinary processes of this machine.");
        }
        remarks.addAll(shop.groups().remarks());
        return remarks;
    }

    @Override
    public @Nullable String refusal(JobSpec spec, String user) {
        for (String name : spec.env().keySet()) {
            if (!JobEnvironment.canSet(name)) {
                return "env (" + OneLine.of(name, 64) + ") is no name that a shell can set. Use letters, digits and _";
            }
        }
        String account = refusesJobsOf(user);
        if (account != null) {
            return account;
        }
        String workdir = unusable("workdir", spec.workdir());
        return workdir != null
                ? workdir
                : unusable("checkpoint.dir", spec.checkpoint().dir());
    }

    @Override
    public @Nullable String refusesJobsOf(String user) {
        try {
            shop.accounts().of(user);
            return null;
        } catch (Accounts.Closed e) {
            return e.getMessage();
        }
    }

    /** Names that this machine's encoding cannot express are no paths here, however well they look elsewhere. */
    private static @Nullable String unusable(String field, String text) {
        String shown = field + " (" + OneLine.of(text, 80) + ")";
        try {
            boolean relative = !text.isEmpty() && !Path.of(text).isAbsolute();
            return relative && field.equals("workdir") ? shown + " must be an absolute path" : null;
        } catch (InvalidPathException e) {
            return shown + " cannot be used as a path here (" + OneLine.of(e.getReason(), 80)
                    + "). Use other characters, or start the daemon with LC_ALL=C.UTF-8";
        }
    }

    /** What attempts printed. */
    public LogFiles logs() {
        return shop.logs();
    }

    @Override
    public void open(List<Launch> believed, Consumer<News> listener) {
        inbox = listener;
        Set<String> known = believed.stream()
                .map(launch -> shop.ids().of(launch.jobId(), launch.attempt()))
                .collect(Collectors.toSet());
        CountDownLatch told = new CountDownLatch(believed.size());
        for (Launch launch : believed) {
            Attempt attempt = remember(launch);
            shop.work().now(() -> {
                try {
                    attempt.adopt();
                } finally {
                    told.countDown();
                }
            });
        }
        try {
            endStrangers(known);
            told.await();
            StuckGpus.recall(shop);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.warn("cannot read which GPUs were out of service: {}", e.toString());
        }
        clean();
    }

    /** What runs here without being believed in is ended. */
    private void endStrangers(Set<String> known) throws InterruptedException {
        long until = System.currentTimeMillis() + STRANGERS_MILLIS;
        List<Proc> strangers = strangers(known);
        if (!strangers.isEmpty()) {
            LOG.warn("ending {} processes of attempts that nobody believes in", strangers.size());
        }
        while (!strangers.isEmpty() && System.currentTimeMillis() < until) {
            strangers.forEach(Proc::kill);
            Thread.sleep(5);
            strangers = strangers(known);
        }
    }

    private List<Proc> strangers(Set<String> known) {
        String prefix = shop.ids().prefix();
        return Proc.all().stream()
                .filter(proc -> !proc.isSelf())
                .filter(proc -> {
                    String id = proc.given(RunIds.VARIABLE);
                    return id != null && id.startsWith(prefix) && !known.contains(id);
                })
                .toList();
    }

    @Override
    public void start(Launch launch) {
        shop.work().now(remember(launch)::start);
    }

    private Attempt remember(Launch launch) {
        Attempt attempt = new Attempt(shop, launch, this::forget);
        attempts.put(attempt.toString(), attempt);
        if (looking.compareAndSet(false, true)) {
            shop.work().after(LOOK_AT_REPORTS_MILLIS, this::lookAtReports);
        }
        return attempt;
    }

    /** Goes round as long as there is anybody to listen to. */
    private void lookAtReports() {
        attempts.values().forEach(Attempt::poll);
        attempts.values().forEach(Attempt::show);
        if (shop.hardware().real()) {
            sampler.watch(attempts.values());
        }
        MemoryWatch.look(attempts.values(), shop.hardware());
        if (attempts.isEmpty()) {
            looking.set(false);
            if (attempts.isEmpty() || !looking.compareAndSet(false, true)) {
                if (shop.hardware().real()) {
                    shop.work().after(WATCH_ON_MILLIS, this::restIfIdle);
                }
                return;
            }
        }
        shop.work().after(LOOK_AT_REPORTS_MILLIS, this::lookAtReports);
    }

    private void restIfIdle() {
        if (attempts.isEmpty()) {
            sampler.close();
        }
    }

    @Override
    public void pause(long jobId, int attempt, long graceMillis) {
        leave(jobId, attempt, RunFolder.Why.PAUSE, graceMillis);
    }

    @Override
    public void kill(long jobId, int attempt) {
        leave(jobId, attempt, RunFolder.Why.KILL, settings.killGraceMillis());
    }

    @Override
    public void limit(long jobId, int number, long limitMillis) {
        Attempt attempt = attempts.get(jobId + "." + number);
        if (attempt != null) {
            attempt.limit(limitMillis);
        }
    }

    private void leave(long jobId, int number, RunFolder.Why why, long graceMillis) {
        Attempt attempt = attempts.get(jobId + "." + number);
        if (attempt != null) { // else it left before the command came
            attempt.leave(why, graceMillis);
        }
    }

    private void forget(Attempt attempt) {
        attempts.remove(attempt.toString());
        long cleaned = cleanedNanos.get();
        if (System.nanoTime() - cleaned > CLEAN_NANOS) {
            clean();
        }
    }

    private void clean() {
        cleanedNanos.set(System.nanoTime());
        Retention retention = new Retention(shop.runs(), settings.keepDays(), settings.keepAttempts());
        shop.work().now(() -> {
            shop.groups().clean(attempts.keySet());
            retention.clean(attempts::containsKey, System.currentTimeMillis());
        });
    }

    private void tell(News news) {
        Consumer<News> listener = inbox;
        if (listener != null) {
            listener.accept(news);
        }
    }

    /** An attempt that is here. */
    Attempt attempt(long jobId, int number) {
        return Objects.requireNonNull(attempts.get(jobId + "." + number));
    }

    /** How much waits for its time. */
    int timers() {
        return shop.work().timers();
    }

    /** Removes the control groups that nobody is in, once everything has ended. */
    void tidyGroups() {
        shop.groups().clean(Set.of());
    }

    @Override
    public void close() {
        inbox = null;
        sampler.close();
        shop.work().close();
        own.close();
    }
}
