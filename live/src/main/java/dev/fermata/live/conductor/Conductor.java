package dev.fermata.live.conductor;

import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.conductor.Pulse.Phase;
import dev.fermata.live.conductor.Refusal.Kind;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.News;
import dev.fermata.live.foresee.Foresight;
import dev.fermata.live.learn.Calibration;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.store.Batch;
import dev.fermata.live.store.Home;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.Recovery;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the ring in wall-clock time. One thread owns everything that decides; the outside leaves word in the {@link Inbox}.
 *
 * <p>A cycle: take what came, read the clock once, let the scheduler learn and decide, make the facts durable in one transaction, and
 * only then tell the engine, those who asked and those who listen. So nobody is ever told of something that a crash could undo. When
 * the store fails, the cycle stays unfinished: nothing is said, new requests are refused, the same transaction is tried until it
 * succeeds, and the engine's news waits.
 *
 * <p>{@link #start} runs it on a thread of its own. Tests may call {@link #lead} and {@link #turn} by hand instead.
 */
public final class Conductor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Conductor.class);
    private static final long CLAIM_MILLIS = 10_000;

    final LiveEngine engine;
    final ConductorSettings settings;
    final PolicySpec policy;
    final Inbox inbox;
    final Reports reports = new Reports();
    final Vitals vitals;
    final List<Consumer<Line>> followers = new CopyOnWriteArrayList<>();
    private final Store store;
    private final SteadyClock clock;
    private final Meters meters;
    private final String decider;
    private final Watchdog watchdog;
    private final Counter counter;
    private final CompletableFuture<Void> seated = new CompletableFuture<>();
    private final CompletableFuture<Void> leading = new CompletableFuture<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean closing;
    private volatile List<GpuState> gpus;
    private volatile List<QueueState> queues = List.of();
    private @Nullable Ring ring;
    private long nowMillis;
    /** Grows with every cycle in which something happened. */
    private volatile long changes;

    private long imageSeq;
    /** Whether the store has all that the ledger took as true: else an image would say more than the history. */
    private boolean durable = true;

    public Conductor(
            Store store,
            LiveEngine engine,
            PolicySpec policy,
            ConductorSettings settings,
            boolean shadow,
            SteadyClock clock,
            Meters meters) {
        this(store, engine, policy, settings, shadow, clock, meters, null);
    }

    /** @param foresight says when jobs will start; null where nobody can tell */
    public Conductor(
            Store store,
            LiveEngine engine,
            PolicySpec policy,
            ConductorSettings settings,
            boolean shadow,
            SteadyClock clock,
            Meters meters,
            @Nullable Foresight foresight) {
        this.store = store;
        this.meters = meters;
        this.engine = shadow ? new ShadowEngine(engine) : engine;
        this.policy = policy;
        this.settings = settings;
        this.clock = clock;
        this.decider = shadow ? "shadow" : "policy";
        this.inbox = new Inbox(settings.inbox());
        this.vitals = new Vitals(shadow, inbox);
        this.gpus = new Floor(engine.topology()).states();
        this.thread = new Thread(this::run, "fermata-conductor");
        this.thread.setDaemon(true);
        this.counter = new Counter(this, store.reader(), foresight);
        this.watchdog = new Watchdog(vitals, thread, settings.stuckMillis());
    }

    /** What others may ask of it. */
    public Desk desk() {
        return counter;
    }

    /** Begins to recover and then to lead, on a thread of its own. */
    public Conductor start() {
        thread.start();
        watchdog.start();
        return this;
    }

    /** What operators should know about the engine, a sentence each. */
    public List<String> remarks() {
        return engine.remarks();
    }

    /** Complete when it is clear who leads: this one, which then recovers, or another, for which this one stands by. */
    public CompletableFuture<Void> seated() {
        return seated;
    }

    /** Complete when it leads; cancelled when it has stopped without. */
    public CompletableFuture<Void> leading() {
        return leading;
    }

    /** Complete when it leads, stands by or has stopped. */
    public CompletableFuture<Void> ready() {
        return ready;
    }

    /** Complete when the conductor has stopped: empty after {@link #close}, else what went wrong. */
    public CompletableFuture<String> ended() {
        return ended;
    }

    /** Stops after the cycle at hand and keeps an image. Jobs go on. */
    @Override
    public void close() {
        closing = true;
        inbox.nudge();
        if (thread.isAlive() && Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        watchdog.close();
        counter.close();
    }

    private void run() {
        try {
            if (lead()) {
                while (!closing) {
                    await();
                    turn(clock.read());
                }
                if (durable) {
                    keepImage();
                }
            }
            vitals.enter(Phase.STOPPED, vitals.trouble());
        } catch (InterruptedException e) {
            stopped("the conductor was interrupted", e);
        } catch (StoreException e) {
            LOG.error("stopped: {}", e.getMessage());
            vitals.enter(Phase.STOPPED, String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            stopped("the conductor failed and decides nothing any more: " + e, e);
        } finally {
            inbox.takeRequests().forEach(request -> refuse(request, "the daemon has stopped"));
            ended.complete(vitals.trouble());
            leading.cancel(false);
            seated.complete(null);
            ready.complete(null);
        }
    }

    private void stopped(String why, Throwable cause) {
        LOG.error("stopped: {}", why, cause);
        vitals.enter(Phase.STOPPED, why);
    }

    private void await() throws InterruptedException {
        long wake = ring().wakeAtMillis();
        long millis = wake == Long.MAX_VALUE ? wake : Math.max(0, wake - clock.read());
        vitals.waiting(millis);
        inbox.await(millis);
        vitals.working();
    }

    // ---- recovery ----

    /** Becomes the one that leads and recovers; false when it was closed before it could. */
    public boolean lead() {
        long begin = System.nanoTime();
        Optional<Recovery> recovery = store.recover(
                () -> {
                    vitals.enter(Phase.STANDBY, "another daemon leads; this one takes over when it is gone");
                    seated.complete(null);
                    ready.complete(null);
                    return !closing;
                },
                this::moveIn);
        if (recovery.isEmpty()) {
            return false;
        }
        if (vitals.phase() == Phase.STANDBY) {
            begin = System.nanoTime();
        }
        vitals.enter(Phase.RECOVERING, "");
        seated.complete(null);
        recover(recovery.get());
        vitals.restarted((System.nanoTime() - begin) / 1_000_000);
        vitals.enter(Phase.LEADING, "");
        leading.complete(null);
        ready.complete(null);
        LOG.info(
                "leading after {} ms: {} live jobs, {} lines replayed",
                vitals.pulse().restartMillis(),
                ring().roster.size(),
                recovery.get().lines().size());
        return true;
    }

    /** From elsewhere nobody can tell whether a job still runs: it would be started a second time. */
    private Home moveIn(Recovery recovery) {
        claimPlace();
        Home there = recovery.home();
        Home here = new Home(engine.identity(), engine.place());
        long onGpus =
                recovery.live().stream().filter(job -> job.state().holdsGpus()).count();
        if (there.id().isEmpty() || there.id().equals(here.id()) || onGpus == 0) {
            return here;
        }
        if (settings.abandon()) {
            LOG.warn("giving up what runs at {}: {} jobs go back to the queue", there.place(), onGpus);
            return here;
        }
        throw new StoreException(
                onGpus + (onGpus == 1 ? " job is" : " jobs are") + " on GPUs at " + there.place()
                        + ", which this daemon (" + here.place() + ") cannot see. Start it there with that data folder;"
                        + " or, once that machine is surely gone, here with --abandon, which starts them anew.",
                false);
    }

    /** The one that led before may need a moment to let its place go. */
    private void claimPlace() {
        try {
            engine.claim(vitals.phase() == Phase.STANDBY ? CLAIM_MILLIS : 0);
        } catch (IllegalStateException e) {
            throw new StoreException(String.valueOf(e.getMessage()), false, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted before it could lead", false, e);
        }
    }

    private void recover(Recovery recovery) {
        Experience experience = Experience.from(store.ownReader(), recovery.lines(), engine.topology(), settings);
        Calibration calibration = Expectations.calibration(store.ownReader());
        LiveEstimator estimator = new LiveEstimator(Lessons.from(store.ownReader(), experience), reports, calibration);
        Scheduler scheduler = new Scheduler(
                engine.topology(),
                policy.create(),
                estimator,
                settings.guard(),
                policy.memoryPromise(),
                policy.mixedGangs());
        Ring recovered = new Ring(
                scheduler,
                estimator,
                calibration,
                recovery,
                store.ownReader(),
                reports,
                settings,
                experience,
                decider,
                policy.text());
        ring = recovered;
        imageSeq = recovery.imageSeq();
        if (!recovery.lines().isEmpty()) {
            clock.notBefore(recovery.lines().get(recovery.lines().size() - 1).atMillis());
        }
        clock.notBefore(scheduler.image().factMillis());
        engine.open(recovered.believed(), this::hear);
        recovered.unansweredOrders().forEach(order -> order.accept(engine));
        publish();
    }

    private void hear(News news) {
        if (!(news instanceof News.Progress progress) || reports.hear(progress)) {
            inbox.tell(news);
        }
    }

    // ---- a cycle ----

    /** One cycle at this time; answers with the time at which it wants to be asked again even if nothing happens. */
    public long turn(long now) throws InterruptedException {
        long begin = System.nanoTime();
        nowMillis = now;
        Ring led = ring();
        Turn turn = led.turn(now, inbox.take(settings.perCycle()));
        meters.decisionTook(System.nanoTime() - begin, turn.learningNanos);
        durable = save(turn);
        if (!durable) {
            return Long.MAX_VALUE;
        }
        if (!turn.lines.isEmpty()) {
            publish();
        }
        if (turn.lines.size() > turn.remarks.size()) {
            changes = led.lastSeq();
        }
        vitals.cycled(led.lastSeq(), led.roster);
        carryOut(turn);
        if (turn.arrived && thread.isAlive()) { // whoever turns it by hand asks by hand
            counter.stir();
        }
        turn.measured.forEach((job, shown) ->
                meters.measured(turn.classes.getOrDefault(job, ""), shown.pauseMillis(), shown.loadMillis()));
        meters.cycleTook(System.nanoTime() - begin);
        if (led.lastSeq() - imageSeq >= settings.imageEveryLines()) {
            keepImage();
        }
        return led.wakeAtMillis();
    }

    /** Tries until it is durable; false when the daemon was told to stop before it was. */
    private boolean save(Turn turn) throws InterruptedException {
        Batch batch = turn.batch();
        long wait = settings.retryMillis();
        while (!batch.isEmpty()) {
            try {
                long begin = System.nanoTime();
                store.append(batch);
                meters.appendTook(System.nanoTime() - begin, batch.lines().size());
                break;
            } catch (StoreException e) {
                if (!e.passing()) {
                    turn.refuse(new Refusal(Kind.UNAVAILABLE, String.valueOf(e.getMessage())));
                    throw e;
                }
                if (vitals.phase() != Phase.DEGRADED) {
                    LOG.error("nothing can be made durable, trying again until it can: {}", e.getMessage());
                }
                vitals.enter(Phase.DEGRADED, String.valueOf(e.getMessage()));
            }
            if (!refuseFor(wait)) {
                turn.refuse(new Refusal(Kind.UNAVAILABLE, "the daemon was stopped before this could be made durable"));
                return false;
            }
            wait = Math.min(2 * wait, settings.retryMostMillis());
        }
        if (vitals.phase() == Phase.DEGRADED) {
            LOG.info("the store takes changes again");
            vitals.enter(Phase.LEADING, "");
        }
        return true;
    }

    /** Refuses whatever is asked, for so long; false when it is to stop. The engine's news waits where it is. */
    private boolean refuseFor(long millis) throws InterruptedException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (!closing) {
            vitals.working();
            inbox.takeRequests()
                    .forEach(request -> refuse(request, "nothing can be made durable: " + vitals.trouble()));
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return true;
            }
            inbox.awaitRequests(left);
        }
        return false;
    }

    private static void refuse(Request request, String why) {
        request.answer().completeExceptionally(new Refusal(Kind.UNAVAILABLE, why));
    }

    /** Everything is durable: now the world may know. */
    private void carryOut(Turn turn) {
        for (Consumer<LiveEngine> order : turn.orders) {
            try {
                order.accept(engine);
            } catch (RuntimeException e) {
                LOG.error("the engine did not take an order", e);
            }
        }
        turn.answers.forEach(Runnable::run);
        for (Line line : turn.lines) {
            for (Consumer<Line> follower : followers) {
                try {
                    follower.accept(line);
                } catch (RuntimeException e) {
                    LOG.warn("a listener failed at line {}", line.seq(), e);
                }
            }
        }
        turn.questions.forEach(Request.Ask::put);
    }

    private void publish() {
        gpus = ring().floor.states();
        queues = ring().roster.queues(ring().scheduler.view().queueRules());
    }

    private void keepImage() {
        long seq = ring().lastSeq();
        if (seq <= imageSeq) {
            return;
        }
        try {
            store.saveImage(seq, ring().image(), ring().experience.book.unwritten(seq));
            ring().experience.book.written();
        } catch (StoreException e) {
            LOG.warn("no image could be kept, the next restart reads more of the history: {}", e.getMessage());
        }
        imageSeq = seq; // or not again before as many lines
    }

    // ---- for the counter ----

    Ring ring() {
        return Objects.requireNonNull(ring, "not recovered yet");
    }

    long changes() {
        return changes;
    }

    long nowMillis() {
        return nowMillis;
    }

    List<GpuState> gpus() {
        return gpus;
    }

    List<QueueState> queues() {
        return queues;
    }
}
