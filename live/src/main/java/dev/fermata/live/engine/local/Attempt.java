package dev.fermata.live.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a job, from the order to start it until nothing of it is left. What takes time runs on the engine's workers, so
 * that an attempt that is stuck holds up nobody else.
 */
final class Attempt {
    private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);
    private static final long LIMIT_GRACE_MILLIS = 30_000;
    private static final long SHIM_MILLIS = 2_000;
    /** A start that failed for want of disk or processes is told only after a while, so that it is not tried in a tight circle. */
    private static final long START_AGAIN_MILLIS = 2_000;

    private final Shop shop;
    private final Launch launch;
    private final RunFolder folder;
    private final String runId;
    private final ReportTail reports;
    private final Consumer<Attempt> gone;
    private final long paceMicro;
    private final AtomicBoolean over = new AtomicBoolean();

    private ControlGroup group = ControlGroup.NONE;
    private Members members;
    private long orderedMillis;
    private boolean running;
    private boolean shimGone;
    private volatile boolean forced;
    private RunFolder.@Nullable Leave leave;

    Attempt(Shop shop, Launch launch, Consumer<Attempt> gone) {
        this.shop = shop;
        this.launch = launch;
        this.gone = gone;
        this.folder = new RunFolder(
                shop.runs().resolve(Long.toString(launch.jobId())).resolve(Integer.toString(launch.attempt())));
        this.runId = shop.ids().of(launch.jobId(), launch.attempt());
        this.reports = new ReportTail(folder.path());
        this.members = new Members(folder, runId, group);
        this.paceMicro = Speed.paceMicro(launch, shop.hardware().topology());
        this.orderedMillis = System.currentTimeMillis();
    }

    long jobId() {
        return launch.jobId();
    }

    int number() {
        return launch.attempt();
    }

    // ---- start

    /** Makes the folder, starts the shim and waits for its word. */
    void start(Account account) {
        try {
            synchronized (this) {
                if (leave != null) { // called off before it began
                    folder.claim();
                    end(null, false);
                    return;
                }
                useGroup(shop.groups().make(launch.jobId() + "." + launch.attempt(), launch.spec()));
            }
            Spawn spawn = new Spawn(shop, launch, account, folder);
            spawn.prepare(group, orderedMillis);
            Process shim = spawn.shim(group);
            listen(shim);
        } catch (IOException e) {
            notStarted(e);
        }
    }

    private void listen(Process shim) throws IOException {
        try (BufferedReader words = new BufferedReader(new InputStreamReader(shim.getInputStream(), UTF_8))) {
            if ("running".equals(words.readLine())) {
                running(System.currentTimeMillis());
            }
        }
        var unused = shim.onExit().thenRun(() -> shop.work().now(() -> shimGone(true)));
    }

    /** The attempt can never begin any more; what went wrong may be better in a moment. */
    private void notStarted(IOException cause) {
        LOG.warn("job {}.{} could not be started: {}", launch.jobId(), launch.attempt(), cause.toString());
        shop.work().after(START_AGAIN_MILLIS, () -> {
            boolean ours;
            try {
                ours = folder.claim();
            } catch (IOException e) {
                ours = true; // where no folder can be made, no shim can run
            }
            if (ours && over.compareAndSet(false, true)) {
                tellLeft(
                        new Ending(folder.leave(), false, null, false, Ending.Reports.NONE),
                        System.currentTimeMillis(),
                        "could not be started: " + OneLine.of(String.valueOf(cause.getMessage()), 200));
            }
        });
    }

    private void useGroup(ControlGroup its) {
        group = its;
        members = new Members(folder, runId, its);
    }

    /** Its command runs since {@code begunMillis}. */
    private synchronized void running(long begunMillis) {
        running = true;
        tell(new Event.Running(launch.jobId(), launch.attempt(), paceMicro), null);
        long limit = launch.spec().limitMillis();
        if (limit > 0) {
            long left = limit - launch.ranMillis() - (System.currentTimeMillis() - begunMillis);
            shop.work().after(Math.max(0, left), () -> leave(RunFolder.Why.LIMIT, LIMIT_GRACE_MILLIS));
        }
        if (leave != null) {
            shop.work().now(this::ask);
        }
    }

    // ---- leave

    /** It shall go: asked now, made to after the grace. A stronger reason takes the place of a weaker one. */
    synchronized void leave(RunFolder.Why why, long graceMillis) {
        RunFolder.Leave before = leave;
        boolean stronger = before == null || (why == RunFolder.Why.KILL && before.why() != RunFolder.Why.KILL);
        if (over.get() || !stronger) {
            return;
        }
        long now = System.currentTimeMillis();
        long grace = why == RunFolder.Why.LIMIT
                ? Math.min(graceMillis, launch.spec().preempt().graceMillis())
                : graceMillis;
        leave = new RunFolder.Leave(why, now, now + Math.max(0, grace), false);
        if (running) {
            shop.work().now(this::ask);
        }
    }

    /** Sends the signal to those who should hear it, and sets the deadline. */
    private void ask() {
        RunFolder.Leave asked;
        synchronized (this) {
            asked = leave;
        }
        if (asked == null || over.get()) {
            return;
        }
        try {
            Signal signal = asked.why() == RunFolder.Why.KILL
                    ? Signal.TERM
                    : Signal.named(launch.spec().checkpoint().signal());
            List<Proc> all = members.now();
            Set<Proc> listeners = new HashSet<>();
            all.stream().filter(proc -> proc.catches(signal)).forEach(listeners::add);
            synchronized (this) {
                asked = new RunFolder.Leave(
                        asked.why(), asked.askedMillis(), asked.deadlineMillis(), !listeners.isEmpty());
                if (leave != null && leave.why() == asked.why()) {
                    leave = asked;
                }
            }
            if (folder.exitCode() == null) {
                folder.leave(asked);
                signal.send(Members.toAsk(all, listeners));
                folder.write("signalled", "");
            }
        } catch (IOException e) {
            LOG.warn("job {}.{} could not be asked to leave: {}", launch.jobId(), launch.attempt(), e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        deadline(asked);
    }

    private void deadline(RunFolder.Leave asked) {
        shop.work().after(Math.max(0, asked.deadlineMillis() - System.currentTimeMillis()), this::force);
    }

    /** The grace is over. */
    private void force() {
        synchronized (this) {
            RunFolder.Leave asked = leave;
            if (over.get() || shimGone || asked == null || System.currentTimeMillis() < asked.deadlineMillis()) {
                return; // it leaves by itself, or a newer deadline holds
            }
        }
        Sweep sweep = sweep();
        if (!members.now().isEmpty()) {
            mark();
        }
        sweep.run();
        if (!sweep.awaitShim(SHIM_MILLIS)) {
            sweep.killAttendants(); // then its watcher is held up, too
        }
    }

    private void mark() {
        try {
            folder.markKilled();
        } catch (IOException e) {
            LOG.warn("job {}.{}: cannot note that it was killed: {}", launch.jobId(), launch.attempt(), e.toString());
        }
        forced = true;
    }

    private Sweep sweep() {
        return new Sweep(members, group, folder, shop.settings().stuckMillis());
    }

    // ---- end

    /** The shim is no more. Whatever else is left of the attempt leaves now, or within the grace if it was asked to leave. */
    private void shimGone(boolean watched) {
        RunFolder.Leave asked;
        synchronized (this) {
            shimGone = true;
            asked = folder.leave() == null ? null : leave;
        }
        try {
            while (asked != null
                    && System.currentTimeMillis() < asked.deadlineMillis()
                    && !members.now().isEmpty()) {
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        if (asked != null && !members.now().isEmpty()) {
            mark();
        }
        end(folder.exitCode(), watched);
    }

    private void end(@Nullable Integer code, boolean watched) {
        if (!over.compareAndSet(false, true)) {
            return;
        }
        String left = sweep().run();
        sweep().settle();
        poll();
        Ending ending = new Ending(
                folder.leave() == null ? leave : folder.leave(),
                forced || folder.killed(),
                code,
                watched,
                reports.said());
        tellLeft(ending, code == null ? System.currentTimeMillis() : folder.exitMillis(), left);
    }

    private void tellLeft(Ending ending, long runEndMillis, String note) {
        long now = System.currentTimeMillis();
        Outcome outcome = ending.outcome();
        var usage = ending.usage(
                orderedMillis,
                runEndMillis,
                now,
                launch.savedWorkMillis(),
                launch.spec().checkpoint().everyMillis(),
                paceMicro);
        int signal = ending.signal();
        group.remove();
        gone.accept(this);
        tell(
                new Event.Left(launch.jobId(), launch.attempt(), outcome, usage),
                new News.Exit(signal > 0 ? null : ending.code(), signal, note));
    }

    private void poll() {
        try {
            for (News.Report report : reports.poll(System.currentTimeMillis())) {
                shop.inbox().accept(new News.Progress(launch.jobId(), launch.attempt(), report));
            }
        } catch (IOException e) {
            LOG.debug("job {}.{}: cannot read its reports", launch.jobId(), launch.attempt(), e);
        }
    }

    private void tell(Event event, News.@Nullable Exit exit) {
        shop.inbox().accept(new News.Happened(event, exit));
    }
}
