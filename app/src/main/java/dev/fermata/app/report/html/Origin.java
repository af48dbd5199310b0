package dev.fermata.app.report.html;

import dev.fermata.app.input.SeedList;
import dev.fermata.app.output.ShellCommand;
import java.util.List;

/** What made a report: enough to make it again. Holds no date, so that the same command writes the same bytes. */
public record Origin(String command, String version, String seeds) {

    /** @param typed the arguments as they came from the shell */
    public static Origin of(List<String> typed, String version, List<Long> seeds) {
        return new Origin(ShellCommand.of(typed), version, SeedList.show(seeds));
    }
}
