package dev.fermata.live.access;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import jdk.net.ExtendedSocketOptions;

/**
 * The account at the other end of a Unix socket, as the kernel names it. It cannot be forged.
 *
 * @param name the name of the account; its number when it has no name
 * @param self whether it is the account of this process
 * @param root whether it is root
 */
public record PeerAccount(String name, boolean self, boolean root) {
    /** The name of the daemon's socket in its data folder. */
    public static final String SOCKET = "api.sock";

    private static final Path PROCESS = Path.of("/proc/self");

    /** The account that opened the other end of this connection, or listens there. */
    public static PeerAccount of(SocketChannel channel) throws IOException {
        UserPrincipal peer =
                channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        UserPrincipalLookupService accounts = FileSystems.getDefault().getUserPrincipalLookupService();
        UserPrincipal self = Files.exists(PROCESS)
                ? Files.getOwner(PROCESS)
                : accounts.lookupPrincipalByName(System.getProperty("user.name"));
        return new PeerAccount(peer.getName(), peer.equals(self), peer.equals(accounts.lookupPrincipalByName("0")));
    }

    /** Whether the account has a name, so that it can own jobs. */
    public boolean isNamed() {
        return !name.chars().allMatch(Character::isDigit);
    }

    /** Whether it may do what this process may. */
    public boolean isTrusted() {
        return self || root;
    }
}
