package dev.fermata.app.cli.daemon;

import dev.fermata.app.cli.PolicyNames;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Places;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.house.GpuChoice;
import dev.fermata.app.house.House;
import dev.fermata.app.input.QueuesFile;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Screen;
import dev.fermata.app.output.Words;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.policy.Suggest;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.DataFolder;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.api.SelfSigned;
import dev.fermata.live.conductor.ConductorSettings;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata up}: the daemon, in the foreground, until Ctrl-C. */
@Command(
        name = "up",
        description = "Start the daemon: it takes jobs and runs them on the GPUs of this machine, until Ctrl-C.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Stopping it does not stop the jobs: the next 'up' on the same data folder finds them again.",
            "",
            "Examples:",
            "  fermata up",
            "  fermata up --gpus virtual:8:H100 --policy fermata",
            "  fermata up --port 0 --data run1",
            "  fermata up --store postgresql://fermata@db/fermata --bind 0.0.0.0 --tls-cert cert.pem --tls-key key.pem"
        })
public final class Up implements Callable<Integer> {
    private static final long LOOK_MILLIS = 1000;
    private static final long TO_STOP_SECONDS = 30;
    private static final List<String> ENGINES = List.of("local", "slurm", "kubernetes");

    private static final Pattern STORE = Pattern.compile("sqlite(:.+)?|postgres(ql)?://.+");
    private static final List<String> RUN_AS = List.of("auto", "daemon");

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "7070",
            description = "Where it listens; 0 for any free port (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "Anything but loopback needs TLS (default: ${DEFAULT-VALUE}).")
    private String bind;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Its folder: store, runs, logs (default: ~/.local/share/fermata).")
    private @Nullable Path data;

    @Option(
            names = "--store",
            paramLabel = "STORE",
            defaultValue = "sqlite",
            description = "sqlite, or postgresql://user@host/db (default: ${DEFAULT-VALUE}).")
    private String store;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            defaultValue = "local",
            description = "What runs the jobs: local, this machine (default: ${DEFAULT-VALUE}).")
    private String engine;

    @Option(
            names = "--gpus",
            paramLabel = "GPUS",
            defaultValue = "auto",
            description = "auto, or virtual:N[:TYPE] to pretend (default: ${DEFAULT-VALUE}; without GPUs: virtual:8).")
    private String gpus;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            defaultValue = "fermata",
            completionCandidates = PolicyNames.class,
            description = "Who runs, where, at whose cost; see 'fermata policies' (default: ${DEFAULT-VALUE}).")
    private String policy;

    @Option(names = "--shadow", description = "Decide and record, touch nothing.")
    private boolean shadow;

    @Option(
            names = "--abandon",
            description =
                    "Give up jobs that run elsewhere, at a data folder or machine that is gone: start them anew here.")
    private boolean abandon;

    @Option(
            names = "--queues",
            paramLabel = "FILE",
            description = "Rules of queues (YAML); without it those of the last time hold.")
    private @Nullable Path queues;

    @Option(
            names = "--profile-first",
            description = "Of a kind of jobs that nobody has seen, let one run a few steps first while GPUs are short;"
                    + " the others wait for its profile, 2m at most.")
    private boolean profileFirst;

    @Option(
            names = "--run-as",
            paramLabel = "WHO",
            defaultValue = "auto",
            description =
                    "auto: jobs run as the account that submitted, where that is allowed; daemon: as this one (default: ${DEFAULT-VALUE}).")
    private String runAs;

    @Option(names = "--tls", paramLabel = "auto", description = "auto: use TLS with a certificate made here.")
    private @Nullable String tls;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "Certificate chain (PEM).")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "Its private key (PEM).")
    private @Nullable Path key;

    @Option(
            names = "--allow-host",
            paramLabel = "NAME",
            split = ",",
            description = "Further names by which clients may call it.")
    private @Nullable List<String> hosts;

    @Option(names = "--open-metrics", description = "/metrics needs no token.")
    private boolean openMetrics;

    @Option(names = "--quiet", description = "Say only where it listens.")
    private boolean quiet;

    @Option(names = "--verbose", description = "Stack traces with errors.")
    boolean verbose;

    Up(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        GpuChoice choice = GpuChoice.of(gpus, surroundings.environment());
        DaemonSettings settings = settings(choice);
        List<QueueRule> rules = rules();
        Interruption interruption = surroundings.interruption();
        long began = System.nanoTime();
        int running;
        String trouble;
        try (House house = House.open(settings, rules, surroundings.environment())) {
            interruption.allow(TO_STOP_SECONDS);
            welcome(house, choice, (System.nanoTime() - began) / 1e9);
            boolean waited = house.waitsForAnother();
            while (house.alive() && !interruption.pause(LOOK_MILLIS)) {
                if (waited && !house.waitsForAnother() && house.alive()) {
                    waited = false;
                    line("leads", "the other daemon is gone; this one has taken over");
                    out().flush();
                }
            }
            running = house.runningJobs();
            trouble = house.trouble();
        }
        if (!interruption.asked()) {
            throw Complaint.failed(
                    "the daemon has stopped: " + trouble + "\nJobs go on; './fermata up' finds them again.");
        }
        out().println("Stopped." + (running == 0 ? "" : " " + goOn(running)));
        out().flush();
        return ExitCode.INTERRUPTED;
    }

    private @Nullable List<QueueRule> rules() {
        Path file = queues;
        return file == null
                ? null
                : Complaint.ifInvalid(
                        () -> QueuesFile.read(surroundings.folder().resolve(file)));
    }

    private static String goOn(int running) {
        return running == 1
                ? "1 job goes on; './fermata up' finds it again."
                : Humane.count(running) + " jobs go on; './fermata up' finds them again.";
    }

    private DaemonSettings settings(GpuChoice choice) {
        if (!engine.equals("local")) {
            throw Complaint.invalid(
                    ENGINES.contains(engine)
                            ? "--engine (" + engine
                                    + ") is not there yet: this version runs jobs on the machine it is on (--engine local)"
                            : "--engine (" + engine + ") is unknown." + Suggest.among(engine, ENGINES));
        }
        if (port < 0 || port > 65535) {
            throw Complaint.invalid("--port (" + port + ") must be 0 to 65535");
        }
        if (!STORE.matcher(store).matches()) {
            throw Complaint.invalid("--store (" + store + ") must be sqlite, or postgresql://user@host/database");
        }
        if (tls != null && !tls.equals("auto")) {
            throw Complaint.invalid(
                    "--tls (" + tls + ") must be auto; a certificate of yours is given by --tls-cert and --tls-key");
        }
        if ((certificate == null) != (key == null)) {
            throw Complaint.invalid("--tls-cert and --tls-key belong together: give both");
        }
        if (!RUN_AS.contains(runAs)) {
            throw Complaint.invalid("--run-as (" + runAs + ") is unknown." + Suggest.among(runAs, RUN_AS));
        }
        Path folder = surroundings.folder();
        Path place = data == null ? Places.data(surroundings.environment()) : folder.resolve(data);
        if (Files.exists(place) && !Files.isDirectory(place)) {
            throw Complaint.invalid("--data (" + place + ") is a file; it must be a folder, or the name of a new one");
        }
        ApiSettings api =
                ApiSettings.local(port).withBind(bind, tls(place, folder)).withHosts(hosts == null ? List.of() : hosts);
        return DaemonSettings.in(place)
                .withStore(store)
                .withGpus(choice.gpus())
                .withRunAs(runAs)
                .withPolicy(policy)
                .withShadow(shadow)
                .withConductor(ConductorSettings.DEFAULT
                        .withAbandon(abandon)
                        .withProfileWait(profileFirst ? ConductorSettings.PROFILE_WAIT_MILLIS : 0))
                .withApi(openMetrics ? api.withOpenMetrics() : api);
    }

    private ApiSettings.@Nullable Tls tls(Path place, Path folder) {
        if (certificate != null && key != null) {
            return new ApiSettings.Tls.Pem(folder.resolve(certificate), folder.resolve(key));
        }
        if (tls == null) {
            return null;
        }
        List<String> names = new ArrayList<>(List.of("localhost", "127.0.0.1"));
        try {
            names.add(InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            // A machine without a name is called by its address.
        }
        if (hosts != null) {
            names.addAll(hosts);
        }
        DataFolder.make(place);
        return SelfSigned.in(place, List.copyOf(names));
    }

    private void welcome(House house, GpuChoice choice, double seconds) {
        Screen screen = surroundings.screen();
        out().println(screen.strong("Fermata " + Version.number() + " is up at " + house.url()) + "  (ready in "
                + Humane.time(seconds) + ")");
        if (house.waitsForAnother()) {
            line("standby", "another daemon leads; this one takes over when it is gone");
        }
        if (!quiet) {
            line("GPUs", house.gpus());
            line("", choice.remark());
            line("policy", policy + (shadow ? ", as a shadow: it decides and records, and touches nothing" : ""));
            line("store", house.store());
            line("jobs", house.jobs());
            house.remarks().forEach(remark -> line("note", remark));
        }
        house.firstToken().ifPresent(token -> {
            line("token", token);
            line("", "for its first administrator, shown this once. Your own clients on this machine need none.");
        });
        if (!quiet) {
            out().println();
            out().println("In another terminal:");
            out().println("  ./fermata submit --gpus 1 -- python train.py");
            out().println("  ./fermata top");
            out().println("Ctrl-C stops the daemon. Jobs go on, and the next 'up' finds them again.");
        }
        out().flush();
    }

    private void line(String label, String text) {
        if (!text.isEmpty()) {
            Words.wrap(
                            "  " + String.format("%-8s", label) + text,
                            surroundings.screen().columns())
                    .forEach(out()::println);
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
