package dev.fermata.cli.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.CommandRun;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Whatever a daemon says about its jobs and pauses, held against what {@link HistoryReader} makes of its events. */
public final class ApiAgreementChecker {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String url;
    private final String token;
    private final Path folder;
    private final HttpClient client = HttpClient.newHttpClient();
    private final HistoryReader history;

    /** @param token of a user that may see everything */
    public ApiAgreementChecker(String url, String token, Path folder) throws IOException, InterruptedException {
        this.url = url;
        this.token = token;
        this.folder = folder;
        this.history = new HistoryReader(list("events", 700));
    }

    private ApiAgreementChecker(String url, String token, Path folder, HistoryReader history) {
        this.url = url;
        this.token = token;
        this.folder = folder;
        this.history = history;
    }

    public HistoryReader history() {
        return history;
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        return JSON.readTree(text("/api/v1/" + path));
    }

    private String text(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + token)
                .build();
        var response = client.send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).as(path + ": " + response.body()).isEqualTo(200);
        return response.body();
    }

    /** All pages. */
    private List<JsonNode> list(String path, int rows) throws IOException, InterruptedException {
        List<JsonNode> items = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = get(path + (path.contains("?") ? "&" : "?") + "limit=" + rows + cursor);
            page.path("items").forEach(items::add);
            cursor = page.hasNonNull("next") ? "&cursor=" + page.path("next").asText() : "";
        } while (!cursor.isEmpty());
        return items;
    }

    /** Every number about every job that has ended, in {@code describe} and in {@code explain}. */
    public void checkJobs() throws IOException, InterruptedException {
        List<JsonNode> ended = list("jobs?state=ended", 300);
        assertThat(ended).isNotEmpty();
        for (JsonNode row : ended) {
            long id = row.path("id").asLong();
            JsonNode job = get("jobs/" + id);
            JsonNode explained = get("jobs/" + id + "/explain");
            Map<String, Long> figures = history.job(id);
            checkEqual("job " + id, figures, job);
            checkEqual("job " + id + " in a list", figures, row);
            List<Map<String, Long>> runs = history.runs(id);
            assertThat(job.path("attempts")).as("attempts of %s", id).hasSize(runs.size());
            for (int i = 0; i < runs.size(); i++) {
                checkEqual(
                        "attempt " + id + "." + (i + 1),
                        runs.get(i),
                        job.path("attempts").path(i));
            }
            JsonNode evidence = explained.path("evidence");
            assertThat(millis(evidence, "ranSeconds")).isEqualTo(figures.get("runSeconds"));
            assertThat(millis(evidence, "waitedSeconds")).isEqualTo(figures.get("waitSeconds"));
            assertThat(evidence.path("attempts").asInt()).isEqualTo(runs.size());
            List<HistoryReader.PreemptionEntry> about = newestFirst().stream()
                    .filter(e -> e.beneficiary() == id || e.victims().stream().anyMatch(v -> v.job() == id))
                    .toList();
            checkEntries("job " + id, about, job.path("preemptionLog"));
            checkEntries(
                    "explanation of " + id, about.subList(0, Math.min(3, about.size())), explained.path("preemptions"));
        }
    }

    private static void checkEqual(String what, Map<String, Long> figures, JsonNode reported) {
        figures.forEach((name, value) -> {
            long said = name.endsWith("Seconds")
                    ? millis(reported, name)
                    : reported.path(name).isTextual()
                            ? time(reported, name)
                            : reported.path(name).asLong();
            assertThat(said).as("%s of %s", name, what).isEqualTo(value);
        });
        for (String time : List.of("firstStart", "finished", "running", "preempting", "ended")) {
            assertThat(reported.hasNonNull(time) && !figures.containsKey(time))
                    .as("%s of %s, without an event", time, what)
                    .isFalse();
        }
    }

    private List<HistoryReader.PreemptionEntry> newestFirst() {
        List<HistoryReader.PreemptionEntry> all = new ArrayList<>(history.entries());
        all.sort(Comparator.comparingLong(HistoryReader.PreemptionEntry::number).reversed());
        return all;
    }

    /** Every entry of the preemption log, in small pages and on the command line. */
    public void checkPreemptionLog() throws IOException, InterruptedException {
        List<JsonNode> paged = list("preemptions", 7);
        checkEntries("preemption log", newestFirst(), JSON.valueToTree(paged));
        List<HistoryReader.PreemptionEntry> done = newestFirst().stream()
                .filter(e -> !e.outcome().equals("DECLINED"))
                .toList();
        checkEntries("command line", done, JSON.readTree(run("preemptions", "--limit", "5000", "-o", "json")));
    }

    private static void checkEntries(String where, List<HistoryReader.PreemptionEntry> expected, JsonNode reported) {
        assertThat(reported).as("entries of the %s", where).hasSize(expected.size());
        for (int i = 0; i < expected.size(); i++) {
            checkEntry(where + ", entry " + expected.get(i).number(), expected.get(i), reported.path(i));
        }
    }

    private static void checkEntry(String where, HistoryReader.PreemptionEntry e, JsonNode reported) {
        assertThat(reported.path("number").asLong()).as(where).isEqualTo(e.number());
        assertThat(time(reported, "at")).as(where).isEqualTo(e.at());
        assertThat(reported.path("policy").asText()).as(where).isEqualTo(e.policy());
        assertThat(reported.path("outcome").asText()).as(where).isEqualTo(e.outcome());
        assertThat(reported.path("beneficiary").path("job").asLong()).as(where).isEqualTo(e.beneficiary());
        boolean weighed = e.expectedGain() != 0 || e.expectedCost() != 0;
        checkNullable(where, reported, "expectedGainSeconds", weighed ? e.expectedGain() : null);
        checkNullable(where, reported, "expectedCostSeconds", weighed ? e.expectedCost() : null);
        checkNullable(where, reported, "waitedSeconds", e.waited());
        checkNullable(where, reported, "loadSeconds", e.load());
        checkNullable(where, reported, "costSeconds", e.cost());
        checkNullable(where, reported, "gainSeconds", e.gain());
        checkNullable(where, reported, "gpuSeconds", e.gpuMillis());
        assertThat(reported.hasNonNull("started") ? (Long) time(reported, "started") : null)
                .as(where)
                .isEqualTo(e.started());
        assertThat(reported.path("victims")).as(where).hasSize(e.victims().size());
        for (int i = 0; i < e.victims().size(); i++) {
            HistoryReader.PreemptedJob victim = e.victims().get(i);
            JsonNode said = reported.path("victims").path(i);
            String subject = where + ", job " + victim.job();
            assertThat(said.path("job").asLong()).as(subject).isEqualTo(victim.job());
            assertThat(said.path("gpus").asInt()).as(subject).isEqualTo(victim.gpus());
            assertThat(said.hasNonNull("ended") ? (Long) time(said, "ended") : null)
                    .as(subject)
                    .isEqualTo(victim.endedMillis());
            checkNullable(subject, said, "preemptSeconds", victim.pause());
            checkNullable(subject, said, "lostSeconds", victim.lost());
            checkNullable(subject, said, "reloadSeconds", victim.reload());
            checkNullable(subject, said, "interruptedSeconds", victim.away());
            checkNullable(subject, said, "remainingSeconds", victim.remaining());
            checkNullable(subject, said, "gpuSeconds", victim.gpuMillis());
        }
    }

    private static void checkNullable(String where, JsonNode reported, String field, @Nullable Long expected) {
        assertThat(reported.hasNonNull(field) ? (Long) millis(reported, field) : null)
                .as("%s of %s", field, where)
                .isEqualTo(expected);
    }

    /** Sums by everything they can be made by. */
    public void checkTotals() throws IOException, InterruptedException {
        checkTotals(
                "day",
                e -> Instant.ofEpochMilli(e.at())
                        .atZone(ZoneOffset.UTC)
                        .toLocalDate()
                        .toString());
        checkTotals("policy", HistoryReader.PreemptionEntry::policy);
        checkTotals("user", e -> history.owner(e.beneficiary()));
        checkTotals(
                "queue", e -> history.submitted(e.beneficiary()).path("queue").asText());
    }

    private void checkTotals(String by, Function<HistoryReader.PreemptionEntry, String> keyOf)
            throws IOException, InterruptedException {
        Map<String, List<HistoryReader.PreemptionEntry>> groups = new TreeMap<>();
        history.entries()
                .forEach(e -> groups.computeIfAbsent(keyOf.apply(e), key -> new ArrayList<>())
                        .add(e));
        JsonNode summary = get("preemptions/summary?by=" + by);
        assertThat(summary.path("items")).as("groups by %s", by).hasSize(groups.size());
        for (JsonNode row : summary.path("items")) {
            checkSum("by " + by, groups.getOrDefault(row.path("key").asText(), List.of()), row);
        }
        checkSum("in all", history.entries(), summary.path("total"));
    }

    /** The metrics of Prometheus: preemptions as in the events, estimates and starts as in the API. */
    public void checkMetrics() throws IOException, InterruptedException {
        Map<String, Double> reported = new TreeMap<>();
        text("/metrics")
                .lines()
                .filter(line -> line.startsWith("fermata_"))
                .forEach(line -> reported.put(
                        line.substring(0, line.lastIndexOf(' ')),
                        Double.valueOf(line.substring(line.lastIndexOf(' ') + 1))));
        ObjectNode row = JSON.createObjectNode();
        Map.of("PAID", "paid", "NOT_PAID", "notPaid", "OPEN", "open", "MOVED", "moved", "DECLINED", "declined")
                .forEach((outcome, name) -> row.put(
                        name,
                        reported.get("fermata_preemption_log_decisions{outcome=\"" + outcome + "\"}")
                                .longValue()));
        row.put(
                "preemptedJobs",
                reported.get("fermata_preemption_log_preempted_jobs").longValue());
        row.put(
                "preemptions",
                row.path("paid").asLong()
                        + row.path("notPaid").asLong()
                        + row.path("open").asLong()
                        + row.path("moved").asLong());
        Map.of("gain", "gain", "cost", "cost", "expected_gain", "expectedGain", "expected_cost", "expectedCost")
                .forEach((figure, name) ->
                        row.put(name + "Seconds", reported.get("fermata_preemption_log_" + figure + "_seconds")));
        Map.of("preempt", "preemptGpuSeconds", "reload", "reloadGpuSeconds", "lost", "lostGpuSeconds")
                .forEach((part, name) ->
                        row.put(name, reported.get("fermata_preemption_log_gpu_seconds{part=\"" + part + "\"}")));
        row.put(
                "gpuSeconds",
                (millis(row, "preemptGpuSeconds") + millis(row, "reloadGpuSeconds") + millis(row, "lostGpuSeconds"))
                        / 1e3);
        checkSum("in metrics", history.entries(), row);

        for (JsonNode of : get("diag/estimates").path("sources")) {
            String source = "{source=\"" + of.path("source").asText() + "\"}";
            assertThat(reported)
                    .containsEntry(
                            "fermata_estimates_evaluated" + source,
                            of.path("count").asDouble());
            assertThat(reported)
                    .containsEntry(
                            "fermata_estimate_median_error_ratio" + source,
                            of.path("medianError").asDouble());
            assertThat(reported)
                    .containsEntry(
                            "fermata_estimate_bias_ratio" + source,
                            of.path("bias").asDouble());
            assertThat(reported)
                    .containsEntry(
                            "fermata_estimate_within_p90_ratio" + source,
                            of.path("withinP90").asDouble());
            assertThat(reported)
                    .containsEntry(
                            "fermata_estimate_within_band_ratio" + source,
                            of.path("withinBand").asDouble());
        }
        JsonNode starts = get("diag/starts");
        for (String percentile : List.of("50", "90")) {
            String label = "{percentile=\"" + percentile + "\"}";
            assertThat(reported)
                    .containsEntry(
                            "fermata_predicted_starts_evaluated" + label,
                            starts.path("evaluatedP" + percentile).asDouble())
                    .containsEntry(
                            "fermata_predicted_starts_within_ratio" + label,
                            starts.path("startedByP" + percentile).asDouble(Double.NaN));
        }
        assertThat(reported)
                .containsEntry(
                        "fermata_predicted_start_median_error_seconds",
                        starts.path("medianErrorSeconds").asDouble(Double.NaN));
    }

    private static void checkSum(String where, List<HistoryReader.PreemptionEntry> entries, JsonNode row) {
        List<HistoryReader.PreemptionEntry> done =
                entries.stream().filter(e -> !e.outcome().equals("DECLINED")).toList();
        assertThat(row.path("preemptions").asLong()).as(where).isEqualTo(done.size());
        assertThat(row.path("declined").asLong()).as(where).isEqualTo(entries.size() - done.size());
        assertThat(row.path("preemptedJobs").asLong())
                .as(where)
                .isEqualTo(done.stream().mapToLong(e -> e.victims().size()).sum());
        Map<String, String> counts = Map.of("PAID", "paid", "NOT_PAID", "notPaid", "OPEN", "open", "MOVED", "moved");
        counts.forEach((outcome, name) -> assertThat(row.path(name).asLong())
                .as("%s %s", name, where)
                .isEqualTo(
                        done.stream().filter(e -> e.outcome().equals(outcome)).count()));
        checkColumn(where, row, "costSeconds", done, e -> HistoryReader.zero(e.cost()));
        checkColumn(where, row, "gainSeconds", done, e -> HistoryReader.zero(e.gain()));
        checkColumn(where, row, "expectedCostSeconds", done, HistoryReader.PreemptionEntry::expectedCost);
        checkColumn(where, row, "expectedGainSeconds", done, HistoryReader.PreemptionEntry::expectedGain);
        checkColumn(where, row, "gpuSeconds", done, HistoryReader.PreemptionEntry::gpuMillis);
        checkColumn(
                where,
                row,
                "preemptGpuSeconds",
                done,
                e -> e.victims().stream()
                        .mapToLong(v -> HistoryReader.zero(v.pause()) * v.gpus())
                        .sum());
        checkColumn(
                where,
                row,
                "lostGpuSeconds",
                done,
                e -> e.victims().stream()
                        .mapToLong(v -> HistoryReader.zero(v.lost()) * v.gpus())
                        .sum());
        checkColumn(
                where,
                row,
                "reloadGpuSeconds",
                done,
                e -> e.victims().stream()
                        .mapToLong(HistoryReader.PreemptedJob::reloadGpu)
                        .sum());
    }

    private static void checkColumn(
            String where,
            JsonNode row,
            String field,
            List<HistoryReader.PreemptionEntry> entries,
            ToLongFunction<HistoryReader.PreemptionEntry> figure) {
        assertThat(millis(row, field))
                .as("%s %s", field, where)
                .isEqualTo(entries.stream().mapToLong(figure).sum());
    }

    /** A user sees what concerns own jobs and no more, and of the others' jobs no names. */
    public static void checkUser(String url, String token, String user, HistoryReader history)
            throws IOException, InterruptedException {
        ApiAgreementChecker own = new ApiAgreementChecker(url, token, Path.of("."), history);
        List<HistoryReader.PreemptionEntry> expected = own.newestFirst().stream()
                .filter(e -> history.owner(e.beneficiary()).equals(user)
                        || e.victims().stream()
                                .anyMatch(v -> history.owner(v.job()).equals(user)))
                .toList();
        List<JsonNode> reported = own.list("preemptions", 11);
        checkEntries("preemption log of " + user, expected, JSON.valueToTree(reported));
        for (JsonNode entry : reported) {
            List<JsonNode> parties = new ArrayList<>(List.of(entry.path("beneficiary")));
            entry.path("victims").forEach(parties::add);
            for (JsonNode party : parties) {
                assertThat(party.path("user").asText())
                        .isEqualTo(history.owner(party.path("job").asLong()));
                assertThat(party.path("name").asText().isEmpty())
                        .isEqualTo(!party.path("user").asText().equals(user));
            }
        }
        checkSum("of " + user, expected, own.get("preemptions/summary").path("total"));
        assertThat(own.list("preemptions?user=unknown", 11)).isEmpty();
        assertThat(own.list("preemptions?outcome=declined", 11)).hasSize((int)
                expected.stream().filter(e -> e.outcome().equals("DECLINED")).count());
    }

    /** Every line of the table of pauses on the page. */
    public void checkReport() throws IOException {
        Path page = folder.resolve("preemptions.html");
        run("preemptions", "--report", page.toString(), "-o", "json");
        String html = Files.readString(page);
        assertThat(html).contains("<svg", "By day", "By policy");
        List<List<String>> shown = rows(html, "Every pause, newest first");
        List<List<String>> expected = new ArrayList<>();
        for (HistoryReader.PreemptionEntry e : newestFirst()) {
            boolean weighed = e.expectedGain() != 0 || e.expectedCost() != 0;
            for (HistoryReader.PreemptedJob v : e.victims()) {
                expected.add(List.of(
                        Long.toString(e.number()),
                        Instant.ofEpochMilli(e.at()).toString(),
                        Integer.toString(v.gpus()),
                        seconds(v.pause()),
                        seconds(v.reload()),
                        seconds(v.lost()),
                        seconds(v.away()),
                        seconds(e.cost()),
                        seconds(e.gain()),
                        seconds(weighed ? e.expectedCost() : null),
                        seconds(weighed ? e.expectedGain() : null),
                        e.outcome()));
            }
        }
        assertThat(shown).hasSize(expected.size());
        for (int i = 0; i < shown.size(); i++) {
            List<String> row = new ArrayList<>(shown.get(i));
            row.subList(2, 4).clear(); // names
            assertThat(row).as("line %s of the page", i + 1).isEqualTo(expected.get(i));
        }
    }

    private static List<List<String>> rows(String html, String table) {
        int begin = html.indexOf("aria-label=\"" + table + "\"");
        String body = html.substring(html.indexOf("<tbody", begin), html.indexOf("</tbody>", begin));
        List<List<String>> rows = new ArrayList<>();
        for (String row : body.split("<tr")) {
            List<String> cells = new ArrayList<>();
            Matcher cell = Pattern.compile("<t[dh][^>]*>([^<]*)").matcher(row);
            while (cell.find()) {
                cells.add(cell.group(1).strip());
            }
            if (!cells.isEmpty()) {
                rows.add(cells);
            }
        }
        return rows;
    }

    private String run(String... args) {
        CommandRun run = CommandRun.in(
                new Invocation(
                        Map.of("FERMATA_URL", url, "FERMATA_TOKEN", token, "HOME", folder.toString()),
                        folder,
                        Screen.PIPE,
                        new Interruption()),
                withEverything(args));
        assertThat(run.code()).as(run.err()).isZero();
        return run.out();
    }

    /** The clock of a played history begins in 1970. */
    private static String[] withEverything(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--since", "1970-01-01T00:00:00Z"));
        return all.toArray(String[]::new);
    }

    private static String seconds(@Nullable Long millis) {
        return millis == null ? "–" : BigDecimal.valueOf(millis, 3).toPlainString();
    }

    private static long millis(JsonNode from, String field) {
        assertThat(from.path(field).isNumber()).as(field + " in " + from).isTrue();
        return from.path(field).decimalValue().movePointRight(3).longValueExact();
    }

    private static long time(JsonNode from, String field) {
        return Instant.parse(from.path(field).asText()).toEpochMilli();
    }
}
