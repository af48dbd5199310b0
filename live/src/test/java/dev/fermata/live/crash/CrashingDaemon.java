package dev.fermata.live.crash;

import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.model.Costs;
import dev.fermata.live.Daemon;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.conductor.ConductorSettings;
import java.io.IOException;
import java.nio.file.Path;

/** A whole daemon for somebody to kill. Says address and token when it is ready, and ends when nobody holds its input any more. */
final class CrashingDaemon {
    private CrashingDaemon() {}

    public static void main(String[] args) throws IOException {
        ConductorSettings conductor = ConductorSettings.DEFAULT
                .withGuard(
                        GuardMode.FULL) // the ledger is recounted after every step, the first one after a restart too
                .withImageEveryLines(50)
                .withCosts(new Costs(10, 10, 0, 0));
        DaemonSettings settings = DaemonSettings.in(Path.of(args[0]))
                .withStore(args[1])
                .withGpus("virtual:3")
                .withRunAs("daemon")
                .withPolicy("fitgpp")
                .withApi(ApiSettings.local(0))
                .withConductor(conductor);
        Daemon daemon = Daemon.start(settings, "crash");
        String token = daemon.tokens()
                .issue(System.getProperty("user.name"), Role.OPERATOR, "crash", -1)
                .token();
        Thread end = new Thread(
                () -> {
                    String why = daemon.awaitEnd();
                    if (!why.isEmpty()) {
                        System.out.println("STOPPED " + why);
                        Runtime.getRuntime().halt(9);
                    }
                },
                "watch");
        end.setDaemon(true);
        end.start();
        System.out.println("READY " + daemon.url() + " " + token);
        System.out.flush();
        while (System.in.read() >= 0) {
            // until the other side lets go
        }
        daemon.close();
        System.out.println("CLOSED");
    }
}
