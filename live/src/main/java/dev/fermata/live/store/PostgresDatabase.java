package dev.fermata.live.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server. The leadership is an advisory lock of the writing connection, which the server releases when that
 * connection ends. Every call has a timeout: a server that does not answer counts as lost.
 */
final class PostgresDatabase implements Database {
    private static final int READERS = 8;
    private static final int CONNECT_SECONDS = 5;
    private static final int ANSWER_SECONDS = 20;
    private static final int SCHEMA_MILLIS = 600_000;
    /** The first half of the keys of the advisory locks; the second half names the lock. */
    private static final int LOCKS = 0x6665726d;

    private static final String LEAD_KEYS = LOCKS + ", hashtext('lead ' || current_schema())";

    private final PostgresAddress address;
    private final HikariDataSource readers;
    private final HikariDataSource ownReader;
    private @Nullable Connection leading;

    PostgresDatabase(PostgresAddress address) {
        this.address = address;
        this.readers = pool("fermata-readers", READERS);
        this.ownReader = pool("fermata-own-reader", 1);
    }

    private Properties settings() {
        Properties settings = new Properties();
        settings.setProperty("ApplicationName", "fermata");
        settings.setProperty("connectTimeout", String.valueOf(CONNECT_SECONDS));
        settings.setProperty("loginTimeout", String.valueOf(2 * CONNECT_SECONDS));
        settings.setProperty("socketTimeout", String.valueOf(ANSWER_SECONDS));
        settings.setProperty("tcpKeepAlive", "true");
        settings.setProperty("reWriteBatchedInserts", "true");
        settings.setProperty("logServerErrorDetail", "false");
        settings.putAll(address.properties());
        return settings;
    }

    private HikariDataSource pool(String name, int max) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address.url());
        config.setDataSourceProperties(settings());
        config.setPoolName(name);
        config.setReadOnly(true);
        config.setMaximumPoolSize(max);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(CONNECT_SECONDS * 1000L);
        config.setValidationTimeout(2000);
        // The writer's connection reports a failure at the start.
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    @Override
    public String address() {
        return address.displayUrl();
    }

    @Override
    public Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(address.url(), settings());
        try (Statement statement = connection.createStatement()) {
            // Timeouts of the server: a daemon that crashed or hangs must not keep the leadership.
            statement.execute(
                    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3;"
                            + " SET idle_in_transaction_session_timeout = '30s'; SET statement_timeout = '"
                            + (ANSWER_SECONDS - 5)
                            + "s'");
            // Commits are synchronous, whatever the server's default is; a stricter setting is kept.
            statement.execute("SELECT set_config('synchronous_commit', 'on', false)"
                    + " WHERE current_setting('synchronous_commit') = 'off'");
            try (ResultSet result = statement.executeQuery("SHOW server_encoding")) {
                result.next();
                if (!result.getString(1).equals("UTF8")) {
                    throw new StoreException(
                            address + " stores text as " + result.getString(1)
                                    + "; fermata needs UTF8 (createdb -E UTF8 -T template0)",
                            false);
                }
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public DataSource readers() {
        return readers;
    }

    @Override
    public DataSource dedicatedReader() {
        return ownReader;
    }

    @Override
    public String toDialect(String sql) {
        return sql.replace("{key}", "BIGINT PRIMARY KEY")
                .replace("{serial}", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY");
    }

    @Override
    public void lockSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL statement_timeout = " + SCHEMA_MILLIS);
            statement.execute("SELECT pg_advisory_xact_lock(" + LOCKS + ", hashtext('schema ' || current_schema()))");
        }
    }

    @Override
    public boolean tryLead(Connection connection) throws SQLException {
        if (leading == connection) {
            return true;
        }
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT pg_try_advisory_lock(" + LEAD_KEYS + ")")) {
            result.next();
            boolean got = result.getBoolean(1);
            if (got) {
                leading = connection;
            }
            return got;
        }
    }

    @Override
    public void releaseLead() {
        Connection held = leading;
        leading = null;
        if (held == null) {
            return;
        }
        try (Statement statement = held.createStatement()) {
            statement.execute("SELECT pg_advisory_unlock(" + LEAD_KEYS + ")");
        } catch (SQLException e) {
            close(held);
        }
    }

    /** The server releases the lock of a connection that ends. */
    private static void close(Connection held) {
        try {
            held.close();
        } catch (SQLException e) {
            // The connection is lost either way.
        }
    }

    /** In words of its own: the server's and the driver's messages may hold the rows of a statement, secrets included. */
    @Override
    public StoreException toStoreException(String operation, SQLException failure) {
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        String type = state.length() < 2 ? "" : state.substring(0, 2);
        SQLException cause = withoutMessage(failure, state);
        if (state.equals("53100")) {
            return new StoreException("the disk of " + address + " is full", true, cause);
        }
        if (type.equals("28")) {
            return new StoreException(
                    address + " refuses this login. Give user and password in the address, or the password in"
                            + " FERMATA_STORE_PASSWORD.",
                    false,
                    cause);
        }
        if (state.equals("3D000")) {
            return new StoreException(
                    address + ": there is no such database on this server (createdb makes one)", false, cause);
        }
        return switch (type) {
            case "08", "57", "" ->
                new StoreException(
                        "cannot " + operation + ": no connection to " + address + " (" + describe(state) + ")",
                        true,
                        cause);
            case "25", "40", "53", "55", "58" ->
                new StoreException("cannot " + operation + " at the moment: " + describe(state), true, cause);
            default -> new StoreException("cannot " + operation + ": " + describe(state), false, cause);
        };
    }

    private static String describe(String state) {
        String meaning = switch (state) {
            case "08001" -> "it does not accept connections";
            case "08003", "08006" -> "the connection broke";
            case "40001", "40P01" -> "it conflicts with another transaction";
            case "42501" -> "this database user has no permission";
            case "53300" -> "the server has too many connections";
            case "55P03" -> "another transaction holds a lock";
            case "57014" -> "the statement took too long";
            case "57P01", "57P02", "57P03" -> "the server is starting or stopping";
            default -> "";
        };
        String code = state.isEmpty() ? "no SQLState" : "SQLState " + state;
        return meaning.isEmpty() ? code : meaning + ", " + code;
    }

    /** The place of a failure without its words, for the log. */
    private static SQLException withoutMessage(SQLException failure, String state) {
        SQLException bare = new SQLException(failure.getClass().getSimpleName(), state);
        bare.setStackTrace(failure.getStackTrace());
        return bare;
    }

    @Override
    public void close() {
        readers.close();
        ownReader.close();
    }
}
