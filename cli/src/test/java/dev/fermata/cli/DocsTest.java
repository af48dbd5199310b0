package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.cli.option.Invocation;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The documents say what is so: their links, paths, type names, flags and console outputs. */
class DocsTest {
    private static final int MOST_WORDS = 47_000;
    private static final Set<String> PLUGIN_COMMANDS = Set.of("reproduce", "judge", "bench", "torture");

    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    private static final Pattern JAVA_FILE = Pattern.compile("[\\w./-]*\\w+/\\w+\\.java\\b");
    private static final Pattern SOURCE_FOLDER = Pattern.compile("[\\w-]+/src/(?:main|test)/[\\w./-]+");
    private static final Pattern FOLDER = Pattern.compile("`((?!src/)[a-z-]+(?:/[a-z-]+)+)`");
    private static final Pattern PLAIN_FILE = Pattern.compile("`([a-z-]+\\.(?:sh|csv))`");
    private static final Pattern TEST_CLASS = Pattern.compile("(?:`|-Dtest=)(?:[a-z]+\\.)*([A-Z]\\w+Test)\\b");
    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]+(?:[A-Z][a-z]+)+)(?:\\.\\w+)?(?:\\(.*?\\))?`");
    private static final Pattern DECLARATION = Pattern.compile("\\b(?:class|record|interface|enum) ([A-Z]\\w+)");
    private static final Pattern COMMAND =
            Pattern.compile("^(?:\\$ )?(?:[A-Z_]+=\\S+ )?(?:time )?(?:\\./)?fermata ([a-z-].*)$");
    private static final Pattern MARK = Pattern.compile("^<!-- (output|mean JCT|from): (.+) -->$");

    /** A row of {@code compare --vary}: the value, the policy, its mean JCT, and by what factor estimates were wrong. */
    private static final Pattern VARIED =
            Pattern.compile("(?m)^(\\S+) +(\\S+?)\\*? +([0-9][0-9dhms.]*)(?: .*?([0-9.]+×))?.*$");

    private static final Pattern COLUMN_GAP = Pattern.compile(" {2,}");

    /** A line that a user types, or the rest of one. */
    private static final Pattern TYPED = Pattern.compile("(?:\\./)?[a-z][a-z0-9_./-]*(?: .*)?| +--?[a-z].*|#.*");

    private static Path root = Path.of("");
    private static List<Path> pages = List.of();
    private static Set<String> types = Set.of();
    private static List<Path> sources = List.of();

    /** A fenced block, and the mark in the line before it. */
    private record Block(Path page, int line, String mark, String argument, String language, List<String> lines) {
        String place() {
            return root.relativize(page) + ":" + line;
        }
    }

    @BeforeAll
    static void listPagesAndTypes() throws IOException {
        root = findRoot();
        List<Path> found = new ArrayList<>();
        for (String name : List.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")) {
            found.add(root.resolve(name));
        }
        for (String folder : List.of("docs", "examples")) {
            try (Stream<Path> files = Files.walk(root.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(found::add);
            }
        }
        pages = found;
        List<Path> java = new ArrayList<>();
        for (Path module : modules()) {
            try (Stream<Path> files = Files.walk(module.resolve("src"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(java::add);
            }
        }
        sources = java;
        Set<String> names = new HashSet<>();
        for (Path file : java) {
            Matcher declared = DECLARATION.matcher(read(file));
            while (declared.find()) {
                names.add(declared.group(1));
            }
        }
        types = names;
    }

    @Test
    @Tag("tree")
    void everyRelativeLinkLeadsSomewhere() {
        List<String> broken = new ArrayList<>();
        for (Path page : pages) {
            for (String link : found(LINK, withoutCode(page))) {
                if (link.contains("://")) {
                    continue;
                }
                String[] parts = link.split("#", 2);
                Path target = parts[0].isEmpty()
                        ? page
                        : page.resolveSibling(parts[0]).normalize();
                boolean there = Files.exists(target)
                        && (parts.length < 2
                                || !Files.isRegularFile(target)
                                || anchors(target).contains(parts[1]));
                if (!there) {
                    broken.add(root.relativize(page) + ": " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    @Tag("tree")
    void everySourcePathExists() {
        Set<String> missing = new TreeSet<>();
        for (Path page : pages) {
            String text = read(page);
            for (String path : found(JAVA_FILE, text)) {
                if (sources.stream().noneMatch(file -> file.endsWith(path) || file.endsWith("dev/fermata/" + path))
                        && !Files.exists(page.resolveSibling(path))) {
                    missing.add(root.relativize(page) + ": " + path);
                }
            }
            for (String path : found(SOURCE_FOLDER, text)) {
                if (!Files.exists(root.resolve(path))) {
                    missing.add(root.relativize(page) + ": " + path);
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    /** Folders are below the root or below the packages of a module; files are named alone. */
    @Test
    @Tag("tree")
    void everyFolderAndFileForContributorsExists() throws IOException {
        String text = read(root.resolve("CONTRIBUTING.md"));
        Set<String> missing = new TreeSet<>(found(FOLDER, text));
        Set<String> files = new TreeSet<>(found(PLAIN_FILE, text));
        assertThat(missing).contains("cli/remote", "engine/local");
        assertThat(files).contains("shim.sh");
        missing.removeIf(folder -> Files.exists(root.resolve(folder))
                || sources.stream().anyMatch(file -> file.toString().contains("/dev/fermata/" + folder + "/")));
        for (Path module : modules()) {
            try (Stream<Path> tree = Files.walk(module.resolve("src"))) {
                tree.forEach(file -> files.remove(String.valueOf(file.getFileName())));
            }
        }
        missing.addAll(files);
        assertThat(missing).isEmpty();
    }

    @Test
    @Tag("tree")
    void everyTypeNameExists() {
        Set<String> missing = new TreeSet<>();
        for (Path page : pages) {
            String text = read(page);
            boolean aboutCode = page.endsWith("ARCHITECTURE.md")
                    || page.endsWith("CONTRIBUTING.md")
                    || page.toString().contains("/adr/");
            Stream.concat(found(TEST_CLASS, text).stream(), aboutCode ? found(TYPE, text).stream() : Stream.of())
                    .filter(name -> !types.contains(name))
                    .forEach(name -> missing.add(root.relativize(page) + ": " + name));
        }
        assertThat(missing).isEmpty();
    }

    @Test
    @Tag("tree")
    void allPagesTogetherAreShort() {
        long words = pages.stream()
                .flatMap(page -> Arrays.stream(read(page).split("\\s+")))
                .filter(word -> !word.isEmpty())
                .count();
        assertThat(words).as("words in all pages, as wc -w counts them").isLessThanOrEqualTo(MOST_WORDS);
    }

    @Test
    @Tag("tree")
    void everyFlagInAnExampleIsKnown() {
        CommandLine program = Fermata.commandLine(invocation(), List.of());
        Set<String> unknown = new TreeSet<>();
        for (Block block : blocks()) {
            for (String line :
                    String.join("\n", block.lines()).replace("\\\n", " ").split("\n")) {
                Matcher command = COMMAND.matcher(line.strip());
                if (command.matches()) {
                    for (String flag : unknownFlags(program, command.group(1))) {
                        unknown.add(block.place() + ": " + flag);
                    }
                }
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void everyConsoleOutputIsWhatTheProgramPrints() {
        int compared = 0;
        for (Block block : blocks()) {
            if (!block.mark().equals("output")) {
                if (isForUsers(block.page())
                        && block.mark().isEmpty()
                        && block.language().isEmpty()) {
                    assertThat(block.lines())
                            .as("%s has lines that no user types: mark output with <!-- output: … -->", block.place())
                            .allMatch(line -> TYPED.matcher(line).matches());
                }
                assertThat(block.lines())
                        .as("%s shows output that no test makes: mark it with <!-- output: … -->", block.place())
                        .noneMatch(line -> line.startsWith("$ "));
                continue;
            }
            List<String> shown = new ArrayList<>(block.lines());
            String arguments = block.argument();
            if (shown.get(0).startsWith("$ ")) {
                assertThat(shown.remove(0)).as(block.place()).isEqualTo("$ ./fermata " + arguments);
            }
            CommandRun run = CommandRun.of(arguments.split(" "));
            assertThat(run.code()).as("%s: %s", block.place(), run.err()).isZero();
            assertThat(mask(run.out())).as(block.place()).matches(pattern(shown));
            compared++;
        }
        assertThat(compared).as("compared outputs").isPositive();
    }

    /** Columns are the values of {@code --vary}, rows the policies. */
    @Test
    void everyTableOfMeanCompletionTimesIsWhatTheProgramPrints() {
        int compared = 0;
        for (Block block : blocks()) {
            if (block.mark().equals("mean JCT")) {
                CommandRun run = CommandRun.of(block.argument().split(" "));
                assertThat(run.code()).as("%s: %s", block.place(), run.err()).isZero();
                Map<String, String> printed = new TreeMap<>();
                VARIED.matcher(run.out()).results().forEach(row -> {
                    printed.put(row.group(2) + " " + row.group(1), row.group(3));
                    printed.putIfAbsent("off by " + row.group(1), String.valueOf(row.group(4)));
                });
                String[] values = COLUMN_GAP.split(block.lines().get(0));
                for (String line : block.lines().subList(1, block.lines().size())) {
                    String[] cells = COLUMN_GAP.split(line);
                    for (int i = 1; i < values.length; i++) {
                        assertThat(cells[i])
                                .as("%s: %s under %s", block.place(), cells[0], values[i])
                                .isEqualTo(printed.get(cells[0] + " " + values[i]));
                        compared++;
                    }
                }
            }
        }
        assertThat(compared).as("compared cells").isPositive();
    }

    @Test
    @Tag("tree")
    void figuresOfAMachineHaveADate() {
        for (String page : List.of(
                "contribute/performance.md",
                "research/prediction.md",
                "research/replay.md",
                "operator/gpu.md",
                "operator/daemon.md")) {
            assertThat(read(root.resolve("docs").resolve(page))).as(page).containsPattern("20\\d\\d-\\d\\d-\\d\\d");
        }
    }

    @Test
    @Tag("tree")
    void everyPendingReasonIsExplainedOnce() {
        String page = read(root.resolve("docs/user/reasons.md"));
        assertThat(found(Pattern.compile("(?m)^\\| `([A-Z_]+)` \\|"), page))
                .containsExactlyElementsOf(
                        Arrays.stream(ReasonCode.values()).map(Enum::name).toList());
    }

    @Test
    @Tag("tree")
    void everyQuotedFileSaysSo() {
        for (Block block : blocks()) {
            if (block.mark().equals("from")) {
                assertThat(read(root.resolve(block.argument())).lines().map(String::strip))
                        .as(block.place())
                        .containsAll(block.lines().stream().map(String::strip).toList());
            }
        }
    }

    private static List<String> unknownFlags(CommandLine program, String text) {
        List<String> unknown = new ArrayList<>();
        CommandLine command = program;
        boolean first = true;
        for (String word : text.split("\\s+")) {
            if (word.equals("#") || word.equals("--") || word.equals("|") || word.equals(">")) {
                break;
            }
            word = word.replaceAll("^\\[|]$", "");
            CommandLine next = command.getSubcommands().get(word);
            if (next != null) {
                command = next;
            } else if (first && PLUGIN_COMMANDS.contains(word)) {
                return List.of();
            } else if (first && !word.startsWith("-")) {
                return List.of("no command " + word);
            } else if (word.matches("--?[a-z].*")) {
                String name = word.replaceAll("=.*", "");
                if (command.getCommandSpec().findOption(name) == null) {
                    unknown.add(command.getCommandName() + " " + name);
                }
            }
            first = false;
        }
        return unknown;
    }

    /** A line of one ellipsis stands for any number of lines. */
    private static Pattern pattern(List<String> shown) {
        String lines = shown.stream()
                .map(line -> line.equals("…") ? "(?:.*\\R)*?" : Pattern.quote(mask(line)) + "[ \\t]*\\R")
                .collect(Collectors.joining());
        return Pattern.compile(lines);
    }

    /** Leaves out the figures that depend on the machine. */
    private static String mask(String output) {
        return output.replaceAll("in \\d+(?:\\.\\d+)?(?:ms|s|m\\d\\ds)\\b", "in _");
    }

    private static boolean isForUsers(Path page) {
        return page.equals(root.resolve("README.md")) || page.startsWith(root.resolve("docs/user"));
    }

    private static List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        for (Path page : pages) {
            List<String> lines = read(page).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).strip().startsWith("```")) {
                    int end = i + 1;
                    while (!lines.get(end).strip().equals("```")) {
                        end++;
                    }
                    Matcher mark = MARK.matcher(i == 0 ? "" : lines.get(i - 1));
                    boolean marked = mark.matches();
                    blocks.add(new Block(
                            page,
                            i + 1,
                            marked ? mark.group(1) : "",
                            marked ? mark.group(2) : "",
                            lines.get(i).strip().substring(3),
                            lines.subList(i + 1, end)));
                    i = end;
                }
            }
        }
        return blocks;
    }

    private static String withoutCode(Path page) {
        return read(page).replaceAll("(?ms)^ *```.*?^ *```$", "");
    }

    /** The anchors that GitHub makes of headings. */
    private static Set<String> anchors(Path page) {
        return found(HEADING, withoutCode(page)).stream()
                .map(heading -> heading.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(root)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve("src")))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult hit) -> hit.group(hit.groupCount() == 0 ? 0 : 1))
                .toList();
    }

    private static Invocation invocation() {
        return new Invocation(Map.of(), Path.of("no-such-folder"), Screen.PIPE, new Interruption());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path findRoot() {
        Path start = Path.of(System.getProperty("user.dir")).toAbsolutePath();
        for (Path dir = start; dir != null; dir = dir.getParent()) {
            if (Files.isDirectory(dir.resolve(".mvn"))) {
                return dir;
            }
        }
        throw new IllegalStateException("no folder with .mvn at or above " + start);
    }
}
