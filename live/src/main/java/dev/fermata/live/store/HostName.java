package dev.fermata.live.store;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of this host, read once. */
final class HostName {
    static final String NAME = name();

    private HostName() {}

    private static String name() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
