package dev.fermata.report.html;

import dev.fermata.insight.input.SeedList;
import dev.fermata.report.text.ShellCommand;
import java.util.List;

/** The origin of a report: enough to repeat it. Holds no date, so that the same command writes the same bytes. */
public record ReportOrigin(String command, String version, String seeds) {

    /** @param typed the arguments as they came from the shell */
    public static ReportOrigin of(List<String> typed, String version, List<Long> seeds) {
        return new ReportOrigin(ShellCommand.of(typed), version, SeedList.format(seeds));
    }
}
