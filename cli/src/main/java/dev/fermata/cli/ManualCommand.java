package dev.fermata.cli;

import dev.fermata.cli.option.Version;
import dev.fermata.cli.shell.ManualPages;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata manual}: writes the manual pages, for packages. */
@Command(
        name = "manual",
        hidden = true,
        description = "Write the manual pages of all commands into a folder.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class ManualCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "The folder; made if it is missing.")
    private Path folder;

    @Override
    public Integer call() {
        Map<String, String> pages = ManualPages.pages(spec.root().commandLine(), Version.number());
        try {
            Files.createDirectories(folder);
            for (Map.Entry<String, String> page : pages.entrySet()) {
                Files.writeString(folder.resolve(page.getKey()), page.getValue());
            }
        } catch (IOException e) {
            throw UserError.failed("cannot write manual pages to '" + folder + "': " + e.getMessage(), e);
        }
        spec.commandLine().getOut().println(pages.size() + " pages in " + folder);
        return ExitCode.OK;
    }
}
