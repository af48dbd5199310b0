package dev.fermata.live.attempt;

import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.ReportInbox;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The live attempts of one engine. It decides what concerns them together: when their reports are read, and which of them
 * exceeds its memory reservation. Never starts or ends a process itself.
 */
public final class AttemptRegistry implements ReportInbox {
    private static final long POLL_MILLIS = 500;

    private final AttemptClock clock;
    private final EngineSide engine;
    private final ReportTokens tokens;
    /** By the name of their processes, under which these report. */
    private final Map<String, AttemptAccounting> attempts = new ConcurrentSkipListMap<>();

    private volatile @Nullable ReportAddress reportAddress;
    private final AtomicBoolean polling = new AtomicBoolean();

    /**
     * What the accounting reads from an engine, and where its events go.
     *
     * @param cluster the cluster in the numbers of the history
     * @param samplesGpus whether the engine samples the GPUs, besides what scripts report
     * @param events receives what is reported to the scheduler loop
     */
    public record EngineSide(
            Supplier<Topology> cluster, Supplier<Boolean> samplesGpus, JobLogs logs, Consumer<EngineEvent> events) {}

    public AttemptRegistry(AttemptClock clock, EngineSide engine, ReportTokens tokens) {
        this.clock = clock;
        this.engine = engine;
        this.tokens = tokens;
    }

    /**
     * Begins the accounting of an attempt, until its end is reported.
     *
     * @param reportFolder holds its report file, and what the daemon must remember of its reports
     */
    public AttemptAccounting open(Launch launch, Path reportFolder, AttemptControl control) {
        AttemptAccounting attempt = new AttemptAccounting(this, launch, reportFolder, control);
        attempts.put(launch.processName(), attempt);
        if (polling.compareAndSet(false, true)) {
            scheduleRound();
        }
        return attempt;
    }

    private void scheduleRound() {
        Runnable unused = clock.schedule(POLL_MILLIS, this::round);
    }

    /** Runs as long as there are attempts. */
    private void round() {
        try {
            attempts.values().forEach(AttemptAccounting::pollReports);
            attempts.values().forEach(AttemptAccounting::observe);
            attempts.values().forEach(AttemptAccounting::reportMeasurements);
            SharedMemoryWatch.check(attempts.values(), cluster());
        } finally {
            if (attempts.isEmpty()) {
                polling.set(false);
            }
            if (!attempts.isEmpty() && (polling.get() || polling.compareAndSet(false, true))) {
                scheduleRound();
            }
        }
    }

    // Reports by HTTP

    @Override
    public void announce(ReportAddress address) {
        reportAddress = address;
    }

    /** What tells a job how to report by HTTP; empty while the daemon has no address for that. It holds a secret. */
    Map<String, String> reportVariables(String attempt) {
        ReportAddress address = reportAddress;
        if (address == null) {
            return Map.of();
        }
        Map<String, String> set = new LinkedHashMap<>();
        set.put("FERMATA_REPORT_URL", address.url());
        set.put("FERMATA_REPORT_TOKEN", tokens.of(attempt));
        if (!address.certificate().isEmpty()) {
            set.put("FERMATA_REPORT_CERT", address.certificate());
        }
        return set;
    }

    @Override
    public boolean isAuthorized(String attempt, String token) {
        AttemptAccounting live = attempts.get(attempt);
        return tokens.isOf(attempt, token) && live != null && !live.hasEnded();
    }

    @Override
    public boolean receive(String attempt, String lines) {
        AttemptAccounting live = attempts.get(attempt);
        return live != null && live.receive(lines);
    }

    void forget(AttemptAccounting attempt) {
        attempts.remove(attempt.launch().processName(), attempt);
    }

    AttemptClock clock() {
        return clock;
    }

    Topology cluster() {
        return engine.cluster.get();
    }

    boolean samplesGpus() {
        return engine.samplesGpus.get();
    }

    JobLogs logs() {
        return engine.logs;
    }

    void emit(EngineEvent event) {
        engine.events.accept(event);
    }
}
