package dev.fermata.live.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.live.api.SchemaCheck;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobFileParserTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static JsonNode tree(String text) {
        try {
            return JSON.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new AssertionError(text, e);
        }
    }

    private static JobSpec parseOne(String text) {
        List<JobSpec> specs = JobFileParser.parse(tree(text));
        assertThat(specs).hasSize(1);
        return specs.get(0);
    }

    private static List<String> problemsOf(String text) {
        SpecException e = catchThrowableOfType(SpecException.class, () -> JobFileParser.parse(tree(text)));
        assertThat(e).as(text).isNotNull();
        return e.problems().stream().map(SpecException.SpecProblem::message).toList();
    }

    @Test
    void jobFileOfTheManualIsParsed() {
        JobSpec spec = parseOne("""
                {'apiVersion':'v1','name':'bert','queue':'research/nlp','class':'trial','gpus':{'min':4,'max':16},
                 'accelerators':['H100','A100'],'gpuMemory':'40GiB','cpus':2.5,'memory':'64GiB','time':'12h','limit':'1d','priority':5,
                 'hold':true,'locality':{'scope':'rack','wait':'10m'},
                 'preempt':{'grace':'3m','minRuntime':'10m','maxTimes':5,'onPreempt':'hold'},
                 'checkpoint':{'signal':'SIGUSR1','dir':'ckpt','every':'30m'},'after':[12,'13:any','14:failure'],'ranks':'gpus',
                 'env':{'LR':'1e-4','N':3,'DEBUG':true},'secrets':['LR'],'workdir':'/tmp','run':'python train.py'}""");
        assertThat(spec.jobClass()).isEqualTo(JobClass.TRIAL);
        assertThat(List.of(spec.minGpus(), spec.maxGpus(), spec.gpuMemoryMib())).containsExactly(4, 16, 40 * 1024);
        assertThat(List.of(spec.cpuMilli(), spec.memoryMib(), spec.timeMillis(), spec.limitMillis()))
                .containsExactly(2500L, 65536L, 43_200_000L, 86_400_000L);
        assertThat(spec.locality()).isEqualTo(new JobSpec.LocalitySpec("rack", 600_000));
        assertThat(spec.preempt()).isEqualTo(new JobSpec.PreemptSpec(180_000, 600_000, 5, "hold"));
        assertThat(spec.checkpoint()).isEqualTo(new JobSpec.CheckpointSpec("USR1", "ckpt", 1_800_000));
        assertThat(spec.dependencies())
                .containsExactly(
                        new Dependency(12, Dependency.Condition.SUCCESS),
                        new Dependency(13, Dependency.Condition.ANY),
                        new Dependency(14, Dependency.Condition.FAILURE));
        assertThat(spec.ranks()).isEqualTo(JobSpec.RANK_PER_GPU);
        assertThat(spec.env())
                .containsEntry("LR", "1e-4")
                .containsEntry("N", "3")
                .containsEntry("DEBUG", "true");
    }

    @Test
    void partsForSomeEnginesAreParsed() {
        JobSpec spec = parseOne("""
                {'run':'x','ranks':'nodes','gpus':16,'image':'registry/train:2','slurm':{'partition':'gpu','constraint':'nvlink&ib'},
                 'kubernetes':{'namespace':'ml','nodeSelector':{'zone':'a'},'volumes':['data:/data:ro','scratch:/s']}}""");

        assertThat(spec.ranks()).isEqualTo(JobSpec.RANK_PER_NODE);
        assertThat(spec.engine().image()).isEqualTo("registry/train:2");
        assertThat(spec.engine().slurm()).isEqualTo(new EngineSpec.SlurmSpec("gpu", "", "", "nvlink&ib", ""));
        assertThat(spec.engine().kubernetes().volumes())
                .containsExactly(
                        new EngineSpec.Volume("data", "/data", true), new EngineSpec.Volume("scratch", "/s", false));
        assertThat(spec.engine().options()).containsExactly(EngineOption.values());
        assertThat(parseOne("{'run':'x'}").engine()).isEqualTo(EngineSpec.NONE);
    }

    @Test
    void onlyTheCommandIsRequired() {
        JobSpec spec = parseOne("{'run':'/usr/bin/python3 train.py'}");
        assertThat(spec.name()).isEqualTo("python3");
        assertThat(spec.queue()).isEqualTo("default");
        assertThat(List.of(spec.minGpus(), spec.maxGpus(), spec.ranks())).containsExactly(1, 1, 1);
        assertThat(spec.preempt()).isEqualTo(new JobSpec.PreemptSpec(120_000, 0, Job.UNLIMITED_PREEMPTIONS, "requeue"));
        assertThat(spec.locality()).isEqualTo(JobSpec.LocalitySpec.DEFAULT);
        assertThat(spec.array()).isEqualTo(JobSpec.ArraySpec.NONE);
        assertThat(parseOne("{'run':'#!/bin/sh'}").name()).isEqualTo("script");
        assertThat(parseOne("{'run':'true','gpus':8,'ranks':'gpus'}").ranks()).isEqualTo(8);
        assertThat(parseOne("{'run':'true','name':null,'after':7}").dependencies())
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{}|run is missing",
                "[]|the job must be a mapping",
                "{'run':' '}|run must not be empty",
                "{'run':['a']}|run must be a single value",
                "{'run':'x','gpus':0}|gpus (0) must be a whole number from 1 to 1000000",
                "{'run':'x','gpus':'many'}|gpus (many) must be a whole number",
                "{'run':'x','gpus':{'min':4,'max':2}}|gpus.max (2) must not be below min (4)",
                "{'run':'x','gpus':{'mni':4}}|Did you mean 'min'?",
                "{'run':'x','preempt':{'grace':'2x'}}|preempt.grace (2x) must be a time such as 90s, 20m, 4h or 30d",
                "{'run':'x','preempt':7}|preempt (7) must be a mapping",
                "{'run':'x','image':'-v /:/host'}|image (-v /:/host) must be an image such as registry/train:2.1",
                "{'run':'x','slurm':{'partition':'--uid=0'}}|slurm.partition (--uid=0) must be the name of a partition",
                "{'run':'x','slurm':{'acount':'a'}}|Did you mean 'account'?",
                "{'run':'x','kubernetes':{'volumes':['data']}}|kubernetes.volumes (data) must be CLAIM:PATH",
                "{'run':'x','kubernetes':{'namespace':'A_b'}}|kubernetes.namespace (A_b) must be the name of a namespace",
                "{'run':'x','ranks':'node'}|or gpus or nodes for one on each",
                "{'run':'x','gpuMemory':'40'}|gpuMemory (40) must be a size with a unit",
                "{'run':'x','class':'urgent'}|class (urgent) must be one of batch, trial",
                "{'run':'x','queeu':'a'}|unknown key 'queeu'. Did you mean 'queue'?",
                "{'run':'x','queue':'a//b'}|queue (a//b) must be a path",
                "{'run':'x','queue':'../etc'}|must be a path",
                "{'run':'x','name':'a\\u001b[31m'}|name (a?[31m) must have 1 to 200 characters and no control characters",
                "{'run':'x','name':''}|no control characters",
                "{'run':'x','checkpoint':{'signal':'KILL'}}|checkpoint.signal (KILL) must be one of TERM, USR1",
                "{'run':'x','checkpoint':{'dir':'../../etc'}}|must not lead upwards",
                "{'run':'x','env':{'A-B':'1'}}|env.A-B is not a variable name",
                "{'run':'x','env':{'FERMATA_JOB_ID':'1'}}|belong to the daemon",
                "{'run':'x','env':{'A':['x']}}|env.A must be a single value",
                "{'run':'x','env':['A']}|env must be a mapping",
                "{'run':'x','secrets':['A']}|secrets must be names of variables in env",
                "{'run':'x','after':['first']}|after (first) must be a job id",
                "{'run':'x','after':['1:maybe']}|123:any",
                "{'run':'x','array':'5-1'}|array (5-1) must count upwards",
                "{'run':'x','array':'0-20000'}|must not have more than 10000 jobs",
                "{'run':'x','array':'a'}|array (a) must be a range such as 0-31",
                "{'run':'x','ranks':'all'}|ranks (all) must be a number of processes, at most 1024, or gpus",
                "{'run':'x','ranks':1025}|ranks (1025) must be a whole number from 1 to 1024",
                "{'run':'x','workdir':'here'}|workdir (here) must be an absolute path",
                "{'run':'x','hold':'yes'}|hold (yes) must be true or false",
                "{'run':'x','apiVersion':'v2'}|apiVersion (v2) must be one of v1",
                "{'run':'x','priority':1.5}|priority (1.5) must be a whole number",
                "{'run':'a\\u0000b'}|zero character"
            })
    void problemsNamePathValueAndRule(String document, String part) {
        assertThat(problemsOf(document)).singleElement().asString().contains(part);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'run':5}|run (5) must be text; put it into quotes",
                "{'run':true}|run (true) must be text",
                "{'run':'x','name':7}|name (7) must be text",
                "{'run':'x','queue':7}|queue (7) must be text",
                "{'run':'x','class':1}|class (1) must be text",
                "{'run':'x','workdir':1}|workdir (1) must be text",
                "{'run':'x','accelerators':[4090]}|accelerators[0] (4090) must be text",
                "{'run':'x','checkpoint':{'dir':1}}|checkpoint.dir (1) must be text",
                "{'run':'x','gpus':'two'}|gpus (two) must be a whole number",
                "{'run':'x','hold':'maybe'}|hold (maybe) must be true or false",
                "{'run':'x','gpus':'4'}|gpus (4) must be a whole number, without quotes",
                "{'run':'x','gpus':{'min':'2','max':4}}|gpus.min (2) must be a whole number, without quotes",
                "{'run':'x','priority':'-5'}|priority (-5) must be a whole number, without quotes",
                "{'run':'x','cpus':'2.5'}|cpus (2.5) must be a number, without quotes",
                "{'run':'x','ranks':'4'}|ranks (4) must be a number of processes",
                "{'run':'x','preempt':{'maxTimes':'1'}}|preempt.maxTimes (1) must be a whole number, without quotes",
                "{'run':'x','hold':'true'}|hold (true) must be true or false, without quotes",
                "{'run':'x','hold':1}|hold (1) must be true or false",
                "{'run':'x','time':true}|time (true) must be text or a number",
                "{'run':'x','memory':64}|memory (64) must be a size with a unit",
                "{'run':'x','time':'0s'}|time (0s) must be longer than 0, or none",
                "{'run':'x','time':0}|time (0) must be longer than 0, or none",
                "{'run':'x','limit':'0.1ms'}|limit (0.1ms) must be longer than 0, or none",
                "{'run':'x','checkpoint':{'every':'0m'}}|checkpoint.every (0m) must be longer than 0, or none",
                "{'run':'x','gpus':2000,'ranks':'gpus'}|ranks (gpus) would be 2000 processes; at most 1024 are allowed",
                "{'run':'x','gpus':{'min':2,'max':2000},'ranks':'gpus'}|would be 2000 processes"
            })
    void valuesAreNotCoerced(String document, String part) {
        assertThat(problemsOf(document)).singleElement().asString().contains(part);
    }

    @Test
    void aPatternForProgressNeedsAGroupAndIsKept() {
        assertThat(parseOne("{'run':'x','progress':{'pattern':'round ([0-9]+)','total':70}}")
                        .command()
                        .progress())
                .isEqualTo(new JobSpec.ProgressSpec("round ([0-9]+)", 70));
        assertThat(problemsOf("{'run':'x','progress':{'pattern':'round'}}"))
                .singleElement()
                .asString()
                .contains("group");
        assertThat(problemsOf("{'run':'x','progress':{'pattern':'(round'}}"))
                .singleElement()
                .asString()
                .contains("progress.pattern is not a regular expression");
        assertThat(problemsOf("{'run':'x','progress':{'total':0}}"))
                .singleElement()
                .asString()
                .contains("progress.total");
    }

    @Test
    void timesMayBeNoneOrSecondsAndNumbersMayBeVariables() {
        JobSpec spec = parseOne(
                "{'run':'x','time':90,'limit':'none','checkpoint':{'every':'none'},'env':{'N':3,'B':true},'array':7,'after':[3]}");
        assertThat(List.of(
                        spec.timeMillis(), spec.limitMillis(), spec.checkpoint().intervalMillis()))
                .containsExactly(90_000L, 0L, 0L);
        assertThat(spec.env()).containsEntry("N", "3").containsEntry("B", "true");
        assertThat(spec.dependencies()).containsExactly(new Dependency(3, Dependency.Condition.SUCCESS));
    }

    @Test
    void patchFollowsTheSameRules() {
        assertThat(JobPatch.read(tree("{'time':90,'limit':'none','priority':3}")))
                .isEqualTo(new JobPatch(null, null, 3, 90_000L, 0L, null));
        for (String wrong : List.of(
                "{'limit':'0s'}",
                "{'time':0}",
                "{'priority':'3'}",
                "{'name':7}",
                "{'maxPreemptions':-1}",
                "{}",
                "[]")) {
            assertThat(catchThrowableOfType(SpecException.class, () -> JobPatch.read(tree(wrong))))
                    .as(wrong)
                    .isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'run':'x','env':'TOKEN=hunter2'}",
                "{'run':'x','env':['TOKEN=hunter2']}",
                "{'run':'x','env':{'TOKEN':['hunter2']}}",
                "{'run':'x','env':{'TOKEN':{'is':'hunter2'}}}",
                "{'run':'x','env':{'TOKEN=hunter2':null}}",
                "{'run':'x','env':{'TOKEN hunter2':'x'}}",
                "{'run':'x','env':{'TOKEN':'hunter2\\u0000'}}",
                "{'run':'x','env':{'TOKEN':'x'},'secrets':['hunter2']}",
                "{'run':'x','env':{'TOKEN':'x'},'secrets':'hunter2'}",
                "{'run':'x','env':{'TOKEN':'x'},'secrets':{'TOKEN':'hunter2'}}",
                "{'run':'x','env':{'FERMATA_X':'hunter2'}}"
            })
    void problemsNeverShowValuesOfEnvOrSecrets(String document) {
        SpecException e = catchThrowableOfType(SpecException.class, () -> JobFileParser.parse(tree(document)));
        assertThat(e).as(document).isNotNull();
        assertThat(e.problems().toString()).doesNotContain("hunter2");
    }

    @Test
    void allProblemsAreReportedAtOnce() {
        assertThat(problemsOf("{'gpus':-1,'time':'x','nmae':'a','locality':{'scope':'moon'}}"))
                .hasSize(5);
    }

    @Test
    void oversizedValuesAreRejected() {
        assertThat(problemsOf("{'run':'" + "x".repeat(JobFileParser.MAX_SCRIPT_BYTES + 1) + "'}"))
                .singleElement()
                .asString()
                .contains("1048577 bytes")
                .hasSizeLessThan(300);
        assertThat(problemsOf("{'run':'x','env':{'A':'" + "x".repeat(300_000) + "'}}"))
                .singleElement()
                .asString()
                .contains("too large")
                .hasSizeLessThan(300);
        assertThat(problemsOf("{'run':'x','name':'" + "n".repeat(5000) + "'}"))
                .singleElement()
                .asString()
                .hasSizeLessThan(300);
    }

    @Test
    void arrayIsOneJobPerIndex() {
        List<JobSpec> specs = JobFileParser.parse(tree("{'run':'x','array':'1,3,8-20:4%2'}"));
        assertThat(specs).extracting(s -> s.array().index()).containsExactly(1, 3, 8, 12, 16, 20);
        assertThat(specs).allMatch(s -> s.array().size() == 6 && s.array().maxRunning() == 2);
    }

    @Test
    void storedSpecIsOneFlatObject() {
        JobSpec spec = JobFileParser.parse(tree("{'run':'x','gpus':2,'env':{'B':'1','A':'2'},'secrets':['B']}"))
                .get(0);
        assertThat(SpecJson.write(spec))
                .isEqualTo(("{'v':3,'name':'x','queue':'default','jobClass':'BATCH','minGpus':2,'maxGpus':2,"
                                + "'accelerators':[],'gpuMemoryMib':0,'cpuMilli':0,'memoryMib':0,'timeMillis':0,"
                                + "'limitMillis':0,'priority':0,'hold':false,'locality':{'scope':'node','waitMillis':-1},"
                                + "'preempt':{'graceMillis':120000,'minRuntimeMillis':0,'maxTimes':2147483647,"
                                + "'onPreempt':'requeue'},'checkpoint':{'signal':'TERM','dir':'checkpoints',"
                                + "'intervalMillis':0},'dependencies':[],'array':{'index':0,'size':0,'maxRunning':0},"
                                + "'ranks':1,'env':{'A':'2','B':'1'},'secrets':['B'],'workdir':'','run':'x'}")
                        .replace('\'', '"'));
        assertThat(SpecJson.read("{\"name\":\"x\",\"later\":1}")).satisfies(read -> {
            assertThat(read.name()).isEqualTo("x");
            assertThat(read.env()).isEmpty();
            assertThat(read.accelerators()).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void writtenAndStoredSpecsParseBackEqual(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            ObjectNode document = RandomDocuments.random(random);
            JobSpec spec = JobFileParser.parse(document).get(0);
            assertThat(SpecJson.read(SpecJson.write(spec))).isEqualTo(spec);
            JobSpec again = JobFileParser.parse(JobFileWriter.write(spec)).get(0);
            assertThat(again.inArray(spec.array())).as(document.toString()).isEqualTo(spec.redact());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void schemaAgreesWithTheParser(long seed) throws IOException {
        JsonNode schema = JSON.readTree(JobSchema.text());
        SchemaCheck check = new SchemaCheck(schema);
        Random random = new Random(seed);
        int refused = 0;
        for (int i = 0; i < 500; i++) {
            ObjectNode document = RandomDocuments.random(random);
            assertThat(check.problems(schema, document)).as(document.toString()).isEmpty();
            ObjectNode broken = RandomDocuments.breakDocument(document, random);
            if (!check.problems(schema, broken).isEmpty()) {
                refused++;
                assertThat(catchThrowableOfType(SpecException.class, () -> JobFileParser.parse(broken)))
                        .as(broken.toString())
                        .isNotNull();
            }
        }
        assertThat(refused).isGreaterThan(100);
    }

    @Test
    void schemaHasEveryKeyOfTheParser() throws IOException {
        JsonNode properties = JSON.readTree(JobSchema.text()).path("properties");
        String known = problemsOf("{'run':'x','zzzzzzzzzzzzzzzzzzz':1}").get(0);
        List<String> keys = List.of(known.substring(known.indexOf("Known: ") + 7, known.length() - 1)
                .split(", "));
        List<String> described = new java.util.ArrayList<>();
        properties.fieldNames().forEachRemaining(described::add);
        assertThat(keys).containsExactlyInAnyOrderElementsOf(described);
    }

    @Test
    void secretsAreReplacedByNameAndByDeclaration() {
        JobSpec spec = parseOne(
                "{'run':'x','env':{'A':'1','B':'2','WANDB_API_KEY':'k','hf_token':'t','MY_PASSWORD':'p'},'secrets':['B']}");
        assertThat(spec.redact().env())
                .containsEntry("A", "1")
                .containsEntry("B", SecretRules.MASK)
                .containsEntry("WANDB_API_KEY", SecretRules.MASK)
                .containsEntry("hf_token", SecretRules.MASK)
                .containsEntry("MY_PASSWORD", SecretRules.MASK);
        assertThat(JobFileWriter.write(spec).toString()).doesNotContain("\"k\"").doesNotContain("\"2\"");
    }

    @Test
    void secretNamesAndUrlsAreDetected() {
        for (String name : List.of(
                "DB_PASS", "SSH_KEY", "GITHUB_PAT", "HTTP_AUTH", "COOKIE", "AWS_CRED", "GPG_PASSPHRASE", "MYSQL_PWD")) {
            assertThat(SecretRules.isSecret(name, "v", List.of())).as(name).isTrue();
        }
        assertThat(SecretRules.isSecret("DB", "postgres://ann:pw@host/db", List.of()))
                .isTrue();
        assertThat(SecretRules.isSecret("DB", "postgres://host:5432/db", List.of()))
                .isFalse();
        assertThat(SecretRules.isSecret("TOKENIZERS_PARALLELISM", "false", List.of()))
                .isFalse();
        assertThat(SecretRules.isSecret("PATH", "/usr/bin", List.of())).isFalse();
        assertThat(SecretRules.isSecret("PWD", "/users/ann", List.of())).isFalse();
    }

    @Test
    void secretValuesAreMaskedUnlessShort() {
        SecretMask mask = SecretMask.of(parseOne(
                "{'run':'x','env':{'A_TOKEN':'hunter22','B_TOKEN':'hunter22-long','C_TOKEN':'on','D':'plain'}}"));
        assertThat(mask.apply("hunter22-long and hunter22 on plain")).isEqualTo("******** and ******** on plain");
    }

    @Test
    void hugeArraysAreRejected() {
        assertThat(problemsOf("{'run':'x','array':'0-99999999'}"))
                .singleElement()
                .asString()
                .contains("1000000");
    }
}
