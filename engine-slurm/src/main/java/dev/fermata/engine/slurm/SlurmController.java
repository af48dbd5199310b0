package dev.fermata.engine.slurm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What Slurm's controller knows and does, as values. State is read for all jobs or nodes by one command, in the text form that
 * every version prints alike.
 */
final class SlurmController {
    private final SlurmCommands commands;

    SlurmController(SlurmCommands commands) {
        this.commands = commands;
    }

    SlurmCommands commands() {
        return commands;
    }

    /** All jobs that it remembers, those of others too. */
    List<SlurmJob> jobs() throws IOException, InterruptedException {
        return commands.read("scontrol", "--oneliner", "--detail", "--all", "show", "job")
                .lines()
                .map(SlurmJob::parse)
                .filter(Objects::nonNull)
                .toList();
    }

    /** What the accounting database has of jobs that the controller has forgotten. */
    JobListing recordsOf(List<Long> ids) throws IOException, InterruptedException {
        String text = commands.read(
                "sacct",
                "--noheader",
                "--parsable2",
                "--allocations",
                "--starttime=now-30days",
                "--jobs=" + String.join(",", ids.stream().map(String::valueOf).toList()),
                "--format=JobIDRaw,State,ExitCode,Start,User");
        return JobListing.of(
                0,
                text.lines().map(SlurmJob::parseRecord).filter(Objects::nonNull).toList());
    }

    List<SlurmNode> nodes() throws IOException, InterruptedException {
        return commands.read("scontrol", "--oneliner", "--all", "show", "node")
                .lines()
                .map(SlurmNode::parse)
                .filter(Objects::nonNull)
                .toList();
    }

    /** The leaf switches with their nodes; none without topology.conf. */
    Map<String, List<String>> leafSwitches() throws IOException, InterruptedException {
        Map<String, List<String>> switches = new LinkedHashMap<>();
        String text;
        try {
            text = commands.read("scontrol", "--oneliner", "show", "topology");
        } catch (SlurmException e) {
            if (e.mayPass()) {
                throw e;
            }
            return switches;
        }
        for (String line : text.lines().toList()) {
            OneLine values = OneLine.parse(line);
            if (values.get("Level").equals("0")) {
                switches.put(values.get("SwitchName"), HostList.expand(values.get("Nodes")));
            }
        }
        return switches;
    }

    Map<String, SlurmPartition> partitions() throws IOException, InterruptedException {
        Map<String, SlurmPartition> partitions = new LinkedHashMap<>();
        for (String line : commands.read("scontrol", "--oneliner", "--all", "show", "partition")
                .lines()
                .toList()) {
            SlurmPartition partition = SlurmPartition.parse(line);
            if (!partition.name().isEmpty()) {
                partitions.put(partition.name(), partition);
            }
        }
        return partitions;
    }

    /** Its configuration, by key. */
    Map<String, String> config() throws IOException, InterruptedException {
        Map<String, String> config = new LinkedHashMap<>();
        for (String line : commands.read("scontrol", "show", "config").lines().toList()) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                config.putIfAbsent(
                        line.substring(0, equals).strip(),
                        line.substring(equals + 1).strip());
            }
        }
        return config;
    }

    /** Submits a batch job and returns its id. */
    long submit(List<String> arguments, Map<String, String> variables) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("sbatch", "--parsable"));
        command.addAll(arguments);
        String answer = commands.execute(command, variables).strip();
        String id = answer.split(";", -1)[0];
        if (!id.matches("[0-9]{1,18}")) {
            throw new SlurmException("sbatch: its answer (" + answer + ") has no job id", true);
        }
        return Long.parseLong(id);
    }

    /** Ends jobs, begun or not. */
    void cancel(List<Long> ids) throws IOException, InterruptedException {
        if (!ids.isEmpty()) {
            scancel("--quiet", ids);
        }
    }

    /** Ends a job unless it has begun. */
    void cancelPending(long id) throws IOException, InterruptedException {
        scancel("--state=PENDING", List.of(id));
    }

    /** Signals the batch script of a running job. */
    void signalBatch(long id, String signal) throws IOException, InterruptedException {
        commands.execute(List.of("scancel", "--batch", "--signal=" + signal, Long.toString(id)), Map.of());
    }

    /** Signals the steps of a running job on all of its nodes. */
    void signalSteps(long id, String signal) throws IOException, InterruptedException {
        commands.execute(List.of("scancel", "--signal=" + signal, Long.toString(id)), Map.of());
    }

    private void scancel(String option, List<Long> ids) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("scancel", option));
        ids.forEach(id -> command.add(Long.toString(id)));
        commands.execute(command, Map.of());
    }
}
