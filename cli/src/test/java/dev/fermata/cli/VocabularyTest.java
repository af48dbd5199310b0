package dev.fermata.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Keeps retired words out of sources, data, file names and documentation, and more of them out of messages and pages. The
 * lists are in {@code docs/retired-words.txt}. {@code -Dvocabulary.under=core,docs} checks only these folders and files.
 */
@Tag("tree")
class VocabularyTest {
    private static final Path ROOT = root();
    private static final Path LISTS = ROOT.resolve("docs").resolve("retired-words.txt");
    private static final Set<String> SKIPPED_FOLDERS = Set.of(".git", "target", "out", "node_modules", "__pycache__");
    /** The list itself, the past, and what reads the names of history format 1. */
    private static final Set<String> SKIPPED_FILES = Set.of(
            "docs/glossary.md",
            "CHANGELOG.md",
            "cli/src/test/java/dev/fermata/cli/VocabularyTest.java",
            "history/src/main/java/dev/fermata/history/Format1To2.java",
            "history/src/test/java/dev/fermata/history/FormatUpgradeTest.java",
            "history/src/test/java/dev/fermata/history/HistoryFormatTest.java",
            "live/src/test/java/dev/fermata/live/store/DatabaseSchemaTest.java",
            "live/src/test/java/dev/fermata/live/store/StoreUpgradeTest.java");

    private static final Set<String> SCRIPTS = Set.of("fermata", "check", "build");
    private static final List<String> CHECKED_ENDINGS =
            List.of(".java", ".md", ".py", ".sh", ".sql", ".yaml", ".yml", ".json", ".js", ".html", ".css", "pom.xml");
    /** Tables and bodies as version 0.1.0 wrote them. */
    private static final Pattern OLD_FORMAT =
            Pattern.compile(".*/live/store/[1-6]\\.sql|.*/history/v1/.*|.*/fermata-0\\.1\\.0\\.sql");

    private static final Pattern ROW = Pattern.compile("(?m)^([a-z ]+)(\\*?): .+$");
    private static final String WORDS = "everywhere";
    private static final String TEXTS = "texts";
    private static final int MOST_WORDS_PER_SENTENCE = 25;

    /** A string literal, a comment or a character; comments are left out, and literals joined by + are one. */
    private static final Pattern TOKEN = Pattern.compile("\"\"\"(?s:.*?)\"\"\"|\"(?:[^\"\\\\\\n]++|\\\\.)*+\""
            + "|//[^\\n]*+|/\\*(?s:.*?)\\*/|'(?:[^'\\\\]|\\\\.)+'");

    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern SQL =
            Pattern.compile("\\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|ORDER BY|WHERE|AND)\\b");
    private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.;:!?])\\s+|\\\\n|\\n");
    private static final Pattern JAVADOC = Pattern.compile("(?s)/\\*\\*(.*?)\\*/");
    private static final Pattern INLINE_TAG = Pattern.compile("\\{@\\w+\\s+(?:[^{}]*\\s)?(\\S*?)}");
    private static final Pattern FULL_STOP = Pattern.compile("(?<=[.!?]) ");
    private static final Pattern LOGGED_COUNT = Pattern.compile(
            "\\{} (?:[a-z]+ )?(?:jobs|GPUs|entries|attempts|processes|requests|nodes|folders|rows|events)\\b");
    private static final Pattern CODE_OR_TARGET = Pattern.compile("`[^`]*`|]\\([^)]*\\)");
    /** The account, and a type of JavaScript. */
    private static final Pattern ALLOWED = Pattern.compile("\"nobody\"|\\bPromise(?=[.<])");

    private static final Pattern CAMEL = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|_");

    @Test
    void retiredWordsAreListed() throws IOException {
        assertThat(retired(WORDS)).hasSizeGreaterThan(50);
        assertThat(matcher("we promised it").find()).isTrue();
        assertThat(matcher(words("aJobLedger")).find()).isTrue();
        assertThat(matcher(words("KEEP_ANEW")).find()).isTrue();
        assertThat(matcher("a compromise in the besides").find()).isFalse();
        assertThat(matcher(words("user = \"nobody\"")).find()).isFalse();
    }

    @Test
    void noRetiredWordIsUsed() throws IOException {
        Pattern retired = pattern(WORDS);
        List<String> found = new ArrayList<>();
        List<Path> files = files();
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            retired.matcher(words(show(file)))
                    .results()
                    .forEach(word -> found.add("the name " + show(file) + ": " + word.group()));
            List<String> lines =
                    new String(Files.readAllBytes(file), UTF_8).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                Matcher matcher = retired.matcher(words(lines.get(i)));
                while (matcher.find()) {
                    found.add(show(file) + ":" + (i + 1) + ": " + matcher.group());
                }
            }
        }
        assertThat(found)
                .as("retired words; docs/retired-words.txt says what to use")
                .isEmpty();
    }

    @Test
    void messagesAreReadFromSources() {
        String source =
                "// \"no\"\nfail(\"a \" // why\n  + \"b c\" + x + '\"' + \"\\\"d\\\" e\"); /* \"f g\" */ key(\"hi\");";
        assertThat(messages(source)).containsExactly("a b c", "\\\"d\\\" e");
        assertThat(LOGGED_COUNT.matcher("cycle: {} live jobs").find()).isTrue();
    }

    @Test
    void noMessageOrPageUsesARetiredWord() throws IOException {
        Pattern retired = pattern(TEXTS);
        List<String> found = new ArrayList<>();
        for (Path file : files()) {
            String text = new String(Files.readAllBytes(file), UTF_8);
            List<String> checked = isPage(file)
                    ? CODE_OR_TARGET
                            .matcher(withoutBlocks(text))
                            .replaceAll(" ")
                            .lines()
                            .toList()
                    : isMain(file) ? messages(text) : List.of();
            for (String message : checked) {
                retired.matcher(message)
                        .results()
                        .forEach(word -> found.add(show(file) + ": " + word.group() + ": " + message));
            }
        }
        assertThat(found)
                .as("retired in texts; docs/retired-words.txt says what to use")
                .isEmpty();
    }

    @Test
    void sentencesOfMessagesAreShort() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files()) {
            if (isMain(file)) {
                for (String message : messages(new String(Files.readAllBytes(file), UTF_8))) {
                    SENTENCE_END
                            .splitAsStream(message)
                            .filter(sentence -> wordCount(sentence) > MOST_WORDS_PER_SENTENCE)
                            .forEach(sentence -> found.add(show(file) + ": " + sentence));
                }
            }
        }
        assertThat(found)
                .as("sentences of more than %d words", MOST_WORDS_PER_SENTENCE)
                .isEmpty();
    }

    @Test
    void firstSentencesOfJavadocAreShort() throws IOException {
        assertThat(firstSentence(" * Counts {@link a.B#c jobs}, and\n     * {@code x.y z}. More.\n"))
                .isEqualTo("Counts jobs, and z.");
        List<String> found = new ArrayList<>();
        for (Path file : files()) {
            if (isMain(file)) {
                JAVADOC.matcher(new String(Files.readAllBytes(file), UTF_8))
                        .results()
                        .map(comment -> firstSentence(comment.group(1)))
                        .filter(sentence -> wordCount(sentence) > MOST_WORDS_PER_SENTENCE)
                        .forEach(sentence -> found.add(show(file) + ": " + sentence));
            }
        }
        assertThat(found)
                .as("first sentences of more than %d words", MOST_WORDS_PER_SENTENCE)
                .isEmpty();
    }

    /** {@code 1 jobs} is wrong, and {@code jobs: 1} is not. */
    @Test
    void countsInLogLinesFollowTheirLabels() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files()) {
            if (isMain(file)) {
                messages(new String(Files.readAllBytes(file), UTF_8)).stream()
                        .filter(message -> LOGGED_COUNT.matcher(message).find())
                        .forEach(message -> found.add(show(file) + ": " + message));
            }
        }
        assertThat(found).isEmpty();
    }

    /** The string literals with more than one word, without SQL. */
    private static List<String> messages(String source) {
        String code = TOKEN.matcher(source)
                .replaceAll(token -> token.group().startsWith("\"") ? Matcher.quoteReplacement(token.group()) : " ");
        return TOKEN.matcher(JOINED.matcher(code).replaceAll(""))
                .results()
                .map(token -> token.group().replaceAll("^\"+|\"+$", ""))
                .filter(literal ->
                        literal.strip().contains(" ") && !SQL.matcher(literal).find())
                .toList();
    }

    /** The text before the first full stop; code counts as one word. */
    private static String firstSentence(String comment) {
        String text = INLINE_TAG
                .matcher(comment.replaceAll("(?m)^\\s*\\* ?", ""))
                .replaceAll("$1")
                .replaceAll("(?s)(?:^|\\n)@.*|<pre>.*", "")
                .replaceAll("\\s+", " ")
                .strip();
        return FULL_STOP.split(text, 2)[0];
    }

    private static long wordCount(String sentence) {
        return Pattern.compile("\\s+")
                .splitAsStream(sentence)
                .filter(word -> word.chars().anyMatch(Character::isLetter))
                .count();
    }

    private static String withoutBlocks(String page) {
        return page.replaceAll("(?ms)^```.*?^```", "");
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".md");
    }

    private static boolean isMain(Path file) {
        return show(file).contains("/src/main/") && show(file).endsWith(".java");
    }

    /** A line with the words of its identifiers apart, without the names that are allowed. */
    private static String words(String line) {
        return CAMEL.matcher(ALLOWED.matcher(line).replaceAll("")).replaceAll(" ");
    }

    private static Matcher matcher(String text) throws IOException {
        return pattern(WORDS).matcher(text);
    }

    private static Pattern pattern(String heading) throws IOException {
        return Pattern.compile(
                retired(heading).stream().collect(Collectors.joining("|", "(?<![a-z])(?:", ")(?![a-z])")),
                Pattern.CASE_INSENSITIVE);
    }

    private static List<String> retired(String heading) throws IOException {
        String text = Files.readString(LISTS);
        int from = text.indexOf("\n[" + heading + "]");
        assertThat(from).as("the list [%s] in %s", heading, LISTS).isPositive();
        int next = text.indexOf("\n[", from + 1);
        List<String> words = ROW.matcher(text.substring(from, next < 0 ? text.length() : next))
                .results()
                .map(row -> row.group(1) + (row.group(2).isEmpty() ? "" : "[a-z]*"))
                .toList();
        assertThat(words).isNotEmpty().doesNotHaveDuplicates();
        return words;
    }

    private static List<Path> files() throws IOException {
        List<String> under = List.of(System.getProperty("vocabulary.under", "").split(",", -1));
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return SKIPPED_FOLDERS.contains(String.valueOf(folder.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String path = show(file);
                if (attributes.isRegularFile()
                        && isChecked(path)
                        && under.stream().anyMatch(part -> (path + "/").startsWith(part.isEmpty() ? "" : part + "/"))) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found.stream().sorted().toList();
    }

    private static boolean isChecked(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return !SKIPPED_FILES.contains(path)
                && !OLD_FORMAT.matcher(path).matches()
                && (CHECKED_ENDINGS.stream().anyMatch(name::endsWith)
                        || path.startsWith("scripts/")
                        || SCRIPTS.contains(name));
    }

    private static String show(Path path) {
        return ROOT.relativize(path).toString().replace('\\', '/');
    }

    private static Path root() {
        Path start = Path.of(System.getProperty("user.dir")).toAbsolutePath();
        for (Path dir = start; dir != null; dir = dir.getParent()) {
            if (Files.isDirectory(dir.resolve(".mvn"))) {
                return dir;
            }
        }
        throw new IllegalStateException("no folder with .mvn at or above " + start);
    }
}
