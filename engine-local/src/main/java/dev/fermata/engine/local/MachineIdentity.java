package dev.fermata.engine.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The identity of this machine. */
final class MachineIdentity {
    private MachineIdentity() {}

    /** Stays the same after a reboot and a rename; empty where the system has none, as in most containers. */
    static String id() {
        try {
            return Files.readString(Path.of("/etc/machine-id")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    static String name() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
