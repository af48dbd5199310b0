package dev.fermata.live.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.core.contract.Event;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Measured;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a job, from the order to start it, or its {@link Adoption}, over its {@link Departure}, until nothing of it is left
 * ({@link Farewell}). What takes time runs on the engine's workers, so that an attempt that is stuck holds up nobody else.
 */
final class Attempt {
    private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);
    private static final long LIMIT_GRACE_MILLIS = 30_000;
    /** A start that failed for want of disk or memory is told only after a while, so that it is not tried in a tight circle. */
    private static final long START_AGAIN_MILLIS = 2_000;
    /** How often a script that loads is listened to: soon after it began, and after a while. */
    private static final long LOOK_SOON_MILLIS = 20;

    private static final long LOOK_LATE_MILLIS = 250;
    /** A script may load so many times as long as others did, and so much longer, before it is no longer waited for. */
    private static final long LOADS_LONGER = 2;

    private static final long LOADS_LATER_MILLIS = 5_000;
    private static final long LOADS_LATEST_MILLIS = 600_000;

    private final Shop shop;
    private final Launch launch;
    private final Remains remains;
    private final RunFolder folder;
    private final ReportTail reports;
    private final Consumer<Attempt> gone;
    private final long paceMicro;
    private final AtomicBoolean over = new AtomicBoolean();
    private final Departure departure;
    private final TimeLimit limit;
    private final Farewell farewell;
    private final GpuUse use = new GpuUse();

    private volatile long orderedMillis = System.currentTimeMillis();
    private volatile boolean shimStarted;
    /** When its command began to run; never, until it does. */
    private volatile long begunMillis = Long.MAX_VALUE;
    /** Whether it was said to run. */
    private volatile boolean told;

    private final Showing showing;

    Attempt(Shop shop, Launch launch, Consumer<Attempt> gone) {
        this.shop = shop;
        this.launch = launch;
        this.gone = gone;
        this.remains = new Remains(shop, launch);
        this.folder = remains.folder();
        this.paceMicro = Speed.paceMicro(launch, shop.hardware().topology());
        this.departure = new Departure(shop, launch, remains, over);
        this.reports = new ReportTail(folder.path(), departure::askedMillis);
        this.limit = new TimeLimit(shop.work(), launch, () -> departure.leave(RunFolder.Why.LIMIT, LIMIT_GRACE_MILLIS));
        this.farewell = new Farewell(shop, launch, remains, paceMicro);
        this.showing = new Showing(shop.hardware().real());
    }

    Launch launch() {
        return launch;
    }

    /** What it does to its GPUs. */
    GpuUse use() {
        return use;
    }

    /** What marks its processes. */
    String runId() {
        return shop.ids().of(launch.jobId(), launch.attempt());
    }

    /** Whether it has done what it is there for all this time, as far as it tells: it loaded before, and does not leave yet. */
    boolean works(long forMillis) {
        Ending.Reports said = reports.said();
        boolean tells = said.helloMillis() >= 0;
        boolean loaded = said.loadedMillis() >= 0 && System.currentTimeMillis() - said.loadedMillis() > forMillis;
        return (!tells || loaded) && !said.finished() && departure.wish() == null && !isOver();
    }

    long jobId() {
        return launch.jobId();
    }

    int number() {
        return launch.attempt();
    }

    @Override
    public String toString() {
        return launch.jobId() + "." + launch.attempt();
    }

    /** Its end is told, or about to be. */
    boolean isOver() {
        return over.get();
    }

    private void untilDone(Work.Task step) throws InterruptedException {
        shop.work().untilDone(toString(), step);
    }

    // Beginning

    /** Makes the folder, starts the shim and waits for its word. */
    void start() throws InterruptedException {
        try {
            if (departure.wish() != null) {
                folder.claim();
                neverBegan(false, "it was called off before it began");
                return;
            }
            Account account = shop.accounts().of(launch.user());
            remains.use(shop.groups().make(toString(), launch));
            Spawn spawn = new Spawn(shop, launch, account, folder);
            spawn.prepare(remains.group(), orderedMillis);
            Process shim = spawn.shim();
            shimStarted = true;
            if (begins(shim)) {
                var unused = shim.onExit()
                        .thenAccept(ended -> shop.work().now(() -> untilDone(() -> shimGone(codeAfter(ended), true))));
            }
        } catch (Accounts.Closed e) {
            neverBegan(true, String.valueOf(e.getMessage()));
        } catch (InvalidPathException e) {
            neverBegan(true, "could not be started: " + OneLine.of(String.valueOf(e.getMessage()), 200));
        } catch (IOException | RuntimeException e) {
            notStarted(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private boolean begins(Process shim) throws IOException, InterruptedException {
        boolean begun;
        try (BufferedReader words = new BufferedReader(new InputStreamReader(shim.getInputStream(), UTF_8))) {
            begun = "running".equals(words.readLine());
        }
        if (!begun) {
            shim.waitFor();
            notStarted("its watcher could not begin: " + OneLine.of(Files.readString(folder.file("shim.log")), 200));
            return false;
        }
        running(System.currentTimeMillis());
        return true;
    }

    /** What the shim wrote down, or what itself ended with where a job has removed what it wrote. */
    private @Nullable Integer codeAfter(Process shim) {
        return Files.exists(folder.file("exit")) ? folder.exitCode() : Integer.valueOf(shim.exitValue());
    }

    /** The attempt never began; what went wrong may be better in a moment. */
    private void notStarted(String why) {
        LOG.warn("job {} could not be started: {}", this, why);
        String detail = "could not be started: " + OneLine.of(why, 200);
        shop.work()
                .after(
                        START_AGAIN_MILLIS,
                        () -> untilDone(() -> {
                            if (shimStarted) {
                                endHalfStarted();
                            }
                            neverBegan(false, detail);
                        }));
    }

    /** A watcher that died on the way may have started some of the ranks: they must not go on beside the next attempt. */
    private void endHalfStarted() throws InterruptedException {
        try {
            folder.claim();
        } catch (IOException e) {
            LOG.warn("job {} could not be claimed; its watcher is gone all the same: {}", this, e.toString());
        }
        farewell.declareStuck(remains.sweep().run(shop.settings().stuckMillis()));
        remains.sweep().killAttendants();
    }

    /** @param failed whether it would be the same another time */
    void neverBegan(boolean failed, String why) throws InterruptedException {
        if (over.compareAndSet(false, true)) {
            untilDone(() ->
                    left(new Ending(departure.wish(), false, null, failed, Ending.Reports.NONE), orderedMillis, why));
        }
    }

    /** Its command runs since {@code begunMillis}. */
    private void running(long begunMillis) {
        departure.running();
        this.begunMillis = begunMillis;
        untilLoaded();
    }

    /**
     * It is said to run when its script has loaded, if such scripts say so, and else as soon as its process is up. One that should have
     * said so long ago is taken to have changed its ways.
     */
    private void untilLoaded() {
        long loads = launch.loadsMillis();
        long since = System.currentTimeMillis() - begunMillis;
        long patience = Math.min(LOADS_LONGER * loads + LOADS_LATER_MILLIS, loads + LOADS_LATEST_MILLIS);
        if (loads == 0 || since > patience) {
            tellRunning(loads == 0 ? begunMillis : System.currentTimeMillis());
        } else if (!told && !isOver()) {
            long look = Math.max(LOOK_SOON_MILLIS, Math.min(LOOK_LATE_MILLIS, since / 8));
            shop.work().after(look, () -> {
                poll();
                untilLoaded();
            });
        }
    }

    /** Its script says that it has loaded. */
    private void loaded() {
        long loadedMillis = reports.said().loadedMillis();
        if (loadedMillis >= 0 && begunMillis != Long.MAX_VALUE) {
            tellRunning(Math.max(begunMillis, loadedMillis));
        }
    }

    /** It runs, and its time limit counts, since then. */
    private synchronized void tellRunning(long sinceMillis) {
        if (!told) {
            told = true;
            if (!isOver()) {
                limit.begun(sinceMillis);
            }
            tell(new News.Happened(new Event.Running(launch.jobId(), launch.attempt(), paceMicro), null));
        }
    }

    /** It may run for another time than it was launched with. */
    void limit(long millis) {
        limit.change(millis);
    }

    /** It shall go: asked now, made to after the grace. */
    void leave(RunFolder.Why why, long graceMillis) {
        departure.leave(why, graceMillis);
    }

    // Adoption

    /** Finds out what became of an attempt that an earlier daemon ordered, and tells it; later, if that fails at first. */
    void adopt() throws InterruptedException {
        Adoption adoption = new Adoption(shop, this, remains, launch.ranks());
        untilDone(() -> {
            reports.recall();
            adoption.findOut();
        });
    }

    void orderedBefore(long millis) {
        orderedMillis = Math.min(millis, orderedMillis);
    }

    /** It still runs, since {@code begunMillis}, whatever became of the daemon that started it. */
    void runsSince(long begunMillis) {
        departure.recall();
        poll();
        running(begunMillis);
    }

    /** The machine was restarted: nothing survives that, and pids and start times mean something else now. */
    void afterRestart() {
        over.set(true);
        Integer code = folder.exitCode();
        Ending ending = farewell.judged(new Ending(folder.leave(), folder.killed(), code, false, reports.said()));
        if (code == null) {
            left(ending, orderedMillis, "the machine was restarted while it ran");
        } else {
            left(ending, folder.exitMillis(), farewell.detail(ending, limit.millis(), ""));
        }
    }

    // End

    /** The shim is no more. What else is left of the attempt goes now, or within the grace if it was asked to leave. */
    void shimGone(@Nullable Integer code, boolean watched) throws InterruptedException {
        departure.shimGone();
        if (over.compareAndSet(false, true)) {
            untilDone(() -> tidyUp(code, watched));
        }
    }

    private void tidyUp(@Nullable Integer code, boolean watched) throws InterruptedException {
        Sweep.Rest rest = remains.sweep().run(shop.settings().stuckMillis());
        remains.sweep().settle();
        poll();
        Ending ending =
                farewell.judged(new Ending(departure.wish(), departure.killed(), code, watched, reports.said()));
        farewell.declareStuck(rest);
        left(
                ending,
                code == null ? System.currentTimeMillis() : folder.exitMillis(),
                farewell.detail(ending, limit.millis(), rest.words()));
    }

    private void left(Ending ending, long runEndMillis, String detail) {
        if (begunMillis != Long.MAX_VALUE) {
            tellRunning(begunMillis); // it may be over before anybody saw that it had loaded
        }
        News.Happened news = farewell.news(ending, orderedMillis, runEndMillis, reports.phases(), use, detail);
        limit.end();
        departure.end();
        shop.groups().release(remains.group());
        gone.accept(this);
        tell(news);
    }

    /** Tells what it reported since the last look; one at a time, so that it is told in order. */
    synchronized void poll() {
        try {
            long now = System.currentTimeMillis();
            List<News.Report> news = reports.poll(now);
            loaded();
            for (News.Report report : news) {
                hear(report);
                tell(new News.Progress(launch.jobId(), launch.attempt(), report, now));
            }
        } catch (IOException e) {
            LOG.debug("job {}: cannot read its reports", this, e);
        }
    }

    /** Tells what it has shown, once that is enough to speak for its kind. */
    void show() {
        if (!told || isOver() || departure.wish() != null) {
            return;
        }
        Measured shown = showing.news(reports.phases(), use, orderedMillis, begunMillis, System.currentTimeMillis());
        if (shown != null) {
            tell(new News.Shown(launch.jobId(), launch.attempt(), shown));
        }
    }

    private void hear(News.Report report) {
        if (report.memoryMib() > 0) {
            use.said(report.memoryMib());
        }
        if (report.busyPermille() > 0) {
            use.busy(report.busyPermille());
        }
    }

    private void tell(News news) {
        shop.inbox().accept(news);
    }
}
