package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata web}: the web page, logged in. */
@Command(
        name = "web",
        description = "Open the web page in a browser, logged in, or print a link that logs in once within a minute.",
        footer = {"", "Examples:", "  fermata web", "  fermata web --print"})
public final class WebCommand extends RemoteCommand {
    private static final List<String> OPENERS = List.of("xdg-open", "open");

    @Option(names = "--print", description = "Only print the link.")
    private boolean print;

    public WebCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        JsonNode answer = api.post("session/code");
        if (!isHumanReadable()) {
            return write(answer);
        }
        String url = JobText.text(answer, "url");
        if (!print && opener().map(program -> opens(program, url)).orElse(false)) {
            out().println("The page is open in the browser.");
            return ExitCode.OK;
        }
        out().println(url);
        printRemark("the link logs in once, within a minute");
        return ExitCode.OK;
    }

    /** What opens a browser here; nothing without a screen. */
    private Optional<Path> opener() {
        Map<String, String> environment = invocation.environment();
        boolean screen = Stream.of("DISPLAY", "WAYLAND_DISPLAY")
                        .anyMatch(name -> !environment.getOrDefault(name, "").isEmpty())
                || System.getProperty("os.name", "").startsWith("Mac");
        String path = environment.getOrDefault("PATH", "");
        return screen
                ? Pattern.compile(Pattern.quote(File.pathSeparator))
                        .splitAsStream(path)
                        .flatMap(folder -> OPENERS.stream().map(name -> Path.of(folder, name)))
                        .filter(Files::isExecutable)
                        .findFirst()
                : Optional.empty();
    }

    private static boolean opens(Path program, String url) {
        try {
            return new ProcessBuilder(program.toString(), url)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
