package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.live.conductor.Pulse.Phase;
import dev.fermata.live.conductor.Refusal.Kind;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.foresee.Foresight;
import dev.fermata.live.learn.KindNotes;
import dev.fermata.live.learn.PairBook;
import dev.fermata.live.learn.RemainingTime;
import dev.fermata.live.spec.JobPatch;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.StoredSpec;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The desk in front of a conductor: whatever needs no look at the ledger is done here, on the thread of whoever asks. */
final class Counter implements Desk, AutoCloseable {
    private final Conductor conductor;
    private final Store.Reader reader;
    private final Foreseer foreseer;
    private final DryRun dryRun;

    Counter(Conductor conductor, Store.Reader reader, @Nullable Foresight foresight) {
        this.conductor = conductor;
        this.reader = reader;
        this.foreseer = new Foreseer(conductor, this, foresight);
        this.dryRun = new DryRun(conductor, foreseer);
    }

    /** Jobs came that may have to wait. */
    void stir() {
        foreseer.stir();
    }

    @Override
    public CompletableFuture<List<Long>> submit(Actor who, List<JobSpec> jobs, @Nullable String key) {
        CompletableFuture<List<Long>> answer = new CompletableFuture<>();
        int most = conductor.settings.jobsPerSubmission();
        if (jobs.isEmpty() || jobs.size() > most) {
            return refused(answer, Kind.INVALID, jobs.size() + " jobs in one submission; it takes 1 to " + most);
        }
        for (JobSpec spec : jobs) {
            String refusal = conductor.engine.refusal(spec, who.user());
            if (refusal != null) {
                return refused(answer, Kind.INVALID, refusal);
            }
        }
        String digest = key == null ? "" : digest(jobs);
        return put(new Request.Submit(who, List.copyOf(jobs), key, digest, answer), answer);
    }

    private static String digest(List<JobSpec> jobs) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (JobSpec job : jobs) {
                sha.update(StoredSpec.write(job).getBytes(StandardCharsets.UTF_8));
                sha.update((byte) '\n');
            }
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public CompletableFuture<Prospect> dryRun(Actor who, JobSpec job) {
        String refusal = conductor.engine.refusal(job, who.user());
        if (refusal != null) {
            return refused(new CompletableFuture<>(), Kind.INVALID, refusal);
        }
        return ask(() -> dryRun.trial(who, job)).thenCompose(dryRun::look);
    }

    @Override
    public CompletableFuture<Explanation> explain(long id) {
        try {
            Optional<JobRow> row = reader.job(id);
            if (row.isEmpty()) {
                return refused(new CompletableFuture<>(), Kind.NOT_FOUND, "there is no job " + id);
            }
            return row.get().state().isFinal()
                    ? CompletableFuture.completedFuture(Explainer.ended(row.get()))
                    : ask(() -> explainLive(id));
        } catch (StoreException e) {
            return refused(new CompletableFuture<>(), Kind.UNAVAILABLE, "the store cannot be read: " + e.getMessage());
        }
    }

    @Override
    public CompletableFuture<Map<Long, ExpectedStart>> expectedStarts(Set<Long> jobs) {
        return foreseer.starts(jobs);
    }

    private Explanation explainLive(long id) {
        Ring ring = conductor.ring();
        LiveJob job = ring.roster.find(id);
        if (job == null) { // it ended since it was looked up
            return Explainer.ended(
                    reader.job(id).orElseThrow(() -> new Refusal(Kind.NOT_FOUND, "there is no job " + id)));
        }
        long now = conductor.nowMillis();
        Verdict verdict = job.state == JobState.PENDING ? ring.scheduler.explain(id) : null;
        if (verdict != null) {
            Explanation why = Explainer.pending(job.row(), verdict, ring.roster.position(job), now);
            JobView view = ring.scheduler.job(id);
            return view == null ? why : ring.floor.outages(view.eligibleTypes()).in(why, verdict.reason());
        }
        long beneficiary = job.run == null ? -1 : job.run.beneficiary;
        JobView view = ring.scheduler.job(id);
        RemainingTime remaining = view != null && job.state == JobState.RUNNING
                ? ring.estimator.remaining(view, now).at(view.paceMicro())
                : null;
        return Explainer.onGpus(job.row(), progress(id), remaining, beneficiary, ring.profiles(job), now);
    }

    @Override
    public CompletableFuture<Void> cancel(Actor who, long job) {
        return ofJob(who, Request.Verb.CANCEL, job);
    }

    @Override
    public CompletableFuture<Void> hold(Actor who, long job) {
        return ofJob(who, Request.Verb.HOLD, job);
    }

    @Override
    public CompletableFuture<Void> release(Actor who, long job) {
        return ofJob(who, Request.Verb.RELEASE, job);
    }

    private CompletableFuture<Void> ofJob(Actor who, Request.Verb verb, long job) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        return put(new Request.OfJob(who, verb, job, answer), answer);
    }

    @Override
    public CompletableFuture<Void> update(Actor who, long job, JobPatch patch) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        return put(new Request.Update(who, job, patch, answer), answer);
    }

    @Override
    public CompletableFuture<Void> drain(Actor who, int node, boolean drained) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        return put(new Request.Drain(who, node, drained, answer), answer);
    }

    @Override
    public CompletableFuture<Void> setQueues(Actor who, List<QueueRule> rules) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        return put(new Request.SetQueues(who, List.copyOf(rules), answer), answer);
    }

    @Override
    public CompletableFuture<Map<dev.fermata.live.learn.Kind, KindNotes>> profiles() {
        return ask(() -> conductor.ring().experience.book.all());
    }

    @Override
    public CompletableFuture<PairBook> pairs() {
        return ask(() -> conductor.ring().experience.pairs);
    }

    @Override
    public CompletableFuture<Void> retell(
            Actor who, String action, Map<dev.fermata.live.learn.Kind, UnaryOperator<KindNotes>> changes) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        return put(new Request.Retell(who, action, Map.copyOf(changes), answer), answer);
    }

    @Override
    public void note(Actor who, String action, String target, String result) {
        conductor.inbox.offer(new Request.Note(who, action, target, result, new CompletableFuture<>()));
    }

    @Override
    public @Nullable String refusesJobsOf(String user) {
        return conductor.engine.refusesJobsOf(user);
    }

    @Override
    public List<QueueState> queues() {
        return conductor.queues();
    }

    @Override
    public Topology topology() {
        return conductor.engine.topology();
    }

    @Override
    public List<GpuState> gpus() {
        return conductor.gpus();
    }

    @Override
    public @Nullable Progress progress(long job) {
        return conductor.reports.progress(job);
    }

    @Override
    public Pulse pulse() {
        return conductor.vitals.pulse();
    }

    @Override
    public AutoCloseable follow(Consumer<Line> listener) {
        conductor.followers.add(listener);
        return () -> conductor.followers.remove(listener);
    }

    @Override
    public void close() {
        foreseer.close();
    }

    /** Asks on the conductor's thread, after a cycle. */
    <T> CompletableFuture<T> ask(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        return put(new Request.Ask<>(question, answer), answer);
    }

    /** Only a leading conductor is asked anything; what is put to one that stops is refused by it. */
    private <T> CompletableFuture<T> put(Request request, CompletableFuture<T> answer) {
        Phase phase = conductor.vitals.phase();
        if (phase != Phase.LEADING) {
            return refused(answer, Kind.UNAVAILABLE, unavailable(phase));
        }
        if (!conductor.inbox.offer(request)) {
            return refused(
                    answer,
                    Kind.BUSY,
                    "too many requests wait already (" + conductor.settings.inbox() + "); try again in a moment");
        }
        if (conductor.vitals.phase() == Phase.STOPPED) {
            return refused(answer, Kind.UNAVAILABLE, unavailable(Phase.STOPPED)); // it may never have been seen
        }
        return answer;
    }

    private String unavailable(Phase phase) {
        String trouble = conductor.vitals.trouble();
        return switch (phase) {
            case RECOVERING -> "the daemon is still recovering its history; try again in a moment";
            case STANDBY -> "this daemon waits while another one leads: ask that one";
            case DEGRADED -> "nothing can be made durable at the moment: " + trouble;
            default -> trouble.isEmpty() ? "the daemon has stopped" : "the daemon has stopped: " + trouble;
        };
    }

    private static <T> CompletableFuture<T> refused(CompletableFuture<T> answer, Kind kind, String message) {
        answer.completeExceptionally(new Refusal(kind, message));
        return answer;
    }
}
