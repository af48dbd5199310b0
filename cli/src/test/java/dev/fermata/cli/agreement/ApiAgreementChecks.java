package dev.fermata.cli.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;

/** Checks a running daemon against its own events, for tests of other packages. */
public final class ApiAgreementChecks {
    private ApiAgreementChecks() {}

    /** @param pauses at least so many jobs were paused */
    public static void check(String url, String token, Path folder, int pauses)
            throws IOException, InterruptedException {
        ApiAgreementChecker agreement = new ApiAgreementChecker(url, token, folder);
        assertThat(agreement.history().entries().stream()
                        .mapToLong(e -> e.victims().size())
                        .sum())
                .isGreaterThanOrEqualTo(pauses);
        agreement.checkJobs();
        agreement.checkPreemptionLog();
        agreement.checkTotals();
        agreement.checkMetrics();
        agreement.checkReport();
    }

    /** Checks the metrics for Prometheus. */
    public static void checkMetrics(String url, String token, Path folder) throws IOException, InterruptedException {
        new ApiAgreementChecker(url, token, folder).checkMetrics();
    }
}
