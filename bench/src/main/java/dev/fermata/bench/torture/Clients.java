package dev.fermata.bench.torture;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.bench.torture.FaultPlan.Fault;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobPatch;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Users and operators: they submit, cancel, hold, release, update, drain and ask, lose answers and repeat requests, with the
 * same key where that matters. They know only what they were answered.
 */
final class Clients {
    private static final Actor ANN = new Actor("ann", "ADMIN", "127.0.0.1");
    private static final List<Long> PATIENCE = List.of(1_000L, 5_000L, 30_000L);
    private static final List<String> PROGRAMS = List.of("train", "tune", "serve", "embed", "distill", "render");
    private static final int MAX_SUBMISSIONS = 30;

    private final VirtualTime time;
    private final FaultPlan faults;
    private final Chance chance;
    private final Trace trace;
    private final Supplier<@Nullable SchedulerService> daemon;
    private final SimulatedSite site;
    private final int largestJob;
    private final List<Submission> submissions = new ArrayList<>();
    private final TreeSet<Long> known = new TreeSet<>();
    private final TreeSet<Long> cancelled = new TreeSet<>();
    private final TreeSet<Long> cancelRequested = new TreeSet<>();
    private int names;

    /** Jobs with one idempotency key; {@code ids} is empty until they are acknowledged. */
    static final class Submission {
        final String key;
        final List<JobSpec> specs;
        List<Long> ids = List.of();
        String rejection = "";

        Submission(String key, List<JobSpec> specs) {
            this.key = key;
            this.specs = specs;
        }

        boolean isOpen() {
            return ids.isEmpty() && rejection.isEmpty();
        }
    }

    Clients(
            VirtualTime time,
            FaultPlan faults,
            Chance chance,
            Trace trace,
            SimulatedSite site,
            Supplier<@Nullable SchedulerService> daemon,
            int largestJob) {
        this.time = time;
        this.faults = faults;
        this.chance = chance;
        this.trace = trace;
        this.site = site;
        this.daemon = daemon;
        this.largestJob = largestJob;
    }

    List<Submission> submissions() {
        return submissions;
    }

    /** Jobs whose cancellation was acknowledged. */
    Set<Long> cancelled() {
        return cancelled;
    }

    /** Jobs whose cancellation was requested, answered or not. */
    Set<Long> cancelRequested() {
        return cancelRequested;
    }

    boolean isWaiting() {
        return submissions.stream().anyMatch(Submission::isOpen);
    }

    /** Does one thing now. */
    void act() {
        SchedulerService service = daemon.get();
        int what = known.isEmpty() ? 0 : chance.below(20);
        if (what < 9) {
            if (submissions.size() < MAX_SUBMISSIONS) {
                submitNew();
            }
            return;
        }
        if (service == null) {
            return;
        }
        long job = pickJob();
        switch (what) {
            case 9, 10, 11 -> {
                cancelRequested.add(job);
                request("cancel " + job, () -> service.cancel(ANN, job), done -> cancelled.add(job));
            }
            case 12, 13 -> request("hold " + job, () -> service.hold(ANN, job), done -> {});
            case 14 -> request("release " + job, () -> service.release(ANN, job), done -> {});
            case 15 -> {
                JobPatch patch = new JobPatch(
                        null,
                        null,
                        chance.below(5),
                        chance.oneIn(2) ? chance.logUniform(1_000, 3_600_000) : null,
                        chance.oneIn(3) ? chance.logUniform(60_000, 36_000_000) : null,
                        null);
                request("update " + job + " " + patch, () -> service.update(ANN, job, patch), done -> {});
            }
            case 16 -> {
                int node = chance.below(service.topology().nodes().size());
                boolean drained = chance.oneIn(2);
                request((drained ? "drain " : "undrain ") + node, () -> service.drain(ANN, node, drained), done -> {});
            }
            default ->
                request("explain " + job, () -> service.explain(job), why -> {
                    if (why.message().isBlank() || why.reason().isBlank()) {
                        time.after(0, () -> BrokenLaw.require(false, "every job has an explanation", () -> why));
                    }
                });
        }
    }

    /** After the faults: undoes what keeps jobs from ending. */
    void release(Iterable<Long> jobs) {
        SchedulerService service = daemon.get();
        if (service == null) {
            return;
        }
        for (int node = 0; node < service.topology().nodes().size(); node++) {
            int undrained = node;
            request("undrain " + node, () -> service.drain(ANN, undrained, false), done -> {});
        }
        jobs.forEach(job -> request("release " + job, () -> service.release(ANN, job), done -> {}));
    }

    private long pickJob() {
        List<Long> ids = List.copyOf(known);
        return ids.get(Math.max(0, ids.size() - 1 - chance.below(12)));
    }

    private <T> void request(String what, Supplier<CompletableFuture<T>> call, Consumer<T> onAnswer) {
        if (faults.happens(Fault.REQUEST_LOST)) {
            return;
        }
        trace.add("client", what);
        answer(
                call.get(),
                result -> {
                    trace.add("client", what + " -> granted");
                    onAnswer.accept(result);
                },
                rejection -> trace.add("client", what + " -> " + rejection.category() + " " + rejection.getMessage()));
    }

    /** Passes on an answer, if it arrives. */
    private <T> void answer(
            CompletableFuture<T> future, Consumer<T> onAnswer, Consumer<RequestRejectedException> onRejection) {
        boolean lost = faults.happens(Fault.ANSWER_LOST);
        var unused = future.whenComplete((result, problem) -> {
            if (lost) {
                return;
            }
            Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
            if (cause == null) {
                onAnswer.accept(result);
            } else if (cause instanceof RequestRejectedException rejection) {
                onRejection.accept(rejection);
            } else {
                time.after(0, () -> BrokenLaw.require(false, "a request is answered or rejected", () -> cause));
            }
        });
    }

    // ---- submissions ----

    private void submitNew() {
        String key = "key-" + submissions.size();
        Submission submission = new Submission(key, newSpecs());
        submissions.add(submission);
        send(submission);
    }

    private void send(Submission submission) {
        SchedulerService service = daemon.get();
        if (service != null && !faults.happens(Fault.REQUEST_LOST)) {
            trace.add("client", "submits " + submission.key + ": " + describe(submission.specs));
            answer(
                    service.submit(ANN, submission.specs, submission.key),
                    ids -> accept(submission, ids),
                    rejection -> reject(submission, rejection));
        }
        time.after(chance.of(PATIENCE), () -> {
            if (submission.isOpen()) {
                send(submission);
            }
        });
    }

    private static String describe(List<JobSpec> specs) {
        JobSpec spec = specs.get(0);
        return spec.name() + " x" + specs.size() + ", " + spec.minGpus() + ".." + spec.maxGpus() + " GPUs, "
                + spec.jobClass() + ", time " + spec.timeMillis() + (spec.hold() ? ", held" : "") + " after "
                + spec.dependencies();
    }

    private void accept(Submission submission, List<Long> ids) {
        trace.add("client", submission.key + " -> " + ids);
        if (!submission.ids.isEmpty() && !submission.ids.equals(ids)) {
            time.after(
                    0,
                    () -> BrokenLaw.require(
                            false,
                            "the same key gets the same jobs",
                            () -> submission.key + " got " + submission.ids + " and " + ids));
        }
        if (!submission.rejection.isEmpty()) {
            time.after(
                    0,
                    () -> BrokenLaw.require(
                            false,
                            "what was rejected is not accepted later by itself",
                            () -> submission.key + " was rejected: " + submission.rejection));
        }
        submission.ids = ids;
        known.addAll(ids);
        if (faults.happens(Fault.REQUEST_REPEATED)) {
            time.after(chance.logUniform(1, 3_600_000), () -> sendAgain(submission));
        }
    }

    private void sendAgain(Submission submission) {
        SchedulerService service = daemon.get();
        if (service != null) {
            trace.add("client", "submits " + submission.key + " again");
            answer(
                    service.submit(ANN, submission.specs, submission.key),
                    ids -> accept(submission, ids),
                    rejection -> reject(submission, rejection));
        }
    }

    private void reject(Submission submission, RequestRejectedException rejection) {
        trace.add("client", submission.key + " -> " + rejection.category() + " " + rejection.getMessage());
        if (rejection.category() == Category.BUSY || rejection.category() == Category.UNAVAILABLE) {
            return; // it is sent again
        }
        boolean isNew = submission.ids.isEmpty() && rejection.category() != Category.CONFLICT;
        if (!isNew) {
            time.after(
                    0,
                    () -> BrokenLaw.require(
                            false,
                            "a repeated submission is answered like the first",
                            () -> submission.key + ": " + rejection.getMessage()));
        }
        submission.rejection = rejection.getMessage() + " ";
    }

    private List<JobSpec> newSpecs() {
        String name = "j" + names++;
        int program = chance.below(PROGRAMS.size());
        site.setScript(name, JobScript.draw(chance, program));
        ObjectNode job = JsonNodeFactory.instance.objectNode().put("name", name).put("run", PROGRAMS.get(program));
        job.put("class", chance.oneIn(3) ? "trial" : "batch");
        int gpus = 1 + (int) (chance.logUniform(1, largestJob) - 1);
        if (chance.oneIn(4)) {
            job.putObject("gpus").put("min", gpus).put("max", Math.min(largestJob, gpus * 2));
        } else {
            job.put("gpus", gpus);
        }
        if (!chance.oneIn(3)) {
            job.put("time", chance.logUniform(2, 3_600) + "s");
        }
        if (chance.oneIn(6)) {
            job.put("hold", true);
        }
        if (chance.oneIn(6)) {
            job.put("array", "1-" + (2 + chance.below(4)));
        }
        if (chance.oneIn(5) && !known.isEmpty()) {
            job.putArray("after").add(pickJob() + ":" + chance.of(List.of("success", "failure", "any")));
        }
        if (chance.oneIn(2)) {
            ObjectNode preempt = job.putObject("preempt").put("grace", chance.logUniform(1, 120) + "s");
            preempt.put("onPreempt", chance.of(List.of("requeue", "requeue", "requeue", "hold", "cancel")));
        }
        return JobFileParser.parse(job);
    }
}
