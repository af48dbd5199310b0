package dev.fermata.engine.slurm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A job as Slurm's controller has it.
 *
 * @param startMillis when it began, 0 for never; while it waits, when it may begin
 * @param endMillis when it ended, 0 for not yet; while it runs, when its time is over
 * @param shares what it holds, by node; while it runs
 * @param exit a shell's exit code, 128 and more for a signal
 * @param isPlaced whether it was ever given nodes
 * @param isThrottled whether it is a task of an array of which only some may run at a time
 */
record SlurmJob(
        long id,
        String state,
        String reason,
        String comment,
        String user,
        long startMillis,
        long endMillis,
        Map<String, Share> shares,
        int exit,
        SlurmRequest request,
        boolean isPlaced,
        boolean isThrottled) {
    private static final Pattern NODE = Pattern.compile("\\bNodes=(\\S+) CPU_IDs=(\\S*) Mem=(\\d*)\\S* GRES=(\\S*)");
    private static final Pattern GPU = Pattern.compile("gpu(?::[^:(,]+)?:\\d+\\((?:IDX|CNT):([0-9,-]+)\\)");

    /**
     * What it holds on one node.
     *
     * @param gpus the indices of its GPUs there
     */
    record Share(List<Integer> gpus, int cpus, long memoryMib) {
        Share {
            gpus = List.copyOf(gpus);
        }
    }

    SlurmJob {
        shares = Map.copyOf(shares);
    }

    /** How a state counts here. */
    enum Phase {
        /** Not begun; it holds no GPUs, or is about to. */
        WAITING,
        RUNNING,
        /** Its processes are being ended; it still holds its GPUs. */
        ENDING,
        ENDED
    }

    Phase phase() {
        return switch (state) {
            case "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD" ->
                Phase.WAITING;
            case "RUNNING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING" -> Phase.RUNNING;
            case "COMPLETING", "STAGE_OUT" -> Phase.ENDING;
            default -> Phase.ENDED;
        };
    }

    /** The job of a line of {@code scontrol --oneliner --detail show job}; null where the line is none. */
    static @Nullable SlurmJob parse(String line) {
        if (!line.startsWith("JobId=")) {
            return null;
        }
        OneLine job = OneLine.parse(line);
        Map<String, Share> shares = new LinkedHashMap<>();
        Matcher node = NODE.matcher(line);
        while (node.find()) {
            Matcher gpu = GPU.matcher(node.group(4));
            List<Integer> indices = new ArrayList<>();
            while (gpu.find()) {
                HostList.expand("[" + gpu.group(1) + "]").forEach(index -> indices.add(Integer.parseInt(index)));
            }
            String cpus = node.group(2);
            Share share = new Share(
                    indices,
                    cpus.isEmpty() ? 0 : HostList.expand("[" + cpus + "]").size(),
                    node.group(3).isEmpty() ? 0 : Long.parseLong(node.group(3)));
            HostList.expand(node.group(1)).forEach(name -> shares.put(name, share));
        }
        String user = job.get("UserId");
        return new SlurmJob(
                job.number("JobId", 0),
                job.get("JobState"),
                job.get("Reason"),
                job.get("Comment"),
                user.substring(0, Math.max(0, user.indexOf('('))),
                job.number("StartTime", 0) * 1000,
                job.number("EndTime", 0) * 1000,
                shares,
                exitCode(job.get("ExitCode")),
                SlurmRequest.of(job),
                !job.get("NodeList").isEmpty(),
                job.number("ArrayTaskThrottle", 0) > 0);
    }

    /** The job of a line of sacct: id, state, exit code, start and user. */
    static @Nullable SlurmJob parseRecord(String line) {
        String[] words = line.split("\\|", -1);
        if (words.length < 5 || !words[0].matches("[0-9]{1,18}")) {
            return null;
        }
        String state = words[1].split(" ", -1)[0]; // CANCELLED by 1000
        long start = words[3].matches("[0-9]{1,12}") ? Long.parseLong(words[3]) * 1000 : 0;
        return new SlurmJob(
                Long.parseLong(words[0]),
                state,
                "",
                "",
                words[4],
                start,
                0,
                Map.of(),
                exitCode(words[2]),
                SlurmRequest.of(OneLine.parse("")),
                start > 0,
                false);
    }

    /** {@code CODE:SIGNAL} as a shell's exit code. */
    private static int exitCode(String text) {
        String[] parts = text.split(":", -1);
        int signal = parts.length == 2 ? Integer.parseInt(parts[1]) : 0;
        int code = parts[0].isEmpty() ? 0 : Integer.parseInt(parts[0]);
        return signal > 0 ? 128 + signal : code;
    }
}
