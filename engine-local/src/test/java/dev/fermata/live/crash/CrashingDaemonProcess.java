package dev.fermata.live.crash;

import dev.fermata.core.model.Costs;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.live.Daemon;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.ApiSettings;
import dev.fermata.live.loop.LoopSettings;
import java.io.IOException;
import java.nio.file.Path;

/** A whole daemon for a test to kill. It prints address and token when it is ready, and exits when its input is closed. */
final class CrashingDaemonProcess {
    private CrashingDaemonProcess() {}

    public static void main(String[] args) throws IOException {
        LoopSettings loop = LoopSettings.DEFAULT
                .withGuard(
                        GuardMode.FULL) // the cluster state is checked after every cycle, the first one after a restart
                // too
                .withSnapshotEveryEntries(50)
                .withAssumedCosts(new Costs(10, 10, 0, 0));
        DaemonSettings settings = DaemonSettings.forDataFolder(Path.of(args[0]))
                .withStore(args[1])
                .withGpus("virtual:3")
                .withRunAs("daemon")
                .withPolicy("fitgpp")
                .withApi(ApiSettings.local(0))
                .withLoop(loop);
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
            // until the input is closed
        }
        daemon.close();
        System.out.println("CLOSED");
    }
}
