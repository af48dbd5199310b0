package dev.fermata.live.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a job, from the order to start it, or its adoption, until nothing of it is left. What takes time runs on the
 * engine's workers, so that an attempt that is stuck holds up nobody else.
 */
final class Attempt {
    private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);
    private static final long LIMIT_GRACE_MILLIS = 30_000;
    /** A start that failed for want of disk or memory is told only after a while, so that it is not tried in a tight circle. */
    private static final long START_AGAIN_MILLIS = 2_000;
    /** What went wrong on the way to an end that must be told is tried again after this time. */
    private static final long AGAIN_MILLIS = 2_000;
    /** A shim that lives has claimed its attempt after this time; else something holds it, and it is watched all the same. */
    private static final long CLAIM_MILLIS = 10_000;

    private final Shop shop;
    private final Launch launch;
    private final RunFolder folder;
    private final ReportTail reports;
    private final Consumer<Attempt> gone;
    private final long paceMicro;
    private final AtomicBoolean over = new AtomicBoolean();

    private ControlGroup group = ControlGroup.NONE;
    private Members members;
    private long orderedMillis = System.currentTimeMillis();
    private volatile boolean killed;
    private long begunMillis;
    private volatile long limitMillis;
    private Runnable callOffLimit = () -> {};
    private Runnable callOffForce = () -> {};
    private boolean running;
    private boolean asked;
    private boolean shimGone;
    private volatile boolean shimStarted;
    private boolean stuckDeclared;
    private RunFolder.@Nullable Leave leave;

    Attempt(Shop shop, Launch launch, Consumer<Attempt> gone) {
        this.shop = shop;
        this.launch = launch;
        this.gone = gone;
        this.limitMillis = launch.spec().limitMillis();
        this.folder = new RunFolder(
                shop.runs().resolve(Long.toString(launch.jobId())).resolve(Integer.toString(launch.attempt())));
        this.reports = new ReportTail(folder.path());
        this.members = new Members(folder, runId(), group);
        this.paceMicro = Speed.paceMicro(launch, shop.hardware().topology());
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

    private String runId() {
        return shop.ids().of(launch.jobId(), launch.attempt());
    }

    private void use(ControlGroup its) {
        group = its;
        members = new Members(folder, runId(), its);
    }

    private Sweep sweep() {
        return new Sweep(members, group, folder);
    }

    // Beginning

    /** Makes the folder, starts the shim and waits for its word. */
    void start() throws InterruptedException {
        boolean calledOff;
        synchronized (this) {
            calledOff = leave != null;
        }
        try {
            if (calledOff) {
                folder.claim();
                neverBegan(false, "it was called off before it began");
                return;
            }
            Account account = shop.accounts().of(launch.user());
            use(shop.groups().make(toString(), launch));
            Spawn spawn = new Spawn(shop, launch, account, folder);
            spawn.prepare(group, orderedMillis);
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

    /**
     * Does what leads to the end of the attempt, again and again until nothing goes wrong: an end that is never told would hold its
     * GPUs for ever, and nobody could cancel it.
     */
    private void untilDone(Work.Task step) throws InterruptedException {
        try {
            step.run();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            LOG.warn("job {}: something went wrong and is tried again: {}", this, e.toString());
            shop.work().after(AGAIN_MILLIS, () -> untilDone(step));
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
        declareStuck(sweep().run(shop.settings().stuckMillis()));
        sweep().killAttendants();
    }

    /** @param failed whether it would be the same another time */
    private void neverBegan(boolean failed, String why) throws InterruptedException {
        if (over.compareAndSet(false, true)) {
            untilDone(() -> left(new Ending(leave, false, null, failed, Ending.Reports.NONE), orderedMillis, why));
        }
    }

    /** Its command runs since {@code begunMillis}. */
    private synchronized void running(long begunMillis) {
        running = true;
        tell(new Event.Running(launch.jobId(), launch.attempt(), paceMicro), null);
        this.begunMillis = begunMillis;
        watchLimit();
        if (leave != null) {
            shop.work().now(this::ask);
        }
    }

    /** It may run for another time than it was launched with. */
    synchronized void limit(long millis) {
        limitMillis = millis;
        if (running) {
            watchLimit();
        }
    }

    private synchronized void watchLimit() {
        callOffLimit.run();
        if (limitMillis > 0 && !over.get()) {
            long left = limitMillis - launch.ranMillis() - (System.currentTimeMillis() - begunMillis);
            callOffLimit = shop.work().timer(left, () -> leave(RunFolder.Why.LIMIT, LIMIT_GRACE_MILLIS));
        }
    }

    /** Nothing of an attempt that is gone waits for its time any more. */
    private synchronized void callOffTimers() {
        callOffLimit.run();
        callOffForce.run();
    }

    // Adoption

    /** Finds out what became of an attempt that an earlier daemon ordered, and tells it; later, if that fails at first. */
    void adopt() throws InterruptedException {
        untilDone(this::findOut);
    }

    private void findOut() throws IOException, InterruptedException {
        reports.recall();
        use(shop.groups().of(toString()));
        RunFolder.Order order = folder.order();
        if (order != null) {
            orderedMillis = Math.min(order.millis(), orderedMillis);
        }
        if (order != null && !order.boot().equals(shop.boot())) {
            afterRestart();
            return;
        }
        long patience = System.currentTimeMillis() + CLAIM_MILLIS;
        while (!over.get()) {
            RunFolder.Known shim = folder.shim();
            if (shim != null && shim.alive()) {
                if (begun() || System.currentTimeMillis() > patience) {
                    watch();
                    return;
                }
                Thread.sleep(5); // it is about to claim the attempt, or to find that it cannot
            } else if (folder.claim()) {
                neverClaimed();
            } else if (folder.shim() == null || !folder.shim().alive()) {
                shimGone(folder.exitCode(), false);
            }
        }
    }

    /** The shim has claimed it and started its command. */
    private boolean begun() {
        return folder.claimed() && folder.ranks().size() >= launch.ranks();
    }

    /** The machine was restarted: nothing survives that, and pids and start times mean something else now. */
    private void afterRestart() {
        over.set(true);
        Integer code = folder.exitCode();
        Ending ending = new Ending(folder.leave(), folder.killed(), code, false, reports.said());
        if (code == null) {
            left(ending, orderedMillis, "the machine was restarted while it ran");
        } else {
            left(ending, folder.exitMillis(), detail(ending, ""));
        }
    }

    /** Nobody can run it any more. If it runs all the same, it has deleted its own folder and is beyond help. */
    private void neverClaimed() throws InterruptedException {
        Sweep.Rest rest = sweep().run(shop.settings().stuckMillis());
        boolean ran = rest.ended() > 0;
        neverBegan(ran, ran ? "it had deleted its own folder" : "it was never started");
    }

    private void watch() {
        synchronized (this) {
            leave = folder.leave();
            asked = leave != null;
            killed = folder.killed();
        }
        poll();
        running(folder.claimedMillis());
        shop.work()
                .now(() -> untilDone(() -> {
                    Watch.untilGone(folder);
                    shop.work().now(() -> untilDone(() -> shimGone(folder.exitCode(), true)));
                }));
    }

    // Leaving

    /** It shall go: asked now, made to after the grace. A stronger reason takes the place of a weaker one. */
    synchronized void leave(RunFolder.Why why, long graceMillis) {
        boolean stronger = leave == null || (why == RunFolder.Why.KILL && leave.why() != RunFolder.Why.KILL);
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

    /** Sends the signal to those who should hear it, unless an earlier daemon did, and sets the deadline. */
    private void ask() throws InterruptedException {
        RunFolder.Leave wish;
        synchronized (this) {
            wish = leave;
            if (wish == null || over.get() || shimGone || folder.exitCode() != null) {
                return; // it is through by itself
            }
            asked = true;
        }
        long grace = wish.deadlineMillis() - System.currentTimeMillis();
        synchronized (this) {
            callOffForce.run();
            callOffForce = shop.work().timer(grace, () -> untilDone(this::force));
        }
        RunFolder.Leave written = folder.leave();
        if (written != null && written.why() == wish.why() && Files.exists(folder.file("signalled"))) {
            return;
        }
        try {
            Signal signal = wish.why() == RunFolder.Why.KILL
                    ? Signal.TERM
                    : Signal.named(launch.spec().checkpoint().signal());
            List<Proc> all = members.now();
            Set<Proc> listeners = new HashSet<>();
            all.stream().filter(proc -> proc.catches(signal)).forEach(listeners::add);
            wish = new RunFolder.Leave(wish.why(), wish.askedMillis(), wish.deadlineMillis(), !listeners.isEmpty());
            synchronized (this) {
                if (leave == null || leave.why() != wish.why()) {
                    return; // overtaken by a stronger reason
                }
                leave = wish;
            }
            folder.leave(wish);
            signal.send(Members.toAsk(all, listeners));
            folder.write("signalled", "");
        } catch (IOException e) {
            LOG.warn("job {} could not be asked to leave: {}", this, e.toString());
        }
    }

    /** The grace is over. */
    private void force() throws InterruptedException {
        synchronized (this) {
            if (over.get() || shimGone || leave == null || System.currentTimeMillis() < leave.deadlineMillis()) {
                return; // it goes by itself, or a later deadline holds
            }
        }
        if (!members.now().isEmpty()) {
            markKilled();
        }
        sweep().run(shop.settings().stuckMillis());
        sweep().dismissShim();
    }

    private void markKilled() {
        killed = true;
        try {
            folder.markKilled();
        } catch (IOException e) {
            LOG.warn("job {}: cannot note that it was killed: {}", this, e.toString());
        }
    }

    // End

    /** The shim is no more. What else is left of the attempt goes now, or within the grace if it was asked to leave. */
    private void shimGone(@Nullable Integer code, boolean watched) throws InterruptedException {
        RunFolder.Leave wish;
        synchronized (this) {
            shimGone = true;
            leave = asked ? leave : folder.leave(); // a wish that came too late to be heard does not count
            wish = leave;
        }
        long wait = 10;
        while (wish != null && !killed && !members.now().isEmpty()) {
            if (System.currentTimeMillis() >= wish.deadlineMillis()) {
                markKilled();
            } else {
                Thread.sleep(wait);
                wait = Math.min(200, 2 * wait);
            }
        }
        end(code, watched);
    }

    private void end(@Nullable Integer code, boolean watched) throws InterruptedException {
        if (over.compareAndSet(false, true)) {
            untilDone(() -> tidyUp(code, watched));
        }
    }

    private void tidyUp(@Nullable Integer code, boolean watched) throws InterruptedException {
        Sweep.Rest rest = sweep().run(shop.settings().stuckMillis());
        sweep().settle();
        poll();
        RunFolder.Leave wish;
        synchronized (this) {
            wish = leave;
        }
        Ending ending = new Ending(wish, killed || folder.killed(), code, watched, reports.said());
        declareStuck(rest);
        left(ending, code == null ? System.currentTimeMillis() : folder.exitMillis(), detail(ending, rest.words()));
    }

    private void declareStuck(Sweep.Rest rest) {
        if (!rest.stuck().isEmpty() && !stuckDeclared) {
            stuckDeclared = true;
            Set<Integer> gpus = new HashSet<>();
            for (int i = 0; i < launch.allocation().size(); i++) {
                gpus.add(launch.allocation().gpu(i));
            }
            new StuckGpus(shop, gpus, toString()).declare(sweep());
        }
    }

    private String detail(Ending ending, String swept) {
        return Detail.of(ending, launch, limitMillis, group.outOfMemoryKills(), lastWords(), swept);
    }

    private void left(Ending ending, long runEndMillis, String detail) {
        Usage usage = ending.usage(
                orderedMillis,
                runEndMillis,
                System.currentTimeMillis(),
                launch.savedWorkMillis(),
                launch.spec().checkpoint().everyMillis(),
                paceMicro);
        int signal = ending.signal();
        callOffTimers();
        shop.groups().release(group);
        gone.accept(this);
        tell(
                new Event.Left(launch.jobId(), launch.attempt(), ending.outcome(), usage),
                new News.Exit(signal > 0 ? null : ending.code(), signal, detail));
    }

    /** The last line on standard error, of the first rank that has one. */
    private String lastWords() {
        try {
            for (int rank = 0; rank < launch.ranks(); rank++) {
                String line = shop.logs().lastLine(launch.jobId(), launch.attempt(), "stderr", rank);
                if (!line.isEmpty()) {
                    return line;
                }
            }
        } catch (IOException e) {
            LOG.debug("job {}: cannot read what it printed", this, e);
        }
        return "";
    }

    /** Tells what it reported since the last look. */
    void poll() {
        try {
            for (News.Report report : reports.poll(System.currentTimeMillis())) {
                shop.inbox().accept(new News.Progress(launch.jobId(), launch.attempt(), report));
            }
        } catch (IOException e) {
            LOG.debug("job {}: cannot read its reports", this, e);
        }
    }

    private void tell(Event event, News.@Nullable Exit exit) {
        shop.inbox().accept(new News.Happened(event, exit));
    }
}
