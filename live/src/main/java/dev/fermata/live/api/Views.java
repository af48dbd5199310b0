package dev.fermata.live.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.view.AttemptView;
import dev.fermata.live.api.view.AuditView;
import dev.fermata.live.api.view.EventView;
import dev.fermata.live.api.view.ExplainView;
import dev.fermata.live.api.view.ExplainView.BlockingJobView;
import dev.fermata.live.api.view.ExplainView.ExpectedEndView;
import dev.fermata.live.api.view.JobStatusView;
import dev.fermata.live.api.view.JobStatusView.JobDetailsView;
import dev.fermata.live.api.view.PreemptionView;
import dev.fermata.live.api.view.ProgressView;
import dev.fermata.live.api.view.StartPredictionView;
import dev.fermata.live.api.view.TokenView;
import dev.fermata.live.learning.AttemptProgress;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.service.BlockingJob;
import dev.fermata.live.service.BlockingJob.ExpectedEnd;
import dev.fermata.live.service.Explanation;
import dev.fermata.live.spec.JobFileWriter;
import dev.fermata.live.spec.SpecJson;
import dev.fermata.live.store.AttemptRow;
import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.TokenRow;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts rows to views. */
final class Views {
    /** Keys of a history entry that hold secrets or what only the owner may see. */
    private static final List<String> PRIVATE = List.of("env", "spec", "run", "secrets");

    private Views() {}

    /** @param fullAccess whether the caller may see everything; otherwise name, result and details are left out */
    static JobStatusView job(
            JobRow row,
            long nowMillis,
            boolean fullAccess,
            @Nullable Explanation explanation,
            @Nullable StartPrediction start,
            @Nullable AttemptProgress progress) {
        return job(row, nowMillis, fullAccess, explanation, start, progress, JobDetailsView.NONE);
    }

    static JobStatusView jobDetails(
            JobRow row,
            long nowMillis,
            @Nullable Explanation explanation,
            @Nullable StartPrediction start,
            @Nullable AttemptProgress progress,
            List<AttemptRow> attempts,
            List<PreemptionView> preemptions) {
        JsonNode spec = row.spec().isEmpty() ? null : JobFileWriter.write(SpecJson.read(row.spec()));
        return job(
                row,
                nowMillis,
                true,
                explanation,
                start,
                progress,
                new JobDetailsView(spec, attempts.stream().map(Views::attempt).toList(), preemptions));
    }

    private static JobStatusView job(
            JobRow row,
            long nowMillis,
            boolean fullAccess,
            @Nullable Explanation explanation,
            @Nullable StartPrediction start,
            @Nullable AttemptProgress progress,
            JobDetailsView details) {
        boolean pending = row.state() == JobState.PENDING;
        long inState = row.state().isFinal() ? 0 : Math.max(0, nowMillis - row.sinceMillis());
        return new JobStatusView(
                row.id(),
                new JobStatusView.JobRequestView(
                        fullAccess ? row.name() : "",
                        row.user(),
                        row.queue(),
                        row.jobClass(),
                        row.gpus(),
                        row.priority()),
                new JobStatusView.JobStateView(
                        row.state(),
                        row.state().isFinal(),
                        row.attempt(),
                        row.attempt() > 0 ? attemptId(row.id(), row.attempt()) : null,
                        row.preemptions(),
                        row.state() == JobState.PENDING && row.preemptions() > 0),
                new JobStatusView.JobTimesView(
                        time(row.submittedMillis()),
                        time(row.sinceMillis()),
                        timeOrNull(row.firstStartMillis()),
                        timeOrNull(row.finishedMillis()),
                        seconds(row.waitMillis() + (pending ? inState : 0)),
                        seconds(row.runMillis() + (row.state() == JobState.RUNNING ? inState : 0))),
                new JobStatusView.JobResultView(
                        gpus(row.heldGpus()),
                        row.onHold(),
                        fullAccess ? row.exitCode() : null,
                        fullAccess ? row.detail() : "",
                        row.arrayId() < 0 ? null : row.arrayId(),
                        row.arrayId() < 0 ? null : row.arrayIndex()),
                new JobStatusView.LiveStatusView(
                        explanation == null || !pending ? null : explanation.reason(),
                        explanation == null || !pending || !fullAccess ? null : explanation.message(),
                        pending ? StartPredictions.view(start) : null,
                        progress == null || !fullAccess ? null : progress(progress)),
                details);
    }

    static AttemptView attempt(AttemptRow row) {
        boolean preempted = row.preemptingMillis() >= 0 && row.beneficiary() >= 0;
        return new AttemptView(
                attemptId(row.jobId(), row.attempt()),
                row.attempt(),
                gpus(row.gpus()),
                new AttemptView.EngineIdsView(
                        row.place().externalId().isEmpty() ? null : row.place().externalId(),
                        row.place().devices().isEmpty()
                                ? List.of()
                                : List.of(row.place().devices().split(","))),
                new AttemptView.AttemptTimesView(
                        time(row.startedMillis()),
                        timeOrNull(row.runningMillis()),
                        timeOrNull(row.preemptingMillis()),
                        timeOrNull(row.endedMillis())),
                new AttemptView.AttemptResultView(
                        row.outcome().isEmpty() ? null : Outcome.valueOf(row.outcome()),
                        row.exitCode(),
                        row.signal(),
                        row.detail()),
                new AttemptView.AttemptCostsView(
                        seconds(row.loadMillis()),
                        seconds(row.usefulMillis()),
                        seconds(row.lostMillis()),
                        seconds(row.preemptMillis()),
                        seconds(row.savedWorkMillis())),
                new AttemptView.PreemptionTradeView(
                        preempted ? row.beneficiary() : null,
                        preempted ? seconds(row.gainMillis()) : null,
                        preempted ? seconds(row.costMillis()) : null));
    }

    static EventView event(HistoryEntry entry) {
        JsonNode body;
        try {
            body = ApiJson.MAPPER.readTree(entry.body());
        } catch (JsonProcessingException e) {
            body = ApiJson.MAPPER.createObjectNode();
        }
        redact(body);
        return new EventView(
                entry.seq(),
                time(entry.atMillis()),
                entry.jobId() < 0 ? null : entry.jobId(),
                entry.jobId() < 0 || entry.attempt() <= 0 ? null : attemptId(entry.jobId(), entry.attempt()),
                entry.actor(),
                entry.type(),
                body);
    }

    static TokenView token(TokenRow row) {
        return new TokenView(
                row.id(),
                row.user(),
                Role.valueOf(row.role()),
                row.label(),
                time(row.createdMillis()),
                timeOrNull(row.expiresMillis()),
                timeOrNull(row.revokedMillis()));
    }

    static AuditView audit(AuditRow row) {
        return new AuditView(
                row.seq(),
                time(row.atMillis()),
                row.user(),
                row.role(),
                row.from(),
                row.action(),
                row.target(),
                row.result());
    }

    private static ProgressView progress(AttemptProgress p) {
        boolean measured = !Double.isNaN(p.metric()) && !Double.isInfinite(p.metric());
        return new ProgressView(
                p.attempt(),
                time(p.atMillis()),
                new ProgressView.ProgressCountView(
                        p.step(),
                        p.shownTotal() > 0 ? p.shownTotal() : null,
                        p.origin().unit(),
                        p.shownTotal() > 0 ? Math.min(1, p.step() / (double) p.shownTotal()) : null),
                p.origin().source(),
                p.origin().confidence(),
                measured && !p.metricName().isEmpty() ? Map.of(p.metricName(), p.metric()) : Map.of());
    }

    static String attemptId(long job, int attempt) {
        return job + "." + attempt;
    }

    static double seconds(long millis) {
        return millis / 1000.0;
    }

    /** @param start absent unless it is pending */
    static ExplainView explanation(
            Explanation explanation, @Nullable StartPredictionView start, List<PreemptionView> preemptions) {
        return new ExplainView(
                explanation.job(),
                explanation.state(),
                new ExplainView.PendingReasonView(
                        explanation.reason(), explanation.message(), explanation.evidence(), explanation.unblockedBy()),
                start,
                explanation.position() > 0 ? explanation.position() : null,
                explanation.blockedBy().stream().map(Views::blockingJob).toList(),
                preemptions);
    }

    private static BlockingJobView blockingJob(BlockingJob job) {
        ExpectedEnd end = job.expectedEnd();
        return new BlockingJobView(
                job.job(),
                job.user(),
                job.gpus(),
                job.state(),
                end == null ? null : new ExpectedEndView(time(end.p50Millis()), time(end.p90Millis())));
    }

    static Instant time(long millis) {
        return Instant.ofEpochMilli(millis);
    }

    private static @Nullable Instant timeOrNull(long millis) {
        return millis < 0 ? null : time(millis);
    }

    private static List<Integer> gpus(String text) {
        return text.isEmpty()
                ? List.of()
                : Arrays.stream(text.split(",", -1)).map(Integer::valueOf).toList();
    }

    private static void redact(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.remove(PRIVATE);
        }
        node.forEach(Views::redact);
    }
}
