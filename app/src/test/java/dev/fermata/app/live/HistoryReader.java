package dev.fermata.app.live;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the events of a daemon say about jobs and pauses, read by somebody who knows nothing but their JSON and the definitions of
 * {@code docs/preemptions.md}: it looks everything up from the end of the history, where the program counts along as it happens.
 * Times are milliseconds; what is not known is null.
 */
final class HistoryReader {
    private static final Set<String> FINAL =
            Set.of("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OOM", "UNSATISFIABLE");

    /** One line. */
    record Event(long seq, long at, long job, String kind, JsonNode body) {
        int attempt() {
            return body.path("attempt").asInt();
        }

        long usage(String part) {
            return body.path("usage").path(part).asLong();
        }

        boolean ends() {
            return kind.equals("Ended")
                    || kind.equals("Refused")
                    || (kind.equals("Left") && FINAL.contains(body.path("next").asText()));
        }
    }

    /** A job that was paused by a decision. */
    record Paused(
            long job,
            int gpus,
            @Nullable Long left,
            @Nullable Long pause,
            @Nullable Long lost,
            @Nullable Long reload,
            long reloadGpu,
            @Nullable Long away,
            @Nullable Long remaining) {
        long gpuMillis() {
            return (zero(pause) + zero(lost)) * gpus + reloadGpu;
        }

        long delay() {
            return zero(away) + zero(lost);
        }
    }

    /** A decision; declined when there are no victims. */
    record Entry(
            long number,
            long at,
            String policy,
            String outcome,
            long beneficiary,
            List<Paused> victims,
            long expectedGain,
            long expectedCost,
            @Nullable Long started,
            @Nullable Long waited,
            @Nullable Long load,
            @Nullable Long cost,
            @Nullable Long gain) {
        long gpuMillis() {
            return victims.stream().mapToLong(Paused::gpuMillis).sum();
        }
    }

    private final List<Event> events = new ArrayList<>();
    private final Map<Long, List<Event>> ofJob = new TreeMap<>();

    HistoryReader(List<JsonNode> lines) {
        for (JsonNode line : lines) {
            Event event = new Event(
                    line.path("seq").asLong(),
                    Instant.parse(line.path("at").asText()).toEpochMilli(),
                    line.path("job").asLong(-1),
                    line.path("kind").asText(),
                    line.path("body"));
            events.add(event);
            ofJob.computeIfAbsent(event.job, job -> new ArrayList<>()).add(event);
        }
    }

    List<Event> events() {
        return events;
    }

    private List<Event> of(long job) {
        return ofJob.getOrDefault(job, List.of());
    }

    private Optional<Event> of(long job, String kind, int attempt) {
        return of(job).stream()
                .filter(e -> e.kind.equals(kind) && e.attempt() == attempt)
                .findFirst();
    }

    private Optional<Event> end(long job) {
        return of(job).stream().filter(Event::ends).findFirst();
    }

    JsonNode submitted(long job) {
        return of(job).stream()
                .filter(e -> e.kind.equals("Submitted"))
                .findFirst()
                .orElseThrow()
                .body()
                .path("job");
    }

    String owner(long job) {
        return submitted(job).path("user").asText();
    }

    // Jobs

    /** Every time and sum about a job that has ended, by the names of the API. */
    Map<String, Long> job(long job) {
        Map<String, Long> figures = new LinkedHashMap<>();
        long pendingSince = -1;
        long runningSince = -1;
        long wait = 0;
        long run = 0;
        long last = 0;
        long preemptions = 0;
        for (Event e : of(job)) {
            switch (e.kind) {
                case "Submitted" -> {
                    figures.put("submitted", e.at);
                    pendingSince = e.at;
                    last = e.at;
                }
                case "Started" -> {
                    figures.putIfAbsent("firstStart", e.at);
                    wait += e.at - pendingSince;
                    pendingSince = -1;
                    last = e.at;
                }
                case "Running" -> {
                    runningSince = e.at;
                    last = e.at;
                }
                case "Pausing", "Cancelling" -> {
                    run += runningSince < 0 ? 0 : e.at - runningSince;
                    runningSince = -1;
                    preemptions += e.kind.equals("Pausing")
                                    && e.body.path("beneficiary").asLong() != job
                            ? 1
                            : 0;
                    last = e.at;
                }
                case "Left" -> {
                    long at = left(e, last);
                    run += runningSince < 0 ? 0 : at - runningSince;
                    runningSince = -1;
                    pendingSince = at;
                    if (e.ends()) {
                        figures.put("finished", at);
                    }
                    last = at;
                }
                case "Ended" -> {
                    wait += e.at - pendingSince;
                    figures.put("finished", e.at);
                }
                default -> {}
            }
        }
        figures.put("waitSeconds", wait);
        figures.put("runSeconds", run);
        figures.put("preemptions", preemptions);
        return figures;
    }

    /** The time of the line; where it tells that the job had ended before, that time. */
    private static long left(Event left, long last) {
        long ended = left.body.path("exit").path("endedMillis").asLong(-1);
        return left.ends() && ended >= 0 ? Math.min(left.at, Math.max(last, ended)) : left.at;
    }

    /** The attempts, by the names of the API. */
    List<Map<String, Long>> runs(long job) {
        List<Map<String, Long>> runs = new ArrayList<>();
        for (Event started : of(job)) {
            if (!started.kind.equals("Started")) {
                continue;
            }
            Map<String, Long> run = new LinkedHashMap<>();
            int attempt = started.attempt();
            run.put("started", started.at);
            of(job, "Running", attempt).ifPresent(e -> run.put("running", e.at));
            of(job, "Cancelling", attempt).ifPresent(e -> run.put("pausing", e.at));
            of(job, "Pausing", attempt).ifPresent(e -> {
                run.put("pausing", e.at);
                run.put("beneficiary", e.body.path("beneficiary").asLong());
                run.put("gainSeconds", e.body.path("gainMillis").asLong());
                run.put("costSeconds", e.body.path("costMillis").asLong());
            });
            long last = run.getOrDefault("pausing", run.getOrDefault("running", started.at));
            of(job, "Left", attempt).ifPresent(e -> {
                run.put("left", left(e, last));
                for (String part : List.of("load", "useful", "lost", "pause", "savedWork")) {
                    run.put(part + "Seconds", e.usage(part + "Millis"));
                }
            });
            runs.add(run);
        }
        return runs;
    }

    // Pauses

    /** Every decision to pause somebody, and every one declined, oldest first. */
    List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        List<Event> together = new ArrayList<>();
        for (Event e : events) {
            if (e.kind.equals("Pausing")) {
                together.add(e);
            } else if (e.kind.equals("Promised") && !together.isEmpty()) {
                entries.add(decided(List.copyOf(together)));
                together.clear();
            } else if (e.kind.equals("Refrained")) {
                entries.add(declined(e));
            }
        }
        entries.sort((a, b) -> Long.compare(a.number, b.number));
        return entries;
    }

    private Entry declined(Event e) {
        Optional<Event> over = of(e.job).stream()
                .filter(later -> later.seq > e.seq && (later.kind.equals("Started") || later.ends()))
                .findFirst();
        return new Entry(
                e.seq,
                e.at,
                e.body.path("policy").asText(),
                "DECLINED",
                e.job,
                List.of(),
                e.body.path("gainMillis").asLong(),
                e.body.path("costMillis").asLong(),
                over.filter(o -> o.kind.equals("Started")).map(Event::at).orElse(null),
                over.map(o -> o.at - e.at).orElse(null),
                null,
                null,
                null);
    }

    private Entry decided(List<Event> pausing) {
        Event first = pausing.get(0);
        long beneficiary = first.body.path("beneficiary").asLong();
        List<Paused> victims = pausing.stream().map(this::paused).toList();
        boolean move = victims.size() == 1 && victims.get(0).job == beneficiary;
        Optional<Event> fate = of(beneficiary).stream()
                .filter(e -> e.seq > first.seq && (e.kind.equals("Started") || e.kind.equals("Unpromised") || e.ends()))
                .findFirst();
        Optional<Event> started = fate.filter(e -> e.kind.equals("Started"));
        boolean settled =
                fate.isPresent() && pausing.stream().allMatch(e -> end(e.job).isPresent());
        long cost = victims.stream().mapToLong(Paused::delay).sum();
        long gain = 0;
        if (started.isPresent() && !move) {
            double weighted = 0;
            long gpus = 0;
            for (Paused victim : victims) {
                weighted += (double) zero(victim.remaining) * victim.gpus;
                gpus += victim.gpus;
            }
            gain = Math.round(weighted / gpus) - (started.get().at - first.at);
        }
        return new Entry(
                first.seq,
                first.at,
                first.body.path("policy").asText(),
                move ? "MOVED" : !settled ? "OPEN" : gain > cost ? "PAID" : "NOT_PAID",
                beneficiary,
                victims,
                first.body.path("gainMillis").asLong(),
                first.body.path("costMillis").asLong(),
                started.map(Event::at).orElse(null),
                started.map(e -> e.at - first.at).orElse(null),
                started.flatMap(e -> of(beneficiary, "Left", e.attempt()))
                        .map(e -> e.usage("loadMillis"))
                        .orElse(null),
                cost,
                settled && !move ? gain : null);
    }

    private Paused paused(Event pausing) {
        long job = pausing.job;
        int attempt = pausing.attempt();
        Optional<Event> left = of(job, "Left", attempt);
        Optional<Event> back = of(job, "Left", attempt + 1);
        Optional<Event> end = end(job);
        Long remaining = null;
        if (end.isPresent()) {
            long useful = of(job).stream()
                    .filter(e -> e.kind.equals("Left") && e.attempt() > attempt)
                    .mapToLong(e -> e.usage("usefulMillis"))
                    .sum();
            remaining = Math.max(0, useful - left.orElseThrow().usage("lostMillis"));
        }
        return new Paused(
                job,
                gpus(job, attempt),
                left.map(Event::at).orElse(null),
                left.map(e -> e.usage("pauseMillis")).orElse(null),
                left.map(e -> e.usage("lostMillis")).orElse(null),
                back.map(e -> e.usage("loadMillis")).orElse(null),
                back.map(e -> e.usage("loadMillis") * gpus(job, attempt + 1)).orElse(0L),
                away(pausing, end),
                remaining);
    }

    private @Nullable Long away(Event pausing, Optional<Event> end) {
        Optional<Event> again = of(pausing.job).stream()
                .filter(e -> e.seq > pausing.seq && e.kind.equals("Running"))
                .findFirst();
        if (again.isEmpty()) {
            return end.map(e -> e.at - pausing.at).orElse(null);
        }
        int attempt = again.get().attempt();
        long progress = of(pausing.job, "Left", attempt)
                .map(e -> of(pausing.job, "Started", attempt).orElseThrow().at + e.usage("loadMillis"))
                .orElse(again.get().at);
        return progress - pausing.at;
    }

    private int gpus(long job, int attempt) {
        return of(job, "Started", attempt)
                .orElseThrow()
                .body()
                .path("allocation")
                .path("gpus")
                .size();
    }

    static long zero(@Nullable Long value) {
        return value == null ? 0 : value;
    }
}
