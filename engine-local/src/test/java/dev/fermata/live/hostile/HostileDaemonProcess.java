package dev.fermata.live.hostile;

import dev.fermata.live.Daemon;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.ApiSettings;
import java.io.IOException;
import java.nio.file.Path;

/** The daemon under attack, a process of its own. It prints its address and a token of each person in {@link Person}. */
final class HostileDaemonProcess {
    private HostileDaemonProcess() {}

    /** @param args the data folder, the store, and the account of jobs ({@code auto} or {@code daemon}) */
    public static void main(String[] args) throws IOException {
        DaemonSettings settings = DaemonSettings.forDataFolder(Path.of(args[0]))
                .withStore(args[1])
                .withGpus("virtual:8")
                .withRunAs(args[2])
                .withApi(ApiSettings.local(0).withLocalUsers(Role.USER));
        Daemon daemon = Daemon.start(settings, "hostile");
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
        StringBuilder ready = new StringBuilder("READY ").append(daemon.url());
        for (Person person : Person.values()) {
            Role role = person.role;
            ready.append(' ')
                    .append(daemon.tokens()
                            .issue(person.user, role, "hostile suite", -1)
                            .token());
        }
        System.out.println(ready);
        System.out.flush();
        while (System.in.read() >= 0) {
            // until the input is closed
        }
        daemon.close();
    }
}
