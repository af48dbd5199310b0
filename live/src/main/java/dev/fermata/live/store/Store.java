package dev.fermata.live.store;

import java.util.List;
import java.util.Optional;

/**
 * The durable history and what is derived from it. One writer (the conductor's thread) calls {@link #recover}, {@link #append} and
 * {@link #saveImage}; everything else may be called from any thread beside it. Whatever fails throws {@link StoreException}.
 */
public interface Store extends AutoCloseable {
    /**
     * Becomes the one writer. On SQLite it throws when another process is; on PostgreSQL it waits as standby until the other
     * is gone or {@code waiting} says stop (then empty).
     */
    Optional<Recovery> recover(java.util.function.BooleanSupplier waiting);

    /** One transaction: all of it is durable when this returns, none of it when it throws. */
    void append(Batch batch);

    /** Keeps this image of the ledger, so that recovery replays only the lines after {@code seq}. */
    void saveImage(long seq, String image);

    Reader reader();

    Tokens tokens();

    /** {@code sqlite:/path} or {@code postgresql://host/db}, without a password. */
    String address();

    @Override
    void close();

    /** Questions about what is durable. */
    interface Reader {
        Optional<JobRow> job(long id);

        /** Newest first. */
        Page<JobRow> jobs(JobQuery query);

        /** The attempts of a job, oldest first. */
        List<RunRow> runs(long jobId);

        /** Oldest first. */
        Page<Line> lines(LineQuery query);

        /** Newest first. */
        Page<AuditRow> audit(long beforeSeq, int limit);

        /** The jobs that an earlier submission with this key made; empty when there was none. */
        Optional<Submission> submission(String user, String key);

        /** Live and final jobs by state. */
        java.util.Map<dev.fermata.core.contract.JobState, Long> counts();
    }

    /** Access tokens: hashes only. */
    interface Tokens {
        void add(TokenRow token);

        Optional<TokenRow> byHash(String sha256);

        List<TokenRow> all();

        boolean revoke(String id, long atMillis);
    }
}
