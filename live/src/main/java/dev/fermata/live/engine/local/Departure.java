package dev.fermata.live.engine.local;

import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How an attempt is made to leave: asked with a signal, given its grace, and ended by force when that is over. */
final class Departure {
    private static final Logger LOG = LoggerFactory.getLogger(Departure.class);

    private final Shop shop;
    private final Launch launch;
    private final Remains remains;
    private final RunFolder folder;
    /** The attempt is about to be told as gone: too late to ask. */
    private final AtomicBoolean over;

    private volatile boolean killed;
    private Runnable callOffForce = () -> {};
    private boolean running;
    private boolean asked;
    private boolean shimGone;
    private RunFolder.@Nullable Leave leave;

    Departure(Shop shop, Launch launch, Remains remains, AtomicBoolean over) {
        this.shop = shop;
        this.launch = launch;
        this.remains = remains;
        this.folder = remains.folder();
        this.over = over;
    }

    /** That it shall go, and why; null while nobody wants that. */
    synchronized RunFolder.@Nullable Leave wish() {
        return leave;
    }

    /** When it was asked to leave; never, until it is. */
    synchronized long askedMillis() {
        return leave == null ? Long.MAX_VALUE : leave.askedMillis();
    }

    /** Whether it had to be ended by force. */
    boolean killed() {
        return killed || folder.killed();
    }

    /** Goes on where an earlier daemon was. */
    synchronized void recall() {
        leave = folder.leave();
        asked = leave != null;
        killed = folder.killed();
    }

    /** Its command runs: from now on it can be asked. */
    synchronized void running() {
        running = true;
        if (leave != null) {
            shop.work().now(this::ask);
        }
    }

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
            callOffForce.run();
            long grace = wish.deadlineMillis() - System.currentTimeMillis();
            callOffForce = shop.work().timer(grace, () -> shop.work().untilDone(name(), this::force));
        }
        RunFolder.Leave written = folder.leave();
        if (written != null && written.why() == wish.why() && Files.exists(folder.file("signalled"))) {
            return;
        }
        try {
            Signal signal = wish.why() == RunFolder.Why.KILL
                    ? Signal.TERM
                    : Signal.named(launch.spec().checkpoint().signal());
            List<Proc> all = remains.members().now();
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
            LOG.warn("job {} could not be asked to leave: {}", name(), e.toString());
        }
    }

    /** The grace is over. */
    private void force() throws InterruptedException {
        synchronized (this) {
            if (over.get() || shimGone || leave == null || System.currentTimeMillis() < leave.deadlineMillis()) {
                return; // it goes by itself, or a later deadline holds
            }
        }
        if (!remains.members().now().isEmpty()) {
            markKilled();
        }
        remains.sweep().run(shop.settings().stuckMillis());
        remains.sweep().dismissShim();
    }

    private void markKilled() {
        killed = true;
        try {
            folder.markKilled();
        } catch (IOException e) {
            LOG.warn("job {}: cannot note that it was killed: {}", name(), e.toString());
        }
    }

    /** The shim is no more. What else is left of the attempt has the rest of its grace if it was asked to leave. */
    void shimGone() throws InterruptedException {
        RunFolder.Leave wish;
        synchronized (this) {
            shimGone = true;
            leave = asked ? leave : folder.leave(); // a wish that came too late to be heard does not count
            wish = leave;
        }
        long wait = 10;
        while (wish != null && !killed && !remains.members().now().isEmpty()) {
            if (System.currentTimeMillis() >= wish.deadlineMillis()) {
                markKilled();
            } else {
                Thread.sleep(wait);
                wait = Math.min(200, 2 * wait);
            }
        }
    }

    /** Nothing of an attempt that is gone waits for its time any more. */
    synchronized void end() {
        callOffForce.run();
    }

    private String name() {
        return launch.jobId() + "." + launch.attempt();
    }
}
