package dev.fermata.app.input.sbatch;

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

/** Says the directives of Slurm in the words of the job file. */
final class Translation {
    private static final Pattern SIGNAL = Pattern.compile("(?:[RB]+:)?(?:SIG)?([A-Za-z0-9]+)(?:@(\\d+))?");
    private static final Pattern SWITCHES = Pattern.compile("(\\d+)(?:@(.+))?");
    private static final Map<String, String> SIGNALS = Map.of("2", "INT", "10", "USR1", "12", "USR2", "15", "TERM");
    private static final long USUAL_WARNING_SECONDS = 60;

    /** Without meaning for a job that is already being submitted, or true here anyway. */
    private static final Set<String> NOTHING_TO_SAY =
            new TreeSet<>(List.of("ignore-pbs", "parsable", "quiet", "verbose", "kill-on-invalid-dep", "get-user-env"));

    private final ObjectNode job = JsonNodeFactory.instance.objectNode();
    private final List<String> warnings = new ArrayList<>();
    private final Size size = new Size();
    private final Map<String, String> environment;
    private boolean carriesPaths = true;

    Translation(Header header, Map<String, String> environment) {
        this.environment = environment;
        header.directives().forEach(this::take);
        size.into(job, header, warnings);
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

    private void take(Directive d) {
        if (size.take(d, warnings) || NOTHING_TO_SAY.contains(d.name())) {
            return;
        }
        switch (d.name()) {
            case "job-name" -> job.put("name", d.value());
            case "partition" -> queue(d);
            case "time" -> SlurmTime.seconds(d, d.value()).ifPresent(seconds -> job.put("limit", seconds + "s"));
            case "array" -> job.put("array", d.value());
            case "dependency" -> Dependencies.into(job, d, warnings);
            case "requeue" -> preempt().put("onPreempt", "requeue");
            case "no-requeue" -> preempt().put("maxTimes", 0);
            case "signal" -> signal(d);
            case "switches" -> switches(d);
            case "hold" -> job.put("hold", true);
            case "priority" -> job.put("priority", d.whole(0));
            case "nice" -> job.put("priority", d.value().isEmpty() ? -100 : -d.whole(Integer.MIN_VALUE + 1));
            case "chdir", "workdir" -> job.put("workdir", d.value());
            case "export" -> export(d);
            case "output", "error" ->
                warnings.add(d.where() + " (" + d.value()
                        + ") is not written: output is kept by the daemon, see it with fermata logs ID"
                        + (d.name().equals("error") ? " --stderr" : ""));
            case "comment" -> warnings.add(d.where() + " is not kept; --job-name is what others see");
            case "begin" ->
                warnings.add(d.where() + " (" + d.value()
                        + ") is ignored: it may start at once; submit it with --hold and release it later");
            case "wait" -> warnings.add(d.where() + " is ignored here: fermata submit --wait");
            case "test-only" -> warnings.add(d.where() + " is ignored here: fermata submit --dry-run");
            case "constraint", "prefer" ->
                warnings.add(d.where() + " (" + d.value()
                        + ") is ignored; GPU types are chosen with --accelerators or --gres=gpu:TYPE:N");
            default ->
                warnings.add(d.where() + (d.value().isEmpty() ? "" : " (" + d.value() + ")")
                        + " has no counterpart here and is ignored");
        }
    }

    private void queue(Directive d) {
        String[] queues = d.value().split(",", -1);
        job.put("queue", queues[0]);
        if (queues.length > 1) {
            warnings.add(d.where() + " (" + d.value() + ") names several; a job has one queue: '" + queues[0] + "'");
        }
    }

    private void signal(Directive d) {
        Matcher m = SIGNAL.matcher(d.value());
        if (!m.matches()) {
            throw d.wrong("must be [B:]SIGNAL[@SECONDS], such as B:USR1@120");
        }
        String word = m.group(1).toUpperCase(Locale.ROOT);
        String name = SIGNALS.getOrDefault(word, word);
        if (!SIGNALS.containsValue(name)) {
            warnings.add(d.where() + " (" + d.value()
                    + "): jobs are asked to save by TERM, USR1, USR2 or INT, so TERM is sent");
            name = "TERM";
        }
        job.withObjectProperty("checkpoint").put("signal", name);
        preempt().put("grace", (m.group(2) == null ? USUAL_WARNING_SECONDS : Long.parseLong(m.group(2))) + "s");
    }

    private void switches(Directive d) {
        Matcher m = SWITCHES.matcher(d.value());
        if (!m.matches()) {
            throw d.wrong("must be COUNT or COUNT@TIME, such as 1@00:10:00");
        }
        if (!m.group(1).equals("1")) {
            warnings.add(d.where() + " (" + d.value()
                    + ") is ignored: a job may ask for GPUs behind one switch, not behind several");
            return;
        }
        ObjectNode locality = job.withObjectProperty("locality");
        locality.put("want", "rack");
        if (m.group(2) != null) {
            SlurmTime.seconds(d, m.group(2)).ifPresent(seconds -> locality.put("wait", seconds + "s"));
        }
    }

    private void export(Directive d) {
        for (String part : d.value().split(",", -1)) {
            int equals = part.indexOf('=');
            switch (part) {
                case "NONE", "NIL" -> carriesPaths = false;
                case "ALL" ->
                    warnings.add(d.where() + " (ALL): only the search paths (PATH and the like) go with the job;"
                            + " name what else it needs: --export=NAME or --env NAME");
                default -> {
                    String name = equals < 0 ? part : part.substring(0, equals);
                    String value = equals < 0 ? environment.get(name) : part.substring(equals + 1);
                    if (value == null) {
                        warnings.add(d.where() + ": variable '" + name + "' is not set here; left out");
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
