package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TopViewTest {
    private static final Instant NOW = Instant.parse("2026-01-31T08:00:00Z");

    @Test
    void viewShowsGpusProgressAndReasons() throws IOException {
        TopView view = new TopView(
                "http://127.0.0.1:7070",
                json("{'phase':'LEADING','policy':'fermata','uptimeSeconds':65,'trouble':''}"),
                List.of(
                        json(
                                "{'name':'here','up':true,'gpus':[{'gpu':0,'up':true,'jobs':[12]},{'gpu':1,'up':true,'jobs':[12]},"
                                        + "{'gpu':2,'up':true,'jobs':[],'reservedFor':14},{'gpu':3,'up':true,'jobs':[]},{'gpu':4,'up':false,'jobs':[]}]}")),
                List.of(
                        json(
                                "{'id':14,'name':'try','user':'bob','gpus':1,'state':'PENDING','since':'2026-01-31T07:59:50Z','reason':'PREEMPTION_PENDING','message':'its GPUs are being vacated',"
                                        + "'predictedStart':{'p50':'2026-01-31T08:02:00Z','p90':'2026-01-31T08:05:00Z'}}"),
                        json(
                                "{'id':12,'name':'bert','user':'ada','gpus':2,'state':'RUNNING','since':'2026-01-31T07:57:00Z',"
                                        + "'progress':{'current':30,'total':100,'unit':'step','fraction':0.3,'metrics':{'loss':0.31}}}")));

        assertThat(view.lines(Screen.PIPE, 1000, NOW))
                .containsExactly(
                        "Fermata at http://127.0.0.1:7070  LEADING  policy fermata  up 1m05s",
                        "GPUs: 2 of 5 busy",
                        "  here [12][12][→14][·][x]",
                        "",
                        "Running 1",
                        "id  name  user  GPUs  state      for  progress",
                        "12  bert  ada      2  RUNNING  3m00s  [###.......] 30/100 30 %, loss 0.3100",
                        "",
                        "Waiting 1",
                        "id  name  user  GPUs  for  starts in  why",
                        "14  try   bob      1  10s      2m00s  PREEMPTION_PENDING: its GPUs are being vacated");
    }

    @Test
    void missingGpusAreMarkedAndMachinesOfBeforeAreLeftOut() throws IOException {
        JsonNode here = json("{'name':'here','up':true,'gpus':[{'gpu':2,'up':false,'missing':true,'jobs':[12]},"
                + "{'gpu':3,'up':false,'missing':true,'jobs':[]},{'gpu':4,'up':true,'missing':false,'jobs':[]}]}");
        JsonNode before = json("{'name':'before','up':false,'gpus':[{'gpu':0,'up':false,'missing':true,'jobs':[]},"
                + "{'gpu':1,'up':false,'missing':true,'jobs':[]}]}");
        assertThat(NodeSummary.of(here)).isEqualTo(new NodeSummary(1, 1, "2: missing, job 12, 3: missing"));
        assertThat(NodeSummary.of(before).isGone()).isTrue();
        TopView view = new TopView("x", json("{'phase':'LEADING'}"), List.of(before, here), List.of());
        assertThat(view.lines(Screen.PIPE, 1000, NOW))
                .contains("GPUs: 1 of 2 busy", "  here [12][?][·]")
                .noneMatch(line -> line.contains("before"));
    }

    @Test
    void viewFitsTheScreenWithManyJobs() throws IOException {
        List<JsonNode> jobs = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            jobs.add(json("{'id':" + i + ",'name':'job','gpus':1,'state':'" + (i % 2 == 0 ? "RUNNING" : "PENDING")
                    + "','since':'2026-01-31T07:57:00Z'}"));
        }
        TopView view = new TopView("x", json("{'phase':'LEADING'}"), List.of(), jobs);

        List<String> lines = view.lines(new Screen(true, false, 80), 30, NOW);

        assertThat(lines)
                .hasSizeLessThanOrEqualTo(30)
                .contains("Running 100", "Waiting 100")
                .noneMatch(line -> line.length() > 80);
    }

    @Test
    void controlCharactersInNamesAreEscaped() throws IOException {
        TopView view = new TopView(
                "x",
                json("{'phase':'LEADING','trouble':'disk \\u001b]0;full'}"),
                List.of(json("{'name':'n\\u001b[2J','gpus':[]}")),
                List.of(
                        json(
                                "{'id':1,'name':'a\\u001b[31mb','user':'u\\u009b','state':'RUNNING','progress':{'current':1,'total':2,'unit':'step','metrics':{'l\\u0007':1}}}")));

        assertThat(String.join("", view.lines(Screen.PIPE, 1000, NOW)))
                .contains("a␛[31mb")
                .doesNotContainPattern("[\\p{Cntrl}\\u009b]");
    }

    @Test
    void anEmptyViewSuggestsTheNextCommand() throws IOException {
        assertThat(new TopView("x", json("{}"), List.of(), List.of()).lines(Screen.PIPE, 24, NOW))
                .last()
                .asString()
                .contains("fermata submit");
    }

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text.replace('\'', '"'));
    }
}
