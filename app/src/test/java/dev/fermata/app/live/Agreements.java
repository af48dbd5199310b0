package dev.fermata.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;

/** Holds a running daemon against its own events, for tests of other rooms. */
public final class Agreements {
    private Agreements() {}

    /** @param pauses at least so many jobs were paused */
    public static void check(String url, String token, Path folder, int pauses)
            throws IOException, InterruptedException {
        Agreement agreement = new Agreement(url, token, folder);
        assertThat(agreement.history().entries().stream()
                        .mapToLong(e -> e.victims().size())
                        .sum())
                .isGreaterThanOrEqualTo(pauses);
        agreement.ofJobs();
        agreement.ofLedger();
        agreement.ofSums();
        agreement.ofMetrics();
        agreement.ofReport();
    }

    /** What Prometheus is told. */
    public static void ofMetrics(String url, String token, Path folder) throws IOException, InterruptedException {
        new Agreement(url, token, folder).ofMetrics();
    }
}
