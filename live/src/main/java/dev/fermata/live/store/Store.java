package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * The durable history and what is derived from it. One writer (the conductor's thread) calls {@link #recover}, {@link #append} and
 * {@link #saveImage}; everything else may be called from any thread beside it. Whatever fails throws {@link StoreException}.
 * Text comes back as it was given, but for the character NUL, which no database holds alike: it comes back as U+FFFD.
 */
public interface Store extends AutoCloseable {
    /**
     * Becomes the one writer. On SQLite it throws when another process is; on PostgreSQL it waits as standby until the other
     * is gone, the thread is interrupted, or {@code waiting}, asked now and then, is false: then empty. May be called again.
     */
    default Optional<Recovery> recover(BooleanSupplier waiting) {
        return recover(waiting, Recovery::home);
    }

    /**
     * The same, for whoever runs jobs.
     *
     * @param moveIn says where the jobs run from now on; or throws, when this daemon must not lead from where it is: then nothing has
     *     changed, and another may lead
     */
    Optional<Recovery> recover(BooleanSupplier waiting, Function<Recovery, Home> moveIn);

    /**
     * One transaction: all of it is durable when this returns. When it throws, the same batch may be given again until it does not:
     * a batch that had become durable although nobody could say so is not stored twice. An empty batch asks whether this
     * is still the one writer and changes nothing. A failure that is not {@link StoreException#passing} is for good: the batch is wrong, or
     * another daemon has taken over.
     */
    void append(Batch batch);

    /** Keeps this image of the ledger, so that recovery replays only the lines after {@code seq}. */
    default void saveImage(long seq, String image) {
        saveImage(seq, image, List.of());
    }

    /** The same, and in the same transaction the rows of what was learned that have to know all lines up to there. */
    void saveImage(long seq, String image, List<KindRow> learned);

    Reader reader();

    /** For the one writer: a reader that does not have to wait until others have read. */
    Reader ownReader();

    Tokens tokens();

    /** {@code sqlite:/path} or {@code postgresql://host/db}, without a password. */
    String address();

    @Override
    void close();

    /** Questions about what is durable. A page has at most {@link Page#MOST} rows, whatever was asked for. */
    interface Reader {
        Optional<JobRow> job(long id);

        /** Newest first. Their {@code spec} is left out (empty): it may be long, and {@link #job} has it. */
        Page<JobRow> jobs(JobQuery query);

        /** The jobs that ended last, latest first, with their specs. */
        List<JobRow> ended(int limit);

        /** The attempts of a job, oldest first. */
        List<RunRow> runs(long jobId);

        /** Oldest first. */
        Page<Line> lines(LineQuery query);

        /** Newest first. */
        Page<AuditRow> audit(long beforeSeq, int limit);

        /** The jobs that an earlier submission with this key made; empty when there was none. */
        Optional<Submission> submission(String user, String key);

        /** What was learned of kinds of jobs: at most so many, those to which something was added last; oldest first. */
        List<KindRow> kinds(int limit);

        /** What was learned of kinds beside each other: at most so many, those to which something was added last; oldest first. */
        List<PairRow> pairs(int limit);

        /** What was expected of a job, oldest first. */
        List<EstimateRow> estimates(long jobId);

        /** What was expected since this time, and what came of it, oldest first; at most so many, the latest. */
        List<EstimateRow> settledEstimates(long sinceMillis, int limit);

        /** Live and final jobs by state. */
        Map<JobState, Long> counts();
    }

    /** Access tokens: hashes only. */
    interface Tokens {
        void add(TokenRow token);

        Optional<TokenRow> byHash(String sha256);

        List<TokenRow> all();

        /** Whether there was such a token that was still good. */
        boolean revoke(String id, long atMillis);
    }
}
