package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The durable history and the rows derived from it. One writer, the scheduler loop, calls {@link #recover}, {@link #append} and
 * {@link #saveSnapshot}; any thread may call the rest. Failures throw {@link StoreException}. Text is returned as it was given,
 * except NUL, which becomes U+FFFD.
 */
public interface Store extends AutoCloseable {
    /**
     * Becomes the one writer. On SQLite it throws while another process is the writer. On PostgreSQL it waits as standby until
     * the other is gone, the thread is interrupted, or {@code waiting} is false; then the result is empty. It may be called
     * again.
     */
    default Optional<RecoveredState> recover(BooleanSupplier waiting) {
        return recover(waiting, RecoveredState::engineLocation);
    }

    /**
     * The same for a daemon that runs jobs.
     *
     * @param chooseLocation returns where the jobs run from now on, or throws when this daemon must not lead from its location;
     *     then nothing has changed
     */
    Optional<RecoveredState> recover(BooleanSupplier waiting, Function<RecoveredState, EngineLocation> chooseLocation);

    /**
     * Appends in one transaction: all of it is durable on return. After a failure the same batch may be appended again; a batch
     * whose commit was not confirmed is not stored twice. An empty batch checks that this is still the writer. A failure that
     * is not {@link StoreException#retryable} is final: the batch is invalid, or another daemon has taken over.
     */
    void append(Batch batch);

    /** Stores a snapshot, so that recovery replays only the entries after {@code seq}. */
    default void saveSnapshot(long seq, String snapshot) {
        saveSnapshot(seq, snapshot, List.of());
    }

    /** The same, with the profiles that include all entries up to {@code seq}, in one transaction. */
    void saveSnapshot(long seq, String snapshot, List<ProfileRow> learned);

    /**
     * Removes jobs that ended before a moment, and audit rows before another; returns how many rows. With a job goes all that is
     * about it. One call removes a few hundred at most. It never removes what a recovery needs.
     */
    default int removeOld(long endedBeforeMillis, long auditBeforeMillis) {
        return 0;
    }

    StoreReader reader();

    /** For the writer: a reader that never waits for other readers. */
    StoreReader dedicatedReader();

    TokenStore tokens();

    /** {@code sqlite:/path} or {@code postgresql://host/db}, without a password. */
    String address();

    @Override
    void close();

    /** Queries of durable rows. A page has at most {@link RowPage#MAX_ROWS} rows. */
    interface StoreReader {
        Optional<JobRow> job(long id);

        /** Newest first, without {@code spec}: it may be long, and {@link #job} has it. */
        RowPage<JobRow> jobs(JobQuery query);

        /** The jobs that ended most recently, latest first, with their specs. */
        List<JobRow> endedJobs(int limit);

        /** The attempts of a job, oldest first. */
        List<AttemptRow> attempts(long jobId);

        /** Oldest first. */
        RowPage<HistoryEntry> history(HistoryQuery query);

        /** Newest first. */
        RowPage<AuditRow> audit(long beforeSeq, int limit);

        /** The jobs of an earlier submission with this key; empty for none. */
        Optional<SubmissionRow> submission(String user, String key);

        /** At most {@code limit} profiles, those updated most recently; oldest first. */
        List<ProfileRow> profiles(int limit);

        /** At most {@code limit} co-run profiles, those updated most recently; oldest first. */
        List<CoRunRow> coRuns(int limit);

        /** The estimates of a job, oldest first. */
        List<EstimateRow> estimates(long jobId);

        /** Estimates since this time whose jobs have ended; at most {@code limit}, the latest, oldest first. */
        List<EstimateRow> settledEstimates(long sinceMillis, int limit);

        /** Live and final jobs by state. */
        Map<JobState, Long> countsByState();
    }

    /** Access tokens: hashes only. Only the leader changes them, each in one transaction with its row of the audit log. */
    interface TokenStore {
        void add(TokenRow token, AuditRow audit);

        Optional<TokenRow> byHash(String sha256);

        List<TokenRow> all();

        /** False unless there was such a valid token. */
        boolean revoke(String id, long atMillis, AuditRow audit);
    }
}
