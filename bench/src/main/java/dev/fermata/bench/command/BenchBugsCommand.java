package dev.fermata.bench.command;

import dev.fermata.bench.seeded.SeededBug;
import dev.fermata.bench.seeded.SeededBugSearch;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata bench bugs}: how soon torture finds bugs that are planted on purpose. */
@Command(
        name = "bugs",
        description = {
            "Plant one bug after the other into copies of the daemon's classes, and count the seeds until torture finds it.",
            "Exits with 1 where a bug is not found in some range of seeds. It needs the source tree and a JDK."
        },
        sortOptions = false,
        footer = {"", "Examples:", "  fermata bench bugs", "  fermata bench bugs --only outbox --ranges 1"})
final class BenchBugsCommand extends FermataCommand {
    @Option(
            names = "--ranges",
            paramLabel = "N",
            description = "Ranges of seeds, which begin at 1, 10001, 20001 … (default: ${DEFAULT-VALUE}).",
            defaultValue = "4")
    private int ranges;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "The most seeds of a range (default: ${DEFAULT-VALUE}).",
            defaultValue = "400")
    private int limit;

    @Option(names = "--only", paramLabel = "TEXT", description = "Only bugs with this text in their place or title.")
    private String only = "";

    @Option(
            names = "--root",
            paramLabel = "DIR",
            description = "The source tree (default: the current folder).",
            defaultValue = ".")
    private Path root;

    BenchBugsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        if (!Files.isDirectory(root.resolve("live/src/main/java"))) {
            throw UserError.invalid(root + " is not the source tree of fermata; name it with --root");
        }
        List<SeededBug> bugs = SeededBug.all().stream()
                .filter(bug -> (bug.place() + ": " + bug.title()).contains(only))
                .toList();
        SeededBugSearch search = new SeededBugSearch(root, ranges, limit);
        int missed = 0;
        out().println("mean seeds  found in  place: bug  [laws]");
        for (SeededBug bug : bugs) {
            SeededBugSearch.Found found = search(search, bug);
            missed += found.isAlwaysFound() ? 0 : 1;
            out().println(String.format(
                    Locale.ROOT,
                    "%10.1f  %d of %d    %s: %s  %s",
                    found.meanSeeds(),
                    found.seeds().stream().filter(count -> count > 0).count(),
                    ranges,
                    bug.place(),
                    bug.title(),
                    found.laws()));
            out().flush();
            if (invocation.interruption().isRequested()) {
                throw UserError.interrupted("interrupted");
            }
        }
        out().println("bugs: " + bugs.size() + ", not found in every range: " + missed);
        return missed == 0 ? ExitCode.OK : ExitCode.ERROR;
    }

    private static SeededBugSearch.Found search(SeededBugSearch search, SeededBug bug) {
        try {
            return search.search(bug);
        } catch (IOException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), e);
        }
    }
}
