package dev.fermata.app.client;

import dev.fermata.app.exit.Complaint;

/** There is no daemon where one was looked for. */
final class Unreachable {
    private Unreachable() {}

    static Complaint because(Address address, String why, Throwable cause) {
        return Complaint.unreachable(
                "no daemon at " + address + ": " + why + ".\n"
                        + (address.asked()
                                ? "Is the address right, and is the daemon up?"
                                : "Start one with: ./fermata up   (or name another by --url)"),
                cause);
    }
}
