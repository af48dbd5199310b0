package dev.fermata.app.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.cli.CommandRun;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.Screen;
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
final class Agreement {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String url;
    private final String token;
    private final Path folder;
    private final HttpClient client = HttpClient.newHttpClient();
    private final HistoryReader history;

    /** @param token of somebody who may see everything */
    Agreement(String url, String token, Path folder) throws IOException, InterruptedException {
        this.url = url;
        this.token = token;
        this.folder = folder;
        this.history = new HistoryReader(list("events", 700));
    }

    private Agreement(String url, String token, Path folder, HistoryReader history) {
        this.url = url;
        this.token = token;
        this.folder = folder;
        this.history = history;
    }

    HistoryReader history() {
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
    void ofJobs() throws IOException, InterruptedException {
        List<JsonNode> ended = list("jobs?state=ended", 300);
        assertThat(ended).isNotEmpty();
        for (JsonNode row : ended) {
            long id = row.path("id").asLong();
            JsonNode job = get("jobs/" + id);
            JsonNode explained = get("jobs/" + id + "/explain");
            Map<String, Long> figures = history.job(id);
            same("job " + id, figures, job);
            same("job " + id + " in a list", figures, row);
            List<Map<String, Long>> runs = history.runs(id);
            assertThat(job.path("runs")).as("attempts of %s", id).hasSize(runs.size());
            for (int i = 0; i < runs.size(); i++) {
                same(
                        "attempt " + id + "." + (i + 1),
                        runs.get(i),
                        job.path("runs").path(i));
            }
            JsonNode evidence = explained.path("evidence");
            assertThat(millis(evidence, "ranSeconds")).isEqualTo(figures.get("runSeconds"));
            assertThat(millis(evidence, "waitedSeconds")).isEqualTo(figures.get("waitSeconds"));
            assertThat(evidence.path("attempts").asInt()).isEqualTo(runs.size());
            List<HistoryReader.Entry> about = newestFirst().stream()
                    .filter(e -> e.beneficiary() == id || e.victims().stream().anyMatch(v -> v.job() == id))
                    .toList();
            entries("job " + id, about, job.path("preemptionLedger"));
            entries("explanation of " + id, about.subList(0, Math.min(3, about.size())), explained.path("preemptions"));
        }
    }

    private static void same(String what, Map<String, Long> figures, JsonNode told) {
        figures.forEach((name, value) -> {
            long said = name.endsWith("Seconds")
                    ? millis(told, name)
                    : told.path(name).isTextual()
                            ? time(told, name)
                            : told.path(name).asLong();
            assertThat(said).as("%s of %s", name, what).isEqualTo(value);
        });
        for (String time : List.of("firstStart", "finished", "running", "pausing", "left")) {
            assertThat(told.hasNonNull(time) && !figures.containsKey(time))
                    .as("%s of %s, of which no event tells", time, what)
                    .isFalse();
        }
    }

    private List<HistoryReader.Entry> newestFirst() {
        List<HistoryReader.Entry> all = new ArrayList<>(history.entries());
        all.sort(Comparator.comparingLong(HistoryReader.Entry::number).reversed());
        return all;
    }

    /** Every entry of the ledger, in small pages and on the command line. */
    void ofLedger() throws IOException, InterruptedException {
        List<JsonNode> paged = list("preemptions", 7);
        entries("ledger", newestFirst(), JSON.valueToTree(paged));
        List<HistoryReader.Entry> done = newestFirst().stream()
                .filter(e -> !e.outcome().equals("DECLINED"))
                .toList();
        entries("command line", done, JSON.readTree(run("preemptions", "--limit", "5000", "-o", "json")));
    }

    private static void entries(String where, List<HistoryReader.Entry> expected, JsonNode told) {
        assertThat(told).as("entries of the %s", where).hasSize(expected.size());
        for (int i = 0; i < expected.size(); i++) {
            entry(where + ", entry " + expected.get(i).number(), expected.get(i), told.path(i));
        }
    }

    private static void entry(String where, HistoryReader.Entry e, JsonNode told) {
        assertThat(told.path("number").asLong()).as(where).isEqualTo(e.number());
        assertThat(time(told, "at")).as(where).isEqualTo(e.at());
        assertThat(told.path("policy").asText()).as(where).isEqualTo(e.policy());
        assertThat(told.path("outcome").asText()).as(where).isEqualTo(e.outcome());
        assertThat(told.path("beneficiary").path("job").asLong()).as(where).isEqualTo(e.beneficiary());
        boolean weighed = e.expectedGain() != 0 || e.expectedCost() != 0;
        known(where, told, "expectedGainSeconds", weighed ? e.expectedGain() : null);
        known(where, told, "expectedCostSeconds", weighed ? e.expectedCost() : null);
        known(where, told, "waitedSeconds", e.waited());
        known(where, told, "loadSeconds", e.load());
        known(where, told, "costSeconds", e.cost());
        known(where, told, "gainSeconds", e.gain());
        known(where, told, "gpuSeconds", e.gpuMillis());
        assertThat(told.hasNonNull("started") ? (Long) time(told, "started") : null)
                .as(where)
                .isEqualTo(e.started());
        assertThat(told.path("victims")).as(where).hasSize(e.victims().size());
        for (int i = 0; i < e.victims().size(); i++) {
            HistoryReader.Paused victim = e.victims().get(i);
            JsonNode said = told.path("victims").path(i);
            String whom = where + ", job " + victim.job();
            assertThat(said.path("job").asLong()).as(whom).isEqualTo(victim.job());
            assertThat(said.path("gpus").asInt()).as(whom).isEqualTo(victim.gpus());
            assertThat(said.hasNonNull("left") ? (Long) time(said, "left") : null)
                    .as(whom)
                    .isEqualTo(victim.left());
            known(whom, said, "pauseSeconds", victim.pause());
            known(whom, said, "lostSeconds", victim.lost());
            known(whom, said, "reloadSeconds", victim.reload());
            known(whom, said, "awaySeconds", victim.away());
            known(whom, said, "remainingSeconds", victim.remaining());
            known(whom, said, "gpuSeconds", victim.gpuMillis());
        }
    }

    private static void known(String where, JsonNode told, String field, @Nullable Long expected) {
        assertThat(told.hasNonNull(field) ? (Long) millis(told, field) : null)
                .as("%s of %s", field, where)
                .isEqualTo(expected);
    }

    /** Sums by everything they can be made by. */
    void ofSums() throws IOException, InterruptedException {
        sums(
                "day",
                e -> Instant.ofEpochMilli(e.at())
                        .atZone(ZoneOffset.UTC)
                        .toLocalDate()
                        .toString());
        sums("policy", HistoryReader.Entry::policy);
        sums("user", e -> history.owner(e.beneficiary()));
        sums("queue", e -> history.submitted(e.beneficiary()).path("queue").asText());
    }

    private void sums(String by, Function<HistoryReader.Entry, String> keyOf) throws IOException, InterruptedException {
        Map<String, List<HistoryReader.Entry>> groups = new TreeMap<>();
        history.entries()
                .forEach(e -> groups.computeIfAbsent(keyOf.apply(e), key -> new ArrayList<>())
                        .add(e));
        JsonNode summary = get("preemptions/summary?by=" + by);
        assertThat(summary.path("items")).as("groups by %s", by).hasSize(groups.size());
        for (JsonNode row : summary.path("items")) {
            sum("by " + by, groups.getOrDefault(row.path("key").asText(), List.of()), row);
        }
        sum("in all", history.entries(), summary.path("total"));
    }

    /** What Prometheus is told in hindsight: the ledger as the events have it, estimates and starts as the API has them. */
    void ofMetrics() throws IOException, InterruptedException {
        Map<String, Double> told = new TreeMap<>();
        text("/metrics")
                .lines()
                .filter(line -> line.startsWith("fermata_"))
                .forEach(line -> told.put(
                        line.substring(0, line.lastIndexOf(' ')),
                        Double.valueOf(line.substring(line.lastIndexOf(' ') + 1))));
        ObjectNode row = JSON.createObjectNode();
        Map.of("PAID", "paid", "NOT_PAID", "notPaid", "OPEN", "open", "MOVED", "moved", "DECLINED", "declined")
                .forEach((outcome, name) -> row.put(
                        name,
                        told.get("fermata_ledger_decisions{outcome=\"" + outcome + "\"}")
                                .longValue()));
        row.put("pauses", told.get("fermata_ledger_pauses").longValue());
        row.put(
                "preemptions",
                row.path("paid").asLong()
                        + row.path("notPaid").asLong()
                        + row.path("open").asLong()
                        + row.path("moved").asLong());
        Map.of("gain", "gain", "cost", "cost", "expected_gain", "expectedGain", "expected_cost", "expectedCost")
                .forEach(
                        (figure, name) -> row.put(name + "Seconds", told.get("fermata_ledger_" + figure + "_seconds")));
        Map.of("pause", "pauseGpuSeconds", "reload", "reloadGpuSeconds", "lost", "lostGpuSeconds")
                .forEach((part, name) -> row.put(name, told.get("fermata_ledger_gpu_seconds{part=\"" + part + "\"}")));
        row.put(
                "gpuSeconds",
                (millis(row, "pauseGpuSeconds") + millis(row, "reloadGpuSeconds") + millis(row, "lostGpuSeconds"))
                        / 1e3);
        sum("in metrics", history.entries(), row);

        for (JsonNode of : get("diag/estimates").path("sources")) {
            String source = "{source=\"" + of.path("source").asText() + "\"}";
            assertThat(told)
                    .containsEntry(
                            "fermata_estimates_judged" + source,
                            of.path("count").asDouble());
            assertThat(told)
                    .containsEntry(
                            "fermata_estimate_median_error_ratio" + source,
                            of.path("medianError").asDouble());
            assertThat(told)
                    .containsEntry(
                            "fermata_estimate_bias_ratio" + source,
                            of.path("bias").asDouble());
            assertThat(told)
                    .containsEntry(
                            "fermata_estimate_within_p90_ratio" + source,
                            of.path("withinP90").asDouble());
            assertThat(told)
                    .containsEntry(
                            "fermata_estimate_within_band_ratio" + source,
                            of.path("withinBand").asDouble());
        }
        JsonNode starts = get("diag/starts");
        for (String percentile : List.of("50", "90")) {
            String label = "{percentile=\"" + percentile + "\"}";
            assertThat(told)
                    .containsEntry(
                            "fermata_expected_starts_judged" + label,
                            starts.path("judged" + percentile).asDouble())
                    .containsEntry(
                            "fermata_expected_starts_within_ratio" + label,
                            starts.path("startedByP" + percentile).asDouble(Double.NaN));
        }
        assertThat(told)
                .containsEntry(
                        "fermata_expected_start_median_error_seconds",
                        starts.path("medianErrorSeconds").asDouble(Double.NaN));
    }

    private static void sum(String where, List<HistoryReader.Entry> entries, JsonNode row) {
        List<HistoryReader.Entry> done =
                entries.stream().filter(e -> !e.outcome().equals("DECLINED")).toList();
        assertThat(row.path("preemptions").asLong()).as(where).isEqualTo(done.size());
        assertThat(row.path("declined").asLong()).as(where).isEqualTo(entries.size() - done.size());
        assertThat(row.path("pauses").asLong())
                .as(where)
                .isEqualTo(done.stream().mapToLong(e -> e.victims().size()).sum());
        Map<String, String> counts = Map.of("PAID", "paid", "NOT_PAID", "notPaid", "OPEN", "open", "MOVED", "moved");
        counts.forEach((outcome, name) -> assertThat(row.path(name).asLong())
                .as("%s %s", name, where)
                .isEqualTo(
                        done.stream().filter(e -> e.outcome().equals(outcome)).count()));
        add(where, row, "costSeconds", done, e -> HistoryReader.zero(e.cost()));
        add(where, row, "gainSeconds", done, e -> HistoryReader.zero(e.gain()));
        add(where, row, "expectedCostSeconds", done, HistoryReader.Entry::expectedCost);
        add(where, row, "expectedGainSeconds", done, HistoryReader.Entry::expectedGain);
        add(where, row, "gpuSeconds", done, HistoryReader.Entry::gpuMillis);
        add(
                where,
                row,
                "pauseGpuSeconds",
                done,
                e -> e.victims().stream()
                        .mapToLong(v -> HistoryReader.zero(v.pause()) * v.gpus())
                        .sum());
        add(
                where,
                row,
                "lostGpuSeconds",
                done,
                e -> e.victims().stream()
                        .mapToLong(v -> HistoryReader.zero(v.lost()) * v.gpus())
                        .sum());
        add(
                where,
                row,
                "reloadGpuSeconds",
                done,
                e -> e.victims().stream()
                        .mapToLong(HistoryReader.Paused::reloadGpu)
                        .sum());
    }

    private static void add(
            String where,
            JsonNode row,
            String field,
            List<HistoryReader.Entry> entries,
            ToLongFunction<HistoryReader.Entry> figure) {
        assertThat(millis(row, field))
                .as("%s %s", field, where)
                .isEqualTo(entries.stream().mapToLong(figure).sum());
    }

    /** A user sees what concerns own jobs and no more, and of the others' jobs no names. */
    static void ofUser(String url, String token, String user, HistoryReader history)
            throws IOException, InterruptedException {
        Agreement own = new Agreement(url, token, Path.of("."), history);
        List<HistoryReader.Entry> expected = own.newestFirst().stream()
                .filter(e -> history.owner(e.beneficiary()).equals(user)
                        || e.victims().stream()
                                .anyMatch(v -> history.owner(v.job()).equals(user)))
                .toList();
        List<JsonNode> told = own.list("preemptions", 11);
        entries("ledger of " + user, expected, JSON.valueToTree(told));
        for (JsonNode entry : told) {
            List<JsonNode> parties = new ArrayList<>(List.of(entry.path("beneficiary")));
            entry.path("victims").forEach(parties::add);
            for (JsonNode party : parties) {
                assertThat(party.path("user").asText())
                        .isEqualTo(history.owner(party.path("job").asLong()));
                assertThat(party.path("name").asText().isEmpty())
                        .isEqualTo(!party.path("user").asText().equals(user));
            }
        }
        sum("of " + user, expected, own.get("preemptions/summary").path("total"));
        assertThat(own.list("preemptions?user=nobody", 11)).isEmpty();
        assertThat(own.list("preemptions?outcome=declined", 11)).hasSize((int)
                expected.stream().filter(e -> e.outcome().equals("DECLINED")).count());
    }

    /** Every line of the table of pauses on the page. */
    void ofReport() throws IOException {
        Path page = folder.resolve("ledger.html");
        run("preemptions", "--report", page.toString(), "-o", "json");
        String html = Files.readString(page);
        assertThat(html).contains("<svg", "By day", "By policy");
        List<List<String>> shown = rows(html, "Every pause, newest first");
        List<List<String>> expected = new ArrayList<>();
        for (HistoryReader.Entry e : newestFirst()) {
            boolean weighed = e.expectedGain() != 0 || e.expectedCost() != 0;
            for (HistoryReader.Paused v : e.victims()) {
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
                new Surroundings(
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
