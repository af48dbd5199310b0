package dev.fermata.app.report.html;

import dev.fermata.app.input.SeedList;
import java.util.List;
import java.util.stream.Collectors;

/** What made a report: enough to make it again. Holds no date, so that the same command writes the same bytes. */
public record Origin(String command, String version, String seeds) {

    /** @param typed the arguments as they came from the shell */
    public static Origin of(List<String> typed, String version, List<Long> seeds) {
        return new Origin(
                "fermata " + typed.stream().map(Origin::quoted).collect(Collectors.joining(" ")),
                version,
                SeedList.show(seeds));
    }

    private static String quoted(String word) {
        return word.matches("[\\w@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
