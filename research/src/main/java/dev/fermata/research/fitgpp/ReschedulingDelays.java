package dev.fermata.research.fitgpp;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.RecordReader;
import dev.fermata.core.measure.Distribution;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.List;

/** How long preempted jobs were without GPUs: from the request, and from the end of the attempt, to the next start. */
final class ReschedulingDelays
        implements RecordReader.IgnoresJobs,
                RecordReader.IgnoresAttempts,
                RecordReader.IgnoresReservations,
                RecordReader.IgnoresCluster,
                RecordReader.IgnoresDeclines {
    private static final double MINUTE_MILLIS = 60_000;

    private final LongMap<Long> requestedMillis = new LongMap<>();
    private final LongMap<Long> releasedMillis = new LongMap<>();
    private final List<Double> sinceRequest = new ArrayList<>();
    private final List<Double> sinceRelease = new ArrayList<>();

    @Override
    public void preempting(long nowMillis, HistoryRecord.Preempting record) {
        requestedMillis.put(record.jobId(), nowMillis);
    }

    @Override
    public void attemptEnded(long nowMillis, HistoryRecord.AttemptEnded record) {
        if (record.next() == JobState.PENDING) {
            releasedMillis.put(record.jobId(), nowMillis);
        } else {
            requestedMillis.remove(record.jobId()); // it ended at the moment of the request
        }
    }

    @Override
    public void started(long nowMillis, HistoryRecord.Started record) {
        Long from = requestedMillis.remove(record.jobId());
        Long since = releasedMillis.remove(record.jobId());
        if (from != null && since != null) {
            sinceRequest.add((nowMillis - from) / MINUTE_MILLIS);
            sinceRelease.add((nowMillis - since) / MINUTE_MILLIS);
        }
    }

    /** Minutes from the preemption request to the next start, the saving included. */
    Distribution sinceRequest() {
        return spread(sinceRequest);
    }

    /** Minutes from the end of the attempt to the next start. */
    Distribution sinceRelease() {
        return spread(sinceRelease);
    }

    private static Distribution spread(List<Double> values) {
        return Distribution.of(values.stream().mapToDouble(v -> v).toArray());
    }
}
