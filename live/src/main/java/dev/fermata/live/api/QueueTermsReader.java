package dev.fermata.live.api;

import dev.fermata.core.model.QueueTerms;
import dev.fermata.live.api.view.QueuesRequest.TermsRequest;
import dev.fermata.live.api.view.QueuesRequest.TrialsRequest;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the terms of a queue from a request. */
final class QueueTermsReader {
    private static final int MAX_NAMES = 1000;
    private static final int MAX_NAME_LENGTH = 200;
    private static final double MAX_SECONDS = 1e10;

    private QueueTermsReader() {}

    static QueueTerms read(@Nullable TermsRequest terms) {
        if (terms == null) {
            return QueueTerms.NONE;
        }
        QueueTerms.Ceilings usual = QueueTerms.Ceilings.DEFAULT;
        return new QueueTerms(
                submitters(terms.users(), terms.groups()),
                new QueueTerms.PerUser(
                        orElse(terms.userGpus(), QueueTerms.NO_LIMIT),
                        orElse(terms.userJobs(), QueueTerms.NO_LIMIT),
                        Boolean.TRUE.equals(terms.fairUsers())),
                new QueueTerms.Ceilings(
                        millis(terms.maxGraceSeconds(), usual.graceMillis()),
                        millis(terms.maxMinRuntimeSeconds(), usual.minRuntimeMillis())),
                trials(terms.trials()));
    }

    private static QueueTerms.Trials trials(@Nullable TrialsRequest trials) {
        return trials == null
                ? QueueTerms.Trials.UNLIMITED
                : new QueueTerms.Trials(
                        submitters(trials.users(), trials.groups()),
                        orElse(trials.gpus(), QueueTerms.NO_LIMIT),
                        millis(trials.seconds(), QueueTerms.Trials.NO_TIME_LIMIT),
                        orElse(trials.totalGpus(), QueueTerms.NO_LIMIT));
    }

    private static QueueTerms.Submitters submitters(@Nullable List<String> users, @Nullable List<String> groups) {
        return new QueueTerms.Submitters(names("users", users), names("groups", groups));
    }

    private static List<String> names(String field, @Nullable List<String> names) {
        List<String> given = names == null ? List.of() : names;
        boolean valid = given.size() <= MAX_NAMES
                && given.stream()
                        .allMatch(name -> Objects.nonNull(name) && !name.isBlank() && name.length() <= MAX_NAME_LENGTH);
        if (!valid) {
            throw new IllegalArgumentException(field + " of a queue must be at most " + MAX_NAMES + " names");
        }
        return given;
    }

    private static int orElse(@Nullable Integer value, int byDefault) {
        return value == null ? byDefault : value;
    }

    private static long millis(@Nullable Double seconds, long byDefault) {
        if (seconds == null) {
            return byDefault;
        }
        if (!(seconds >= 0 && seconds <= MAX_SECONDS)) {
            throw new IllegalArgumentException("seconds (" + seconds + ") of a queue's terms must be 0 to 1e10");
        }
        return Math.round(seconds * 1000);
    }
}
