package dev.fermata.cli.daemon;

import dev.fermata.cli.client.ClientPaths;
import dev.fermata.cli.client.ProgramName;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.PolicyNames;
import dev.fermata.cli.option.Version;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.QueuesFile;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.DataFolder;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.api.SelfSignedCertificate;
import dev.fermata.live.engine.EngineProviders;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.retention.HistoryRetention.RetentionSettings;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.WordWrap;
import dev.fermata.web.PageFiles;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata up}: the daemon, in the foreground, until Ctrl-C. */
@Command(
        name = "up",
        description = "Start the daemon: it takes jobs and runs them on the GPUs of this machine, until Ctrl-C.",
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
public final class UpCommand extends FermataCommand {
    private static final long POLL_MILLIS = 1000;
    private static final long STOP_TIMEOUT_SECONDS = 30;
    private static final Pattern STORE = Pattern.compile("sqlite(:.+)?|postgres(ql)?://.+");
    private static final List<String> RUN_AS = List.of("auto", "daemon");
    private static final List<String> LOCAL_USERS = List.of("user", "viewer", "none");

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "7070",
            description = "The port to listen on; 0 for any free port (default: ${DEFAULT-VALUE}).")
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
            description = "Its folder: store, attempts, logs (default: ~/.local/share/fermata).")
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
            description =
                    "What runs the jobs: local, this machine; slurm; or an engine of a plugin (default: ${DEFAULT-VALUE}).")
    private String engine;

    @Option(
            names = "--gpus",
            paramLabel = "GPUS",
            defaultValue = "auto",
            description =
                    "auto, or virtual:N[:TYPE] for virtual ones (default: ${DEFAULT-VALUE}; without GPUs: virtual:8).")
    private String gpus;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            defaultValue = "fermata",
            completionCandidates = PolicyNames.class,
            description =
                    "Which jobs run, where, and which are paused for them; see 'fermata policies' (default: ${DEFAULT-VALUE}).")
    private String policy;

    @Option(names = "--shadow", description = "Decide and record, but start and stop nothing.")
    private boolean shadow;

    @Option(
            names = "--abandon",
            description = "Give up attempts of a data folder or machine that is gone: start their jobs again here.")
    private boolean abandon;

    @Option(
            names = "--node-loss",
            paramLabel = "TIME",
            defaultValue = "0s",
            description = "After so long without contact, attempts on a node count as lost and start elsewhere;"
                    + " 0s, the default, for never.")
    private String nodeLoss;

    @Option(
            names = "--keep-jobs",
            paramLabel = "TIME",
            defaultValue = "730d",
            description = "Ended jobs and their history are removed after this time (default: ${DEFAULT-VALUE}).")
    private String keepJobs;

    @Option(
            names = "--keep-audit",
            paramLabel = "TIME",
            defaultValue = "730d",
            description = "Rows of the audit log are removed after this time (default: ${DEFAULT-VALUE}).")
    private String keepAudit;

    @Option(
            names = "--queues",
            paramLabel = "FILE",
            description = "Rules of queues (YAML); without it the rules of the last start hold.")
    private @Nullable Path queues;

    @Option(
            names = "--unknown-queues",
            description = "Jobs may name queues without a rule also when other queues have rules.")
    private boolean unknownQueues;

    @Option(
            names = "--profile-first",
            description = "Of jobs without a profile, let one run a few steps first while GPUs are short;"
                    + " the others wait for its profile, 2m at most.")
    private boolean profileFirst;

    @Option(
            names = "--run-as",
            paramLabel = "ACCOUNT",
            defaultValue = "auto",
            description =
                    "auto: jobs run as the account that submitted, where that is allowed; daemon: as this one (default: ${DEFAULT-VALUE}).")
    private String runAs;

    @Option(
            names = "--local-users",
            paramLabel = "ROLE",
            defaultValue = "user",
            description = "What other accounts of this machine may do without a token, where jobs run under their own"
                    + " accounts: user, viewer or none (default: ${DEFAULT-VALUE}).")
    private String localUsers;

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
            description = "Further host names that clients may use.")
    private @Nullable List<String> hosts;

    @Option(names = "--open-metrics", description = "/metrics needs no token.")
    private boolean openMetrics;

    @Option(names = "--quiet", description = "Print only the address.")
    private boolean quiet;

    @Option(names = "--verbose", description = "Stack traces with errors.")
    boolean verbose;

    public UpCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        GpuChoice choice = GpuChoice.of(gpus, invocation.environment());
        DaemonSettings settings = settings(choice);
        List<QueueRule> rules = queueRules();
        Interruption interruption = invocation.interruption();
        long began = System.nanoTime();
        int running;
        String problem;
        try (DaemonProcess daemonProcess = DaemonProcess.open(settings, rules, invocation.environment())) {
            interruption.setTimeout(STOP_TIMEOUT_SECONDS);
            printWelcome(daemonProcess, choice, (System.nanoTime() - began) / 1e9);
            boolean waited = daemonProcess.isStandby();
            while (daemonProcess.isAlive() && !interruption.sleep(POLL_MILLIS)) {
                if (waited && !daemonProcess.isStandby() && daemonProcess.isAlive()) {
                    waited = false;
                    printLine("leads", "the other daemon is gone; this one has taken over");
                    out().flush();
                }
            }
            running = daemonProcess.runningJobs();
            problem = daemonProcess.problem();
        }
        if (!interruption.isRequested()) {
            throw UserError.failed("the daemon has stopped: " + problem + "\nJobs go on; '" + ProgramName.TYPED
                    + " up' finds them again.");
        }
        out().println("Stopped." + (running == 0 ? "" : " " + continuingJobsText(running)));
        out().flush();
        return ExitCode.INTERRUPTED;
    }

    private @Nullable List<QueueRule> queueRules() {
        Path file = queues;
        return file == null
                ? null
                : UserError.wrapInvalid(
                        () -> QueuesFile.read(invocation.folder().resolve(file)));
    }

    private static String continuingJobsText(int running) {
        return running == 1
                ? "1 job goes on; '" + ProgramName.TYPED + " up' finds it again."
                : HumanFormat.count(running) + " jobs go on; '" + ProgramName.TYPED + " up' finds them again.";
    }

    private DaemonSettings settings(GpuChoice choice) {
        if (!EngineProviders.names().contains(engine)) {
            throw UserError.invalid(
                    "--engine (" + engine + ") is unknown." + Suggestion.didYouMean(engine, EngineProviders.names()));
        }
        if (port < 0 || port > 65535) {
            throw UserError.invalid("--port (" + port + ") must be 0 to 65535");
        }
        if (!STORE.matcher(store).matches()) {
            throw UserError.invalid("--store (" + store + ") must be sqlite, or postgresql://user@host/database");
        }
        if (tls != null && !tls.equals("auto")) {
            throw UserError.invalid(
                    "--tls (" + tls + ") must be auto; a certificate of yours is given by --tls-cert and --tls-key");
        }
        if ((certificate == null) != (key == null)) {
            throw UserError.invalid("--tls-cert and --tls-key belong together: give both");
        }
        if (!RUN_AS.contains(runAs)) {
            throw UserError.invalid("--run-as (" + runAs + ") is unknown." + Suggestion.didYouMean(runAs, RUN_AS));
        }
        if (!LOCAL_USERS.contains(localUsers)) {
            throw UserError.invalid(
                    "--local-users (" + localUsers + ") is unknown." + Suggestion.didYouMean(localUsers, LOCAL_USERS));
        }
        Path folder = invocation.folder();
        Path place = data == null ? ClientPaths.dataFolder(invocation.environment()) : folder.resolve(data);
        if (Files.exists(place) && !Files.isDirectory(place)) {
            throw UserError.invalid("--data (" + place + ") is a file; it must be a folder, or the name of a new one");
        }
        ApiSettings api = ApiSettings.local(port)
                .withBind(bind, tls(place, folder))
                .withHosts(hosts == null ? List.of() : hosts)
                .withLocalUsers(localUsers.equals("none") ? null : Role.valueOf(localUsers.toUpperCase(Locale.ROOT)));
        return DaemonSettings.forDataFolder(place)
                .withStore(store)
                .withRetention(UserError.wrapInvalid(() -> new RetentionSettings(
                        Quantity.millis("--keep-jobs", keepJobs), Quantity.millis("--keep-audit", keepAudit))))
                .withEngine(engine)
                .withGpus(choice.gpus())
                .withRunAs(runAs)
                .withPolicy(policy)
                .withShadow(shadow)
                .withLoop(LoopSettings.DEFAULT
                        .withCautiousPauses()
                        .withAbandon(abandon)
                        .withUnknownQueues(unknownQueues)
                        .withNodeLoss(UserError.wrapInvalid(() -> Quantity.millis("--node-loss", nodeLoss)))
                        .withProfileWait(profileFirst ? LoopSettings.PROFILE_WAIT_MILLIS : 0))
                .withPage(PageFiles.load())
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
        DataFolder.create(place);
        return SelfSignedCertificate.forFolder(place, List.copyOf(names));
    }

    private void printWelcome(DaemonProcess daemonProcess, GpuChoice choice, double seconds) {
        Screen screen = invocation.screen();
        out().println(screen.bold("Fermata " + Version.number() + " is up at " + daemonProcess.url()) + "  (ready in "
                + HumanFormat.time(seconds) + ")");
        if (daemonProcess.isStandby()) {
            printLine("standby", "another daemon leads; this one takes over when it is gone");
        }
        if (!quiet) {
            printLine("GPUs", daemonProcess.gpusText());
            printLine("", choice.remark());
            printLine("policy", policy + (shadow ? ", shadow mode: it decides and records, and starts nothing" : ""));
            printLine("store", daemonProcess.store());
            printLine("jobs", daemonProcess.jobsText());
            daemonProcess.notices().forEach(notice -> printLine("note", notice));
        }
        daemonProcess.firstToken().ifPresent(token -> {
            printLine("token", token);
            printLine("", "for its first administrator, shown this once. Your own clients on this machine need none.");
        });
        if (!quiet) {
            out().println();
            out().println("In another terminal:");
            out().println("  " + ProgramName.TYPED + " submit --gpus 1 -- python train.py");
            out().println("  " + ProgramName.TYPED + " top");
            out().println("  " + ProgramName.TYPED
                    + " web                                  # the page in a browser, logged in");
            out().println("Ctrl-C stops the daemon. Jobs go on, and the next 'up' finds them again.");
        }
        out().flush();
    }

    private void printLine(String label, String text) {
        if (!text.isEmpty()) {
            WordWrap.wrap(
                            "  " + String.format("%-8s", label) + text,
                            invocation.screen().columns())
                    .forEach(out()::println);
        }
    }
}
