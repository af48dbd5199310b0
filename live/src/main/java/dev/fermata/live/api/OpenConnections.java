package dev.fermata.live.api;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open connections, and limits for all of them and for those of one caller. A new connection is never refused: above a
 * limit the oldest one without a known caller is closed for it. Connections that say nothing drive out each other, not others.
 */
final class OpenConnections implements Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(OpenConnections.class);

    /** An open connection; {@code caller} is empty until a token or account is known. */
    private static final class OpenConnection {
        private String caller = "";
    }

    private final int inAll;
    private final int perCaller;
    private final Map<Connection, OpenConnection> open = new LinkedHashMap<>();
    private final Map<String, Integer> ofCaller = new HashMap<>();

    /**
     * @param inAll the most connections
     * @param perCaller the most connections of one token or account
     */
    OpenConnections(int inAll, int perCaller) {
        this.inAll = inAll;
        this.perCaller = perCaller;
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof SslConnection) {
            return; // the connection inside it counts
        }
        Connection close = null;
        synchronized (this) {
            open.put(connection, new OpenConnection());
            if (open.size() > inAll) {
                close = oldest(connection, one -> one.caller.isEmpty());
                close = close == null ? oldest(connection, one -> true) : close;
            }
        }
        end(close);
    }

    /** Notes whose connection it is. */
    void identify(Connection connection, String caller) {
        Connection close = null;
        synchronized (this) {
            OpenConnection known = open.get(connection);
            if (known == null || known.caller.equals(caller)) {
                return;
            }
            forget(known);
            known.caller = caller;
            if (ofCaller.merge(caller, 1, Integer::sum) > perCaller) {
                close = oldest(connection, one -> one.caller.equals(caller));
            }
        }
        end(close);
    }

    @Override
    public void onClosed(Connection connection) {
        synchronized (this) {
            OpenConnection gone = open.remove(connection);
            if (gone != null) {
                forget(gone);
            }
        }
    }

    /** Whether it is open, so that an answer on it can be written. */
    synchronized boolean isOpen(Connection connection) {
        return open.containsKey(connection);
    }

    synchronized int count() {
        return open.size();
    }

    private void forget(OpenConnection connection) {
        if (!connection.caller.isEmpty()) {
            ofCaller.computeIfPresent(
                    connection.caller, (name, count) -> count > 1 ? Integer.valueOf(count - 1) : null);
        }
    }

    /** The oldest such connection other than this one; it no longer counts. */
    private @Nullable Connection oldest(Connection other, Predicate<OpenConnection> which) {
        Iterator<Map.Entry<Connection, OpenConnection>> all = open.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Connection, OpenConnection> one = all.next();
            if (one.getKey() != other && which.test(one.getValue())) {
                all.remove();
                forget(one.getValue());
                return one.getKey();
            }
        }
        return null;
    }

    private static void end(@Nullable Connection connection) {
        if (connection != null) {
            LOG.debug("connection of {}: closed for a newer one", address(connection));
            connection.getEndPoint().close();
        }
    }

    private static String address(Connection connection) {
        SocketAddress remote = connection.getEndPoint().getRemoteSocketAddress();
        return remote instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : "local socket";
    }
}
