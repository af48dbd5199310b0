package dev.fermata.live.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.view.AuditView;
import dev.fermata.live.api.view.EventView;
import dev.fermata.live.api.view.JobView;
import dev.fermata.live.api.view.PreemptionView;
import dev.fermata.live.api.view.ProgressView;
import dev.fermata.live.api.view.RunView;
import dev.fermata.live.api.view.TokenView;
import dev.fermata.live.conductor.Explanation;
import dev.fermata.live.conductor.Progress;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.spec.JobDocument;
import dev.fermata.live.spec.StoredSpec;
import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.RunRow;
import dev.fermata.live.store.TokenRow;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows as documents. */
final class Views {
    /** Parts of a fact that could hold what only the owner may see, or nobody. */
    private static final List<String> PRIVATE = List.of("env", "spec", "run", "secrets");

    private Views() {}

    /** @param knowing whether everything may be shown; otherwise only a line of the queue */
    static JobView job(
            JobRow row,
            long nowMillis,
            boolean knowing,
            @Nullable Explanation why,
            @Nullable ExpectedStart start,
            @Nullable Progress progress) {
        return job(row, nowMillis, knowing, why, start, progress, null, null, null);
    }

    static JobView whole(
            JobRow row,
            long nowMillis,
            @Nullable Explanation why,
            @Nullable ExpectedStart start,
            @Nullable Progress progress,
            List<RunRow> runs,
            List<PreemptionView> preemptions) {
        JsonNode spec = row.spec().isEmpty() ? null : JobDocument.of(StoredSpec.read(row.spec()));
        return job(
                row,
                nowMillis,
                true,
                why,
                start,
                progress,
                spec,
                runs.stream().map(Views::run).toList(),
                preemptions);
    }

    private static JobView job(
            JobRow row,
            long nowMillis,
            boolean knowing,
            @Nullable Explanation why,
            @Nullable ExpectedStart start,
            @Nullable Progress progress,
            @Nullable JsonNode spec,
            @Nullable List<RunView> runs,
            @Nullable List<PreemptionView> preemptions) {
        long inState = row.state().isFinal() ? 0 : Math.max(0, nowMillis - row.sinceMillis());
        return new JobView(
                row.id(),
                knowing ? row.name() : "",
                row.user(),
                row.queue(),
                row.jobClass(),
                row.gpus(),
                row.priority(),
                row.state(),
                row.state().isFinal(),
                row.attempt(),
                row.attempt() > 0 ? runId(row.id(), row.attempt()) : null,
                row.preemptions(),
                time(row.submittedMillis()),
                time(row.sinceMillis()),
                timeOrNull(row.firstStartMillis()),
                timeOrNull(row.finishedMillis()),
                seconds(row.waitMillis() + (row.state() == JobState.PENDING ? inState : 0)),
                seconds(row.runMillis() + (row.state() == JobState.RUNNING ? inState : 0)),
                gpus(row.held()),
                row.onHold(),
                knowing ? row.exitCode() : null,
                knowing ? row.detail() : "",
                row.arrayId() < 0 ? null : row.arrayId(),
                row.arrayId() < 0 ? null : row.arrayIndex(),
                why == null || row.state() != JobState.PENDING ? null : why.reason(),
                why == null || row.state() != JobState.PENDING || !knowing ? null : why.message(),
                row.state() == JobState.PENDING ? Starts.view(start) : null,
                progress == null || !knowing ? null : progress(progress),
                spec,
                runs,
                preemptions);
    }

    static RunView run(RunRow row) {
        boolean paused = row.pausingMillis() >= 0 && row.beneficiary() >= 0;
        return new RunView(
                runId(row.jobId(), row.attempt()),
                row.attempt(),
                gpus(row.gpus()),
                time(row.startedMillis()),
                timeOrNull(row.runningMillis()),
                timeOrNull(row.pausingMillis()),
                timeOrNull(row.leftMillis()),
                row.outcome().isEmpty() ? null : Outcome.valueOf(row.outcome()),
                row.exitCode(),
                row.signal(),
                row.detail(),
                seconds(row.loadMillis()),
                seconds(row.usefulMillis()),
                seconds(row.lostMillis()),
                seconds(row.pauseMillis()),
                seconds(row.savedWorkMillis()),
                paused ? row.beneficiary() : null,
                paused ? seconds(row.gainMillis()) : null,
                paused ? seconds(row.costMillis()) : null);
    }

    static EventView event(Line line) {
        JsonNode body;
        try {
            body = ApiJson.MAPPER.readTree(line.body());
        } catch (JsonProcessingException e) {
            body = ApiJson.MAPPER.createObjectNode();
        }
        hide(body);
        return new EventView(
                line.seq(),
                time(line.atMillis()),
                line.jobId() < 0 ? null : line.jobId(),
                line.jobId() < 0 || line.attempt() <= 0 ? null : runId(line.jobId(), line.attempt()),
                line.actor(),
                line.kind(),
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

    private static ProgressView progress(Progress p) {
        boolean measured = !Double.isNaN(p.metric()) && !Double.isInfinite(p.metric());
        return new ProgressView(
                p.attempt(),
                time(p.atMillis()),
                p.kind(),
                p.step(),
                p.total() > 0 ? p.total() : null,
                measured ? p.metricName() : null,
                measured ? p.metric() : null);
    }

    static String runId(long job, int attempt) {
        return job + "." + attempt;
    }

    static double seconds(long millis) {
        return millis / 1000.0;
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

    private static void hide(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.remove(PRIVATE);
        }
        node.forEach(Views::hide);
    }
}
