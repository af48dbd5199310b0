package dev.fermata.cli.agreement;

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
 * An independent reader of a daemon's events about jobs and pauses. It uses nothing but their JSON and the definitions of
 * {@code docs/operator/preemptions.md}, and looks everything up from the end of the history, whereas the program counts as it goes.
 * Times are milliseconds; what is not known is null.
 */
public final class HistoryReader {
    private static final Set<String> FINAL =
            Set.of("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OOM", "UNSATISFIABLE");

    /** One line. */
    record ReadEvent(long seq, long at, long job, String type, JsonNode body) {
        int attempt() {
            return body.path("attempt").asInt();
        }

        long usage(String part) {
            return body.path("usage").path(part).asLong();
        }

        boolean ends() {
            return type.equals("JobEnded")
                    || type.equals("JobRejected")
                    || (type.equals("AttemptEnded")
                            && FINAL.contains(body.path("next").asText()));
        }
    }

    /** A job that was paused by a decision. */
    public record PreemptedJob(
            long job,
            int gpus,
            @Nullable Long endedMillis,
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
    public record PreemptionEntry(
            long number,
            long at,
            String policy,
            String outcome,
            long beneficiary,
            List<PreemptedJob> victims,
            long expectedGain,
            long expectedCost,
            @Nullable Long started,
            @Nullable Long waited,
            @Nullable Long load,
            @Nullable Long cost,
            @Nullable Long gain) {
        long gpuMillis() {
            return victims.stream().mapToLong(PreemptedJob::gpuMillis).sum();
        }
    }

    private final List<ReadEvent> events = new ArrayList<>();
    private final Map<Long, List<ReadEvent>> ofJob = new TreeMap<>();

    HistoryReader(List<JsonNode> lines) {
        for (JsonNode line : lines) {
            ReadEvent event = new ReadEvent(
                    line.path("seq").asLong(),
                    Instant.parse(line.path("at").asText()).toEpochMilli(),
                    line.path("job").asLong(-1),
                    line.path("type").asText(),
                    line.path("body"));
            events.add(event);
            ofJob.computeIfAbsent(event.job, job -> new ArrayList<>()).add(event);
        }
    }

    List<ReadEvent> events() {
        return events;
    }

    private List<ReadEvent> of(long job) {
        return ofJob.getOrDefault(job, List.of());
    }

    private Optional<ReadEvent> of(long job, String type, int attempt) {
        return of(job).stream()
                .filter(e -> e.type.equals(type) && e.attempt() == attempt)
                .findFirst();
    }

    private Optional<ReadEvent> end(long job) {
        return of(job).stream().filter(ReadEvent::ends).findFirst();
    }

    JsonNode submitted(long job) {
        return of(job).stream()
                .filter(e -> e.type.equals("Submitted"))
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
        for (ReadEvent e : of(job)) {
            switch (e.type) {
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
                case "Preempting", "Cancelling" -> {
                    run += runningSince < 0 ? 0 : e.at - runningSince;
                    runningSince = -1;
                    preemptions += e.type.equals("Preempting")
                                    && e.body.path("beneficiary").asLong() != job
                            ? 1
                            : 0;
                    last = e.at;
                }
                case "AttemptEnded" -> {
                    long at = attemptEndMillis(e, last);
                    run += runningSince < 0 ? 0 : at - runningSince;
                    runningSince = -1;
                    pendingSince = at;
                    if (e.ends()) {
                        figures.put("finished", at);
                    }
                    last = at;
                }
                case "JobEnded" -> {
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

    /** The time of the entry; where it says that the job had ended before, that time. */
    private static long attemptEndMillis(ReadEvent left, long last) {
        long ended = left.body.path("exit").path("endedMillis").asLong(-1);
        return left.ends() && ended >= 0 ? Math.min(left.at, Math.max(last, ended)) : left.at;
    }

    /** The attempts, by the names of the API. */
    List<Map<String, Long>> runs(long job) {
        List<Map<String, Long>> runs = new ArrayList<>();
        for (ReadEvent started : of(job)) {
            if (!started.type.equals("Started")) {
                continue;
            }
            Map<String, Long> run = new LinkedHashMap<>();
            int attempt = started.attempt();
            run.put("started", started.at);
            of(job, "Running", attempt).ifPresent(e -> run.put("running", e.at));
            of(job, "Cancelling", attempt).ifPresent(e -> run.put("preempting", e.at));
            of(job, "Preempting", attempt).ifPresent(e -> {
                run.put("preempting", e.at);
                run.put("beneficiary", e.body.path("beneficiary").asLong());
                run.put("gainSeconds", e.body.path("gainMillis").asLong());
                run.put("costSeconds", e.body.path("costMillis").asLong());
            });
            long last = run.getOrDefault("preempting", run.getOrDefault("running", started.at));
            of(job, "AttemptEnded", attempt).ifPresent(e -> {
                run.put("ended", attemptEndMillis(e, last));
                for (String part : List.of("load", "useful", "lost", "preempt", "savedWork")) {
                    run.put(part + "Seconds", e.usage(part + "Millis"));
                }
            });
            runs.add(run);
        }
        return runs;
    }

    // Pauses

    /** Every preemption that was decided or declined, oldest first. */
    public List<PreemptionEntry> entries() {
        List<PreemptionEntry> entries = new ArrayList<>();
        List<ReadEvent> together = new ArrayList<>();
        for (ReadEvent e : events) {
            if (e.type.equals("Preempting")) {
                together.add(e);
            } else if (e.type.equals("Reserved") && !together.isEmpty()) {
                entries.add(decidedEntry(List.copyOf(together)));
                together.clear();
            } else if (e.type.equals("PreemptionDeclined")) {
                entries.add(declinedEntry(e));
            }
        }
        entries.sort((a, b) -> Long.compare(a.number, b.number));
        return entries;
    }

    private PreemptionEntry declinedEntry(ReadEvent e) {
        Optional<ReadEvent> over = of(e.job).stream()
                .filter(later -> later.seq > e.seq && (later.type.equals("Started") || later.ends()))
                .findFirst();
        return new PreemptionEntry(
                e.seq,
                e.at,
                e.body.path("policy").asText(),
                "DECLINED",
                e.job,
                List.of(),
                e.body.path("gainMillis").asLong(),
                e.body.path("costMillis").asLong(),
                over.filter(o -> o.type.equals("Started")).map(ReadEvent::at).orElse(null),
                over.map(o -> o.at - e.at).orElse(null),
                null,
                null,
                null);
    }

    private PreemptionEntry decidedEntry(List<ReadEvent> pausing) {
        ReadEvent first = pausing.get(0);
        long beneficiary = first.body.path("beneficiary").asLong();
        List<PreemptedJob> victims = pausing.stream().map(this::preemptedJob).toList();
        boolean move = victims.size() == 1 && victims.get(0).job == beneficiary;
        Optional<ReadEvent> fate = of(beneficiary).stream()
                .filter(e -> e.seq > first.seq
                        && (e.type.equals("Started") || e.type.equals("ReservationReleased") || e.ends()))
                .findFirst();
        Optional<ReadEvent> started = fate.filter(e -> e.type.equals("Started"));
        boolean settled =
                fate.isPresent() && pausing.stream().allMatch(e -> end(e.job).isPresent());
        long cost = victims.stream().mapToLong(PreemptedJob::delay).sum();
        long gain = 0;
        if (started.isPresent() && !move) {
            double weighted = 0;
            long gpus = 0;
            for (PreemptedJob victim : victims) {
                weighted += (double) zero(victim.remaining) * victim.gpus;
                gpus += victim.gpus;
            }
            gain = Math.round(weighted / gpus) - (started.get().at - first.at);
        }
        return new PreemptionEntry(
                first.seq,
                first.at,
                first.body.path("policy").asText(),
                move ? "MOVED" : !settled ? "OPEN" : gain > cost ? "PAID" : "NOT_PAID",
                beneficiary,
                victims,
                first.body.path("gainMillis").asLong(),
                first.body.path("costMillis").asLong(),
                started.map(ReadEvent::at).orElse(null),
                started.map(e -> e.at - first.at).orElse(null),
                started.flatMap(e -> of(beneficiary, "AttemptEnded", e.attempt()))
                        .map(e -> e.usage("loadMillis"))
                        .orElse(null),
                cost,
                settled && !move ? gain : null);
    }

    private PreemptedJob preemptedJob(ReadEvent pausing) {
        long job = pausing.job;
        int attempt = pausing.attempt();
        Optional<ReadEvent> left = of(job, "AttemptEnded", attempt);
        Optional<ReadEvent> back = of(job, "AttemptEnded", attempt + 1);
        Optional<ReadEvent> end = end(job);
        Long remaining = null;
        if (end.isPresent()) {
            long useful = of(job).stream()
                    .filter(e -> e.type.equals("AttemptEnded") && e.attempt() > attempt)
                    .mapToLong(e -> e.usage("usefulMillis"))
                    .sum();
            remaining = Math.max(0, useful - left.orElseThrow().usage("lostMillis"));
        }
        return new PreemptedJob(
                job,
                gpus(job, attempt),
                left.map(ReadEvent::at).orElse(null),
                left.map(e -> e.usage("preemptMillis")).orElse(null),
                left.map(e -> e.usage("lostMillis")).orElse(null),
                back.map(e -> e.usage("loadMillis")).orElse(null),
                back.map(e -> e.usage("loadMillis") * gpus(job, attempt + 1)).orElse(0L),
                away(pausing, end),
                remaining);
    }

    private @Nullable Long away(ReadEvent pausing, Optional<ReadEvent> end) {
        Optional<ReadEvent> again = of(pausing.job).stream()
                .filter(e -> e.seq > pausing.seq && e.type.equals("Running"))
                .findFirst();
        if (again.isEmpty()) {
            return end.map(e -> e.at - pausing.at).orElse(null);
        }
        int attempt = again.get().attempt();
        long progress = of(pausing.job, "AttemptEnded", attempt)
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
