package dev.fermata.cli.input.sbatch;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The options of sbatch: long names, options without a value, and short letters. */
final class SbatchOptions {
    private static final Map<Character, String> LETTERS = letters(
            "A account",
            "a array",
            "B extra-node-info",
            "b begin",
            "C constraint",
            "c cpus-per-task",
            "D chdir",
            "d dependency",
            "e error",
            "F nodefile",
            "G gpus",
            "H hold",
            "i input",
            "J job-name",
            "k no-kill",
            "L licenses",
            "M clusters",
            "m distribution",
            "N nodes",
            "n ntasks",
            "O overcommit",
            "o output",
            "p partition",
            "Q quiet",
            "q qos",
            "S core-spec",
            "s oversubscribe",
            "t time",
            "v verbose",
            "W wait",
            "w nodelist",
            "x exclude");

    private static final Set<String> WITHOUT_VALUE = names(
            "contiguous",
            "disable-stdout-job-summary",
            "hold",
            "ignore-pbs",
            "no-kill",
            "no-requeue",
            "overcommit",
            "oversubscribe",
            "parsable",
            "quiet",
            "reboot",
            "requeue",
            "spread-job",
            "test-only",
            "use-min-nodes",
            "verbose",
            "wait");

    /** Those whose value must be joined by an equals sign. */
    private static final Set<String> VALUE_IF_JOINED =
            names("exclusive", "get-user-env", "kill-on-invalid-dep", "nice", "propagate");

    private static final Set<String> WITH_VALUE = names(
            "account",
            "acctg-freq",
            "array",
            "batch",
            "bb",
            "bbf",
            "begin",
            "chdir",
            "cluster-constraint",
            "clusters",
            "comment",
            "constraint",
            "container",
            "container-id",
            "core-spec",
            "cores-per-socket",
            "cpu-freq",
            "cpus-per-gpu",
            "cpus-per-task",
            "deadline",
            "delay-boot",
            "dependency",
            "distribution",
            "error",
            "exclude",
            "export",
            "export-file",
            "extra",
            "extra-node-info",
            "gid",
            "gpu-bind",
            "gpu-freq",
            "gpus",
            "gpus-per-node",
            "gpus-per-socket",
            "gpus-per-task",
            "gres",
            "gres-flags",
            "hint",
            "input",
            "job-name",
            "licenses",
            "mail-type",
            "mail-user",
            "mcs-label",
            "mem",
            "mem-bind",
            "mem-per-cpu",
            "mem-per-gpu",
            "mincpus",
            "network",
            "nodefile",
            "nodelist",
            "nodes",
            "ntasks",
            "ntasks-per-core",
            "ntasks-per-gpu",
            "ntasks-per-node",
            "ntasks-per-socket",
            "open-mode",
            "output",
            "partition",
            "power",
            "prefer",
            "priority",
            "profile",
            "qos",
            "reservation",
            "resv-ports",
            "segment",
            "signal",
            "sockets-per-node",
            "switches",
            "thread-spec",
            "threads-per-core",
            "time",
            "time-min",
            "tmp",
            "tres-bind",
            "tres-per-task",
            "uid",
            "wait-all-nodes",
            "wckey",
            "workdir",
            "wrap");

    private SbatchOptions() {}

    static boolean takesNoValue(String name) {
        return WITHOUT_VALUE.contains(name);
    }

    /** Whether the next word may be its value. */
    static boolean takesNextWord(String name) {
        return WITH_VALUE.contains(name);
    }

    /** The long name of a letter; empty for no letter of sbatch. */
    static String ofLetter(char letter) {
        return LETTERS.getOrDefault(letter, "");
    }

    static Set<String> all() {
        Set<String> all = new TreeSet<>(WITH_VALUE);
        all.addAll(WITHOUT_VALUE);
        all.addAll(VALUE_IF_JOINED);
        return all;
    }

    private static Set<String> names(String... names) {
        return new TreeSet<>(List.of(names));
    }

    private static Map<Character, String> letters(String... pairs) {
        Map<Character, String> letters = new LinkedHashMap<>();
        Arrays.stream(pairs).forEach(pair -> letters.put(pair.charAt(0), pair.substring(2)));
        return letters;
    }
}
