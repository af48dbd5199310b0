package dev.fermata.cli.input.sbatch;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Translates directives of Slurm into fields of the job file. */
final class SbatchTranslation {
    private static final Pattern SIGNAL = Pattern.compile("(?:[RB]+:)?(?:SIG)?([A-Za-z0-9]+)(?:@(\\d+))?");
    private static final Pattern SWITCHES = Pattern.compile("(\\d+)(?:@(.+))?");
    private static final Map<String, String> SIGNALS = Map.of("2", "INT", "10", "USR1", "12", "USR2", "15", "TERM");
    private static final long DEFAULT_GRACE_SECONDS = 60;

    /** Without meaning for a job that is already being submitted, or true here anyway. */
    private static final Set<String> IGNORED =
            new TreeSet<>(List.of("ignore-pbs", "parsable", "quiet", "verbose", "kill-on-invalid-dep", "get-user-env"));

    private final ObjectNode job = JsonNodeFactory.instance.objectNode();
    private final List<String> warnings = new ArrayList<>();
    private final SbatchResources size = new SbatchResources();
    private final Map<String, String> environment;
    private boolean carriesPaths = true;

    SbatchTranslation(SbatchHeader header, Map<String, String> environment) {
        this.environment = environment;
        header.directives().forEach(this::apply);
        size.addTo(job, header, warnings);
    }

    ObjectNode job() {
        return job;
    }

    List<String> warnings() {
        return warnings;
    }

    boolean carriesPaths() {
        return carriesPaths;
    }

    private void apply(SbatchDirective d) {
        if (size.accept(d, warnings) || IGNORED.contains(d.name())) {
            return;
        }
        switch (d.name()) {
            case "job-name" -> job.put("name", d.value());
            case "partition" -> queue(d);
            case "time" -> SlurmTime.seconds(d, d.value()).ifPresent(seconds -> job.put("limit", seconds + "s"));
            case "array" -> job.put("array", d.value());
            case "dependency" -> SbatchDependencies.addTo(job, d, warnings);
            case "requeue" -> preempt().put("onPreempt", "requeue");
            case "no-requeue" -> preempt().put("maxTimes", 0);
            case "signal" -> signal(d);
            case "switches" -> switches(d);
            case "hold" -> job.put("hold", true);
            case "priority" -> job.put("priority", d.integer(0));
            case "nice" -> job.put("priority", d.value().isEmpty() ? -100 : -d.integer(Integer.MIN_VALUE + 1));
            case "chdir", "workdir" -> job.put("workdir", d.value());
            case "export" -> export(d);
            case "output", "error" ->
                warnings.add(d.location() + " (" + d.value()
                        + ") is not written: output is kept by the daemon, see it with fermata logs ID"
                        + (d.name().equals("error") ? " --stderr" : ""));
            case "comment" -> warnings.add(d.location() + " is not kept; --job-name is what others see");
            case "begin" ->
                warnings.add(d.location() + " (" + d.value()
                        + ") is ignored: it may start at once; submit it with --hold and release it later");
            case "wait" -> warnings.add(d.location() + " is ignored here: fermata submit --wait");
            case "test-only" -> warnings.add(d.location() + " is ignored here: fermata submit --dry-run");
            case "constraint", "prefer" ->
                warnings.add(d.location() + " (" + d.value()
                        + ") is ignored; GPU types are chosen with --accelerators or --gres=gpu:TYPE:N");
            default ->
                warnings.add(d.location() + (d.value().isEmpty() ? "" : " (" + d.value() + ")")
                        + " has no counterpart here and is ignored");
        }
    }

    private void queue(SbatchDirective d) {
        String[] queues = d.value().split(",", -1);
        job.put("queue", queues[0]);
        if (queues.length > 1) {
            warnings.add(d.location() + " (" + d.value() + ") names several; a job has one queue: '" + queues[0] + "'");
        }
    }

    private void signal(SbatchDirective d) {
        Matcher m = SIGNAL.matcher(d.value());
        if (!m.matches()) {
            throw d.error("must be [B:]SIGNAL[@SECONDS], such as B:USR1@120");
        }
        String word = m.group(1).toUpperCase(Locale.ROOT);
        String name = SIGNALS.getOrDefault(word, word);
        if (!SIGNALS.containsValue(name)) {
            warnings.add(d.location() + " (" + d.value()
                    + "): the signal to save must be TERM, USR1, USR2 or INT, so TERM is sent");
            name = "TERM";
        }
        job.withObjectProperty("checkpoint").put("signal", name);
        preempt().put("grace", (m.group(2) == null ? DEFAULT_GRACE_SECONDS : Long.parseLong(m.group(2))) + "s");
    }

    private void switches(SbatchDirective d) {
        Matcher m = SWITCHES.matcher(d.value());
        if (!m.matches()) {
            throw d.error("must be COUNT or COUNT@TIME, such as 1@00:10:00");
        }
        if (!m.group(1).equals("1")) {
            warnings.add(d.location() + " (" + d.value()
                    + ") is ignored: a job may request GPUs behind one switch, not behind several");
            return;
        }
        ObjectNode locality = job.withObjectProperty("locality");
        locality.put("scope", "rack");
        if (m.group(2) != null) {
            SlurmTime.seconds(d, m.group(2)).ifPresent(seconds -> locality.put("wait", seconds + "s"));
        }
    }

    private void export(SbatchDirective d) {
        for (String part : d.value().split(",", -1)) {
            int equals = part.indexOf('=');
            switch (part) {
                case "NONE", "NIL" -> carriesPaths = false;
                case "ALL" ->
                    warnings.add(d.location() + " (ALL): only the search paths (PATH and the like) go with the job;"
                            + " name what else it needs: --export=NAME or --env NAME");
                default -> {
                    String name = equals < 0 ? part : part.substring(0, equals);
                    String value = equals < 0 ? environment.get(name) : part.substring(equals + 1);
                    if (value == null) {
                        warnings.add(d.location() + ": variable '" + name + "' is not set here; left out");
                    } else if (!name.isEmpty()) {
                        job.withObjectProperty("env").put(name, value);
                    }
                }
            }
        }
    }

    private ObjectNode preempt() {
        return job.withObjectProperty("preempt");
    }
}
