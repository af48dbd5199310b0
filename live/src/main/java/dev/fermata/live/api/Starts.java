package dev.fermata.live.api;

import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.Verb.GET;

import dev.fermata.live.api.Endpoint.Parameter;
import dev.fermata.live.api.view.StartView;
import dev.fermata.live.api.view.StartsView;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.foresee.StartCalibration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Expected starts, and how often they were right. */
final class Starts {
    private static final long ANSWER_SECONDS = 5;
    private static final long MOST_DAYS = 3_650;
    private static final long DAY_MILLIS = 86_400_000;

    /** How far is looked back where nobody says otherwise. */
    static final long DAYS = 7;

    private final ApiPorts ports;

    Starts(ApiPorts ports) {
        this.ports = ports;
    }

    List<Endpoint> endpoints() {
        return List.of(Endpoint.of(GET, "/api/v1/diag/starts", VIEWER, "How right expected starts were")
                .with(Parameter.number("days", "how far to look back; 7 when absent"))
                .fails(400)
                .now(StartsView.class, this::calibration));
    }

    /** Of those of these jobs that wait; empty when nobody can tell in time. */
    CompletableFuture<Map<Long, ExpectedStart>> of(Set<Long> waiting) {
        return ports.desk()
                .expectedStarts(waiting)
                .copy()
                .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                .exceptionally(error -> Map.of());
    }

    static @Nullable StartView view(@Nullable ExpectedStart start) {
        return start == null
                ? null
                : new StartView(
                        time(start.p50Millis()),
                        time(start.p90Millis()),
                        Views.time(start.asOfMillis()),
                        start.scenarios(),
                        start.pauses(),
                        start.scenarios() == 0 ? 0 : (double) start.pausing() / start.scenarios(),
                        Views.seconds(start.gainMillis()),
                        Views.seconds(start.costMillis()),
                        start.note());
    }

    private static @Nullable Instant time(long millis) {
        return millis < 0 ? null : Views.time(millis);
    }

    private StartsView calibration(Call call) {
        long now = ports.nowMillis().getAsLong();
        long since = daysBefore(now, call.number("days", DAYS, 1, MOST_DAYS));
        StartCalibration.Verdict verdict =
                new StartCalibration().hear(ports.reader(), since).verdict(now);
        return new StartsView(
                Views.time(since),
                verdict.predictions(),
                verdict.judged50(),
                share(verdict.by50(), verdict.judged50()),
                verdict.judged90(),
                share(verdict.by90(), verdict.judged90()),
                seconds(verdict.medianErrorMillis()),
                seconds(verdict.medianWaitMillis()));
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
