package dev.fermata.live.spec;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.core.model.After;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.text.Quantity;
import dev.fermata.live.spec.Fields.Form;
import dev.fermata.live.spec.SpecException.Problem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a job document, in the shape of the YAML job file, whichever door it comes through. Strict: what it does not know it
 * refuses, with a suggestion; and it names all mistakes at once. The JSON Schema beside it says the same for editors.
 */
public final class JobFile {
    public static final int MOST_SCRIPT_BYTES = 1 << 20;
    static final int MOST_GPUS = 1_000_000;
    /** Each is a process of its own; more of them would only keep a machine busy with starting them. */
    static final int MOST_RANKS = 1024;

    static final int MOST_NAME = 200;
    static final int MOST_PATH = 4096;
    static final int MOST_ENV = 1000;
    static final int MOST_ENV_BYTES = 256 * 1024;
    static final int MOST_LIST = 1000;
    static final int MOST_PRIORITY = 100_000;
    static final long MOST_MEBIBYTES = 1_000_000_000;
    static final List<String> SIGNALS = List.of("TERM", "USR1", "USR2", "INT");
    static final List<String> ON_PREEMPT = List.of("requeue", "hold", "cancel");
    static final List<String> NEARNESS = List.of("node", "rack", "any");
    static final String DEFAULT_QUEUE = "default";
    static final String DEFAULT_DIR = "checkpoints";

    /** The one name of ours that a job may set: it wants no Python path from us. */
    /** What users may say to the helper; all other names of ours are the daemon's. */
    private static final Set<String> FOR_THE_HELPER = Set.of("FERMATA_NO_PYTHONPATH", "FERMATA_PROFILE_STEPS");

    private static final Pattern QUEUE =
            Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}){0,7}");
    private static final Pattern ENV_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Pattern ACCELERATOR = Pattern.compile("[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}");
    private static final Pattern AFTER = Pattern.compile("([0-9]{1,18})(?::([A-Za-z]+))?");
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private final Fields job;
    private final List<Problem> problems;

    private JobFile(Fields job, List<Problem> problems) {
        this.job = job;
        this.problems = problems;
    }

    /** The jobs of one document: one, or those of its array in order. */
    public static List<JobSpec> read(JsonNode document) {
        return read("", document);
    }

    /** @param path where the document stands in a larger one, empty when it stands alone */
    public static List<JobSpec> read(String path, JsonNode document) {
        List<Problem> problems = new ArrayList<>();
        Fields fields = Fields.of(path, document, problems);
        List<JobSpec> specs = problems.isEmpty() ? new JobFile(fields, problems).read() : List.of();
        if (!problems.isEmpty()) {
            throw new SpecException(problems);
        }
        return specs;
    }

    private List<JobSpec> read() {
        String run = run();
        int[] gpus = gpus();
        Map<String, String> env = env();
        job.word("apiVersion", "v1", List.of("v1"));
        JobSpec one = new JobSpec(
                job.text("name", nameOf(run), text -> name(job.path("name"), text)),
                job.text("queue", DEFAULT_QUEUE, text -> queue(job.path("queue"), text)),
                JobClass.valueOf(
                        job.word("class", "batch", List.of("batch", "trial")).toUpperCase(Locale.ROOT)),
                gpus[0],
                gpus[1],
                job.list("accelerators", MOST_LIST, Form.TEXT, this::accelerator),
                job.isText("gpuMemory", "auto") ? 0 : (int) job.mebibytes("gpuMemory", 0, MOST_GPUS),
                Math.round(job.number("cpus", 0, 0, MOST_GPUS) * 1000),
                job.mebibytes("memory", 0, MOST_MEBIBYTES),
                job.millisOrNone("time"),
                job.millisOrNone("limit"),
                job.whole("priority", 0, -MOST_PRIORITY, MOST_PRIORITY),
                job.flag("hold", false),
                locality(),
                preempt(),
                checkpoint(),
                job.list("after", MOST_LIST, Form.TEXT_OR_NUMBER, this::after),
                JobSpec.Array.NONE,
                ranks(gpus),
                env,
                secrets(env),
                workdir(),
                run);
        ArrayRange array = job.plain(
                "array",
                new ArrayRange(new java.util.TreeSet<>(), 0),
                text -> ArrayRange.parse(job.path("array"), text));
        job.refuseOthers();
        if (array.indexes().isEmpty()) {
            return List.of(one);
        }
        int size = array.indexes().size();
        return array.indexes().stream()
                .map(index -> one.inArray(new JobSpec.Array(index, size, array.atMost())))
                .toList();
    }

    private String run() {
        if (!job.has("run")) {
            job.wrong("run", "is missing: the command line or script of the job");
        }
        return job.text("run", "", text -> {
            if (text.isBlank()) {
                throw new IllegalArgumentException(job.path("run") + " must not be empty: it is what the job does");
            }
            int bytes = text.getBytes(UTF_8).length;
            if (bytes > MOST_SCRIPT_BYTES) {
                throw new IllegalArgumentException(job.path("run") + " has " + bytes + " bytes; at most "
                        + MOST_SCRIPT_BYTES + " are allowed. Put the program into a file and run that.");
            }
            if (text.indexOf('\0') >= 0) {
                throw new IllegalArgumentException(job.path("run") + " must not contain a zero character");
            }
            return text;
        });
    }

    private int[] gpus() {
        if (!job.isMapping("gpus")) {
            int gpus = job.whole("gpus", 1, 1, MOST_GPUS);
            return new int[] {gpus, gpus};
        }
        Fields range = job.below("gpus");
        int min = range.whole("min", 1, 1, MOST_GPUS);
        int max = range.whole("max", min, 1, MOST_GPUS);
        if (max < min) {
            range.wrong("max", "must not be below min (" + min + ")");
        }
        range.refuseOthers();
        return new int[] {min, Math.max(min, max)};
    }

    private int ranks(int[] gpus) {
        if (!job.has("ranks") || job.isNumber("ranks")) {
            return job.whole("ranks", 1, 1, MOST_RANKS);
        }
        if (!job.isText("ranks", "gpus")) {
            job.wrong("ranks", "must be a number of processes, at most " + MOST_RANKS + ", or gpus for one on each");
        }
        if (gpus[1] > MOST_RANKS) {
            job.wrong("ranks", "would be " + gpus[1] + " processes; at most " + MOST_RANKS + " are allowed");
        }
        return gpus[0] == gpus[1] ? gpus[0] : JobSpec.RANK_PER_GPU;
    }

    private JobSpec.Locality locality() {
        Fields locality = job.below("locality");
        String want = locality.word("want", "any", NEARNESS);
        long wait = locality.isText("wait", "auto")
                ? -1
                : locality.isText("wait", "none") ? 0 : locality.millis("wait", -1);
        locality.refuseOthers();
        return new JobSpec.Locality(want, wait);
    }

    private JobSpec.Preempt preempt() {
        Fields preempt = job.below("preempt");
        JobSpec.Preempt read = new JobSpec.Preempt(
                preempt.millis("grace", Job.DEFAULT_GRACE_MILLIS),
                preempt.millis("minRuntime", 0),
                preempt.whole("maxTimes", Job.UNLIMITED_PREEMPTIONS, 0, Integer.MAX_VALUE),
                preempt.word("onPreempt", "requeue", ON_PREEMPT));
        preempt.refuseOthers();
        return read;
    }

    private JobSpec.Checkpoint checkpoint() {
        Fields checkpoint = job.below("checkpoint");
        JobSpec.Checkpoint read = new JobSpec.Checkpoint(
                checkpoint.text("signal", "TERM", text -> signal(checkpoint.path("signal"), text)),
                checkpoint.text("dir", DEFAULT_DIR, text -> {
                    String dir = plain(checkpoint.path("dir"), text, MOST_PATH);
                    if (List.of(dir.split("/", -1)).contains("..")) {
                        throw Quantity.wrong(checkpoint.path("dir"), Fields.cut(dir), "must not lead upwards (..)");
                    }
                    return dir;
                }),
                checkpoint.millisOrNone("every"));
        checkpoint.refuseOthers();
        return read;
    }

    private static String signal(String path, String text) {
        String name = text.strip().toUpperCase(Locale.ROOT);
        name = name.startsWith("SIG") ? name.substring(3) : name;
        if (!SIGNALS.contains(name)) {
            throw Quantity.wrong(path, Fields.cut(text), "must be one of " + String.join(", ", SIGNALS));
        }
        return name;
    }

    private After after(String text) {
        Matcher m = AFTER.matcher(text.strip());
        try {
            if (m.matches()) {
                String wanted = m.group(2) == null ? "success" : m.group(2);
                return new After(Long.parseLong(m.group(1)), After.Wanted.valueOf(wanted.toUpperCase(Locale.ROOT)));
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw Quantity.wrong(
                job.path("after"),
                Fields.cut(text),
                "must be a job id, or an id with how it must end: 123:success, 123:failure, 123:any");
    }

    private Map<String, String> env() {
        Map<String, String> env = new LinkedHashMap<>();
        long[] bytes = {0};
        job.entries("env", (name, value) -> {
            String path = job.path("env") + "." + Fields.name(name);
            if (!ENV_NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(path + " is no name for a variable: letters, digits and _ only");
            }
            if (name.startsWith("FERMATA_") && !FOR_THE_HELPER.contains(name)) {
                throw new IllegalArgumentException(path + " cannot be set: names with FERMATA_ belong to the daemon");
            }
            if (value.indexOf('\0') >= 0) {
                throw new IllegalArgumentException(path + " must not contain a zero character");
            }
            bytes[0] += name.length() + value.getBytes(UTF_8).length;
            env.put(name, value);
        });
        if (env.size() > MOST_ENV || bytes[0] > MOST_ENV_BYTES) {
            problems.add(new Problem(
                    job.path("env"),
                    job.path("env") + " is too large: at most " + MOST_ENV + " variables and " + MOST_ENV_BYTES
                            + " bytes in all"));
        }
        return env;
    }

    /** What stands here by mistake may be the secret itself: it is not shown. */
    private List<String> secrets(Map<String, String> env) {
        return job.list("secrets", MOST_ENV, Form.HIDDEN, name -> {
            if (!env.containsKey(name)) {
                throw new IllegalArgumentException(
                        job.path("secrets") + " must be names of variables in env, and one of them is not");
            }
            return name;
        });
    }

    private String workdir() {
        return job.text("workdir", "", text -> {
            String dir = plain(job.path("workdir"), text, MOST_PATH);
            if (!dir.startsWith("/")) {
                throw Quantity.wrong(job.path("workdir"), Fields.cut(dir), "must be an absolute path");
            }
            return dir;
        });
    }

    private String accelerator(String text) {
        if (!ACCELERATOR.matcher(text.strip()).matches()) {
            throw Quantity.wrong(job.path("accelerators"), Fields.cut(text), "must be names of GPU types such as H100");
        }
        return text.strip();
    }

    private static String plain(String path, String text, int most) {
        if (text.isBlank() || text.length() > most || CONTROL.matcher(text).find()) {
            throw Quantity.wrong(
                    path, Fields.cut(text), "must have 1 to " + most + " characters and no control characters");
        }
        return text.strip();
    }

    /** The name of a job, as every door accepts it. */
    static String name(String what, String text) {
        return plain(what, text, MOST_NAME);
    }

    /** The path of a queue, as every door accepts it. */
    public static String queue(String what, String text) {
        if (!QUEUE.matcher(text.strip()).matches()) {
            throw Quantity.wrong(
                    what,
                    Fields.cut(text),
                    "must be a path such as research/nlp: letters, digits, _ . - and at most 8 levels");
        }
        return text.strip();
    }

    /** What a job without a name is called: the program it runs. */
    private static String nameOf(String run) {
        if (run.startsWith("#!")) {
            return "script";
        }
        String first = run.strip().split("\\s+", 2)[0];
        String name = first.substring(first.lastIndexOf('/') + 1).replaceAll("[^A-Za-z0-9_.-]", "");
        return name.isEmpty() ? "job" : name.substring(0, Math.min(name.length(), 64));
    }
}
