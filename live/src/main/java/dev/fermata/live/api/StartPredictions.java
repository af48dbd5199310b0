package dev.fermata.live.api;

import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;

import dev.fermata.live.api.Endpoint.EndpointParameter;
import dev.fermata.live.api.view.StartAccuracyView;
import dev.fermata.live.api.view.StartPredictionView;
import dev.fermata.live.prediction.PredictionEvaluator;
import dev.fermata.live.prediction.StartPrediction;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Predicted starts and their accuracy. */
final class StartPredictions {
    private static final long ANSWER_SECONDS = 5;
    /** Everybody may ask, and each day of a long history has to be read. */
    private static final long MAX_DAYS = 90;

    private static final long DAY_MILLIS = 86_400_000;

    /** How many days back, by default. */
    static final long DEFAULT_DAYS = 7;

    private final ApiPorts ports;

    StartPredictions(ApiPorts ports) {
        this.ports = ports;
    }

    List<Endpoint> endpoints() {
        return List.of(Endpoint.of(GET, "/api/v1/diag/starts", VIEWER, "The accuracy of predicted starts")
                .parameters(EndpointParameter.number("days", "how far to look back, at most 90; 7 when absent"))
                .errors(400)
                .respondNow(StartAccuracyView.class, this::accuracy));
    }

    /** Predicted starts of the pending ones of these jobs; empty when there is no prediction in time. */
    CompletableFuture<Map<Long, StartPrediction>> forJobs(Set<Long> waiting) {
        return ports.scheduler()
                .predictedStarts(waiting)
                .copy()
                .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                .exceptionally(error -> Map.of());
    }

    static @Nullable StartPredictionView view(@Nullable StartPrediction start) {
        return start == null
                ? null
                : new StartPredictionView(
                        time(start.p50Millis()),
                        time(start.p90Millis()),
                        Views.time(start.asOfMillis()),
                        start.scenarios(),
                        new StartPredictionView.PredictedPreemptionView(
                                start.victims(),
                                start.scenarios() == 0
                                        ? 0
                                        : (double) start.scenariosWithPreemption() / start.scenarios(),
                                Views.seconds(start.gainMillis()),
                                Views.seconds(start.costMillis())),
                        start.note());
    }

    private static @Nullable Instant time(long millis) {
        return millis < 0 ? null : Views.time(millis);
    }

    private StartAccuracyView accuracy(ApiCall call) {
        long now = ports.nowMillis().getAsLong();
        long since = daysBefore(now, call.number("days", DEFAULT_DAYS, 1, MAX_DAYS));
        PredictionEvaluator.PredictionEvaluation evaluation =
                new PredictionEvaluator().read(ports.reader(), since).evaluate(now);
        return new StartAccuracyView(
                Views.time(since),
                evaluation.predictions(),
                evaluation.dueP50(),
                share(evaluation.metP50(), evaluation.dueP50()),
                evaluation.dueP90(),
                share(evaluation.metP90(), evaluation.dueP90()),
                seconds(evaluation.medianErrorMillis()),
                seconds(evaluation.medianWaitMillis()));
    }

    static long daysBefore(long nowMillis, long days) {
        return nowMillis - DAY_MILLIS * days;
    }

    private static @Nullable Double share(int part, int whole) {
        return whole == 0 ? null : (double) part / whole;
    }

    private static @Nullable Double seconds(long millis) {
        return millis < 0 ? null : Views.seconds(millis);
    }
}
