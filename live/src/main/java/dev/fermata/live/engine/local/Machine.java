package dev.fermata.live.engine.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which machine this is. */
final class Machine {
    private Machine() {}

    /** Survives a restart and a new name; empty where the system has none, as in most containers. */
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
