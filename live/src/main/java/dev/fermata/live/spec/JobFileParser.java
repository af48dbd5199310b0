package dev.fermata.live.spec;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.text.Quantity;
import dev.fermata.live.spec.DocumentFields.ValueForm;
import dev.fermata.live.spec.SpecException.SpecProblem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses a job document in the form of the YAML job file, from any client. It rejects unknown keys, with a suggestion, and
 * reports all mistakes at once. {@code job.schema.json} states the same rules for editors.
 */
public final class JobFileParser {
    public static final int MAX_SCRIPT_BYTES = 1 << 20;
    static final int MAX_GPUS = 1_000_000;
    /** Each rank is a process; more would overload the machine that starts them. */
    static final int MAX_RANKS = 1024;

    static final int MAX_NAME = 200;
    static final int MAX_PATH = 4096;
    static final int MAX_ENV = 1000;
    static final int MAX_ENV_BYTES = 256 * 1024;
    static final int MAX_LIST = 1000;
    static final int MAX_PRIORITY = 100_000;
    static final long MAX_MEBIBYTES = 1_000_000_000;
    static final List<String> SIGNALS = List.of("TERM", "USR1", "USR2", "INT");
    static final List<String> ON_PREEMPT = List.of("requeue", "hold", "cancel");
    static final List<String> LOCALITY_SCOPES = List.of("node", "rack", "any");
    static final String DEFAULT_QUEUE = "default";
    static final String DEFAULT_DIR = "checkpoints";

    /** The variables with which users configure the Python helper; all other {@code FERMATA_} names belong to the daemon. */
    private static final Set<String> HELPER_VARIABLES = Set.of("FERMATA_NO_PYTHONPATH", "FERMATA_PROFILE_STEPS");

    private static final Pattern QUEUE =
            Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}){0,7}");
    private static final Pattern ENV_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Pattern ACCELERATOR = Pattern.compile("[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}");
    private static final Pattern DEPENDENCY = Pattern.compile("([0-9]{1,18})(?::([A-Za-z]+))?");

    private final DocumentFields job;
    private final List<SpecProblem> problems;

    private JobFileParser(DocumentFields job, List<SpecProblem> problems) {
        this.job = job;
        this.problems = problems;
    }

    /** The jobs of one document: one, or those of its array in order. */
    public static List<JobSpec> parse(JsonNode document) {
        return parse("", document);
    }

    /** @param path the position of the document in a larger one, empty for a document of its own */
    public static List<JobSpec> parse(String path, JsonNode document) {
        List<SpecProblem> problems = new ArrayList<>();
        DocumentFields fields = DocumentFields.of(path, document, problems);
        List<JobSpec> specs = problems.isEmpty() ? new JobFileParser(fields, problems).parse() : List.of();
        if (!problems.isEmpty()) {
            throw new SpecException(problems);
        }
        return specs;
    }

    private List<JobSpec> parse() {
        String run = run();
        int[] gpus = gpus();
        Map<String, String> env = env();
        job.oneOf("apiVersion", "v1", List.of("v1"));
        JobSpec one = new JobSpec(
                new JobSpec.JobLabels(
                        job.text("name", defaultName(run), text -> name(job.path("name"), text)),
                        job.text("queue", DEFAULT_QUEUE, text -> queue(job.path("queue"), text)),
                        JobClass.valueOf(job.oneOf("class", "batch", List.of("batch", "trial"))
                                .toUpperCase(Locale.ROOT))),
                new JobSpec.ResourceSpec(
                        gpus[0],
                        gpus[1],
                        job.list("accelerators", MAX_LIST, ValueForm.TEXT, this::accelerator),
                        job.isText("gpuMemory", "auto") ? 0 : (int) job.mebibytes("gpuMemory", 0, MAX_GPUS),
                        Math.round(job.number("cpus", 0, 0, MAX_GPUS) * 1000),
                        job.mebibytes("memory", 0, MAX_MEBIBYTES),
                        job.flag("splitBatch", false)),
                new JobSpec.SchedulingSpec(
                        job.millisOrNone("time"),
                        job.millisOrNone("limit"),
                        job.whole("priority", 0, -MAX_PRIORITY, MAX_PRIORITY),
                        job.flag("hold", false),
                        locality()),
                preempt(),
                checkpoint(),
                job.list("after", MAX_LIST, ValueForm.TEXT_OR_NUMBER, this::dependency),
                JobSpec.ArraySpec.NONE,
                new JobSpec.CommandSpec(
                        ranks(gpus),
                        env,
                        secrets(env),
                        workdir(),
                        run,
                        EngineSpecParser.parse(job),
                        ProgressSpecParser.parse(job.child("progress"))));
        ArrayRange array = job.textOrNumber(
                "array",
                new ArrayRange(new java.util.TreeSet<>(), 0),
                text -> ArrayRange.parse(job.path("array"), text));
        job.rejectUnknown();
        if (array.indexes().isEmpty()) {
            return List.of(one);
        }
        int size = array.indexes().size();
        return array.indexes().stream()
                .map(index -> one.inArray(new JobSpec.ArraySpec(index, size, array.maxRunning())))
                .toList();
    }

    private String run() {
        if (!job.has("run")) {
            job.reject("run", "is missing: the command line or script of the job");
        }
        return job.text("run", "", text -> {
            if (text.isBlank()) {
                throw new IllegalArgumentException(
                        job.path("run") + " must not be empty: it is the command of the job");
            }
            int bytes = text.getBytes(UTF_8).length;
            if (bytes > MAX_SCRIPT_BYTES) {
                throw new IllegalArgumentException(job.path("run") + " has " + bytes + " bytes; at most "
                        + MAX_SCRIPT_BYTES + " are allowed. Put the program into a file and run that.");
            }
            if (text.indexOf('\0') >= 0) {
                throw new IllegalArgumentException(job.path("run") + " must not contain a zero character");
            }
            return text;
        });
    }

    private int[] gpus() {
        if (!job.isMapping("gpus")) {
            int gpus = job.whole("gpus", 1, 1, MAX_GPUS);
            return new int[] {gpus, gpus};
        }
        DocumentFields range = job.child("gpus");
        int min = range.whole("min", 1, 1, MAX_GPUS);
        int max = range.whole("max", min, 1, MAX_GPUS);
        if (max < min) {
            range.reject("max", "must not be below min (" + min + ")");
        }
        range.rejectUnknown();
        return new int[] {min, Math.max(min, max)};
    }

    private int ranks(int[] gpus) {
        if (!job.has("ranks") || job.isNumber("ranks")) {
            return job.whole("ranks", 1, 1, MAX_RANKS);
        }
        if (job.isText("ranks", "nodes")) {
            return JobSpec.RANK_PER_NODE;
        }
        if (!job.isText("ranks", "gpus")) {
            job.reject(
                    "ranks",
                    "must be a number of processes, at most " + MAX_RANKS + ", or gpus or nodes for one on each");
        }
        if (gpus[1] > MAX_RANKS) {
            job.reject("ranks", "would be " + gpus[1] + " processes; at most " + MAX_RANKS + " are allowed");
        }
        return gpus[0] == gpus[1] ? gpus[0] : JobSpec.RANK_PER_GPU;
    }

    private JobSpec.LocalitySpec locality() {
        DocumentFields locality = job.child("locality");
        String scope = locality.has("want") && !locality.has("scope")
                ? JobSpec.LocalitySpec.scopeOfWant(locality.oneOf("want", "any", LOCALITY_SCOPES))
                : locality.oneOf("scope", JobSpec.LocalitySpec.DEFAULT.scope(), LOCALITY_SCOPES);
        long wait = locality.isText("wait", "auto")
                ? -1
                : locality.isText("wait", "none") ? 0 : locality.millis("wait", -1);
        locality.rejectUnknown();
        return new JobSpec.LocalitySpec(scope, wait);
    }

    private JobSpec.PreemptSpec preempt() {
        if (job.isText("preempt", "never")) {
            return new JobSpec.PreemptSpec(Job.DEFAULT_GRACE_MILLIS, 0, 0, "requeue");
        }
        DocumentFields preempt = job.child("preempt");
        JobSpec.PreemptSpec read = new JobSpec.PreemptSpec(
                preempt.millis("grace", Job.DEFAULT_GRACE_MILLIS),
                preempt.millis("minRuntime", 0),
                preempt.whole("maxTimes", Job.UNLIMITED_PREEMPTIONS, 0, Integer.MAX_VALUE),
                preempt.oneOf("onPreempt", "requeue", ON_PREEMPT),
                SuspendRule.of(preempt.oneOf("suspend", "auto", SuspendRule.WORDS)));
        preempt.rejectUnknown();
        return read;
    }

    private JobSpec.CheckpointSpec checkpoint() {
        DocumentFields checkpoint = job.child("checkpoint");
        JobSpec.CheckpointSpec read = new JobSpec.CheckpointSpec(
                checkpoint.text("signal", "TERM", text -> signal(checkpoint.path("signal"), text)),
                checkpoint.text("dir", DEFAULT_DIR, text -> {
                    String dir = boundedText(checkpoint.path("dir"), text, MAX_PATH);
                    if (List.of(dir.split("/", -1)).contains("..")) {
                        throw Quantity.invalid(
                                checkpoint.path("dir"), DocumentFields.abbreviate(dir), "must not lead upwards (..)");
                    }
                    return dir;
                }),
                checkpoint.millisOrNone("every"));
        checkpoint.rejectUnknown();
        return read;
    }

    private static String signal(String path, String text) {
        String name = text.strip().toUpperCase(Locale.ROOT);
        name = name.startsWith("SIG") ? name.substring(3) : name;
        if (!SIGNALS.contains(name)) {
            throw Quantity.invalid(
                    path, DocumentFields.abbreviate(text), "must be one of " + String.join(", ", SIGNALS));
        }
        return name;
    }

    private Dependency dependency(String text) {
        Matcher m = DEPENDENCY.matcher(text.strip());
        try {
            if (m.matches()) {
                String requirement = m.group(2) == null ? "success" : m.group(2);
                return new Dependency(
                        Long.parseLong(m.group(1)), Dependency.Condition.valueOf(requirement.toUpperCase(Locale.ROOT)));
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw Quantity.invalid(
                job.path("after"),
                DocumentFields.abbreviate(text),
                "must be a job id, or an id with how it must end: 123:success, 123:failure, 123:any");
    }

    private Map<String, String> env() {
        Map<String, String> env = new LinkedHashMap<>();
        long[] bytes = {0};
        job.entries("env", (name, value) -> {
            String path = job.path("env") + "." + DocumentFields.displayName(name);
            if (!ENV_NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(path + " is not a variable name: use letters, digits and _ only");
            }
            if (name.startsWith("FERMATA_") && !HELPER_VARIABLES.contains(name)) {
                throw new IllegalArgumentException(path + " cannot be set: names with FERMATA_ belong to the daemon");
            }
            if (value.indexOf('\0') >= 0) {
                throw new IllegalArgumentException(path + " must not contain a zero character");
            }
            bytes[0] += name.length() + value.getBytes(UTF_8).length;
            env.put(name, value);
        });
        if (env.size() > MAX_ENV || bytes[0] > MAX_ENV_BYTES) {
            problems.add(new SpecProblem(
                    job.path("env"),
                    job.path("env") + " is too large: at most " + MAX_ENV + " variables and " + MAX_ENV_BYTES
                            + " bytes in all"));
        }
        return env;
    }

    /** A wrong entry may be the secret itself: it is never shown. */
    private List<String> secrets(Map<String, String> env) {
        return job.list("secrets", MAX_ENV, ValueForm.HIDDEN, name -> {
            if (!env.containsKey(name)) {
                throw new IllegalArgumentException(
                        job.path("secrets") + " must be names of variables in env, and one of them is not");
            }
            return name;
        });
    }

    private String workdir() {
        return job.text("workdir", "", text -> {
            String dir = boundedText(job.path("workdir"), text, MAX_PATH);
            if (!dir.startsWith("/")) {
                throw Quantity.invalid(job.path("workdir"), DocumentFields.abbreviate(dir), "must be an absolute path");
            }
            return dir;
        });
    }

    private String accelerator(String text) {
        if (!ACCELERATOR.matcher(text.strip()).matches()) {
            throw Quantity.invalid(
                    job.path("accelerators"),
                    DocumentFields.abbreviate(text),
                    "must be names of GPU types such as H100");
        }
        return text.strip();
    }

    private static String boundedText(String path, String text, int max) {
        if (text.isBlank() || text.length() > max || !PlainText.isPlain(text)) {
            throw Quantity.invalid(
                    path,
                    DocumentFields.abbreviate(text),
                    "must have 1 to " + max + " characters and no control characters");
        }
        return text.strip();
    }

    /** The name of a job, valid for every client. */
    static String name(String what, String text) {
        return boundedText(what, text, MAX_NAME);
    }

    /** The path of a queue, valid for every client. */
    public static String queue(String what, String text) {
        if (!QUEUE.matcher(text.strip()).matches()) {
            throw Quantity.invalid(
                    what,
                    DocumentFields.abbreviate(text),
                    "must be a path such as research/nlp: letters, digits, _ . - and at most 8 levels");
        }
        return text.strip();
    }

    /** The default name of a job: the program it runs. */
    private static String defaultName(String run) {
        if (run.startsWith("#!")) {
            return "script";
        }
        String first = run.strip().split("\\s+", 2)[0];
        String name = first.substring(first.lastIndexOf('/') + 1).replaceAll("[^A-Za-z0-9_.-]", "");
        return name.isEmpty() ? "job" : name.substring(0, Math.min(name.length(), 64));
    }
}
