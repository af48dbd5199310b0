package dev.fermata.cli.client;

import dev.fermata.insight.exit.UserError;

/** No daemon answers at the address. */
final class DaemonUnreachable {
    private DaemonUnreachable() {}

    static UserError userError(DaemonAddress address, String why, Throwable cause) {
        return UserError.unreachable(
                "no daemon at " + address + ": " + why + ".\n"
                        + (address.explicit()
                                ? "Is the address right, and is the daemon up?"
                                : "Start one with: " + ProgramName.TYPED + " up   (or name another by --url)"),
                cause);
    }
}
