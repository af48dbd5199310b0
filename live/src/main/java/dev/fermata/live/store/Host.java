package dev.fermata.live.store;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The name of this machine, asked once. */
final class Host {
    static final String NAME = name();

    private Host() {}

    private static String name() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
