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
 * A PostgreSQL server. The lead is an advisory lock of the connection that writes: the server frees it when that connection
 * ends, however it ends. Nothing waits for ever: a server that does not answer is a lost one.
 */
final class PostgresDatabase implements Database {
    private static final int READERS = 8;
    private static final int CONNECT_SECONDS = 5;
    private static final int ANSWER_SECONDS = 20;
    private static final int SCHEMA_MILLIS = 600_000;
    /** The first half of the names of our locks; the second half says which. */
    private static final int LOCKS = 0x6665726d;

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
        settings.putAll(address.properties());
        return settings;
    }

    private HikariDataSource pool(String name, int most) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address.url());
        config.setDataSourceProperties(settings());
        config.setPoolName(name);
        config.setReadOnly(true);
        config.setMaximumPoolSize(most);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(CONNECT_SECONDS * 1000L);
        config.setValidationTimeout(2000);
        // The writer's connection says what is wrong at the start.
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    @Override
    public String address() {
        return address.shown();
    }

    @Override
    public Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(address.url(), settings());
        try (Statement statement = connection.createStatement()) {
            // What the server does about a daemon that is gone or hangs: it must not keep the lead from the next one.
            statement.execute(
                    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3;"
                            + " SET idle_in_transaction_session_timeout = '30s'; SET statement_timeout = '"
                            + (ANSWER_SECONDS - 5)
                            + "s'");
            // Durable means durable, whatever the default of this server is; a stricter one is left alone.
            statement.execute("SELECT set_config('synchronous_commit', 'on', false)"
                    + " WHERE current_setting('synchronous_commit') = 'off'");
            try (ResultSet result = statement.executeQuery("SHOW server_encoding")) {
                result.next();
                if (!result.getString(1).equals("UTF8")) {
                    throw new StoreException(
                            address + " keeps text as " + result.getString(1)
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
    public DataSource ownReader() {
        return ownReader;
    }

    @Override
    public String spelled(String sql) {
        return sql.replace("{key}", "BIGINT PRIMARY KEY")
                .replace("{serial}", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY");
    }

    @Override
    public void reserveSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL statement_timeout = " + SCHEMA_MILLIS);
            statement.execute("SELECT pg_advisory_xact_lock(" + LOCKS + ", hashtext('schema ' || current_schema()))");
        }
    }

    @Override
    public boolean lead(Connection connection) throws SQLException {
        if (leading == connection) {
            return true;
        }
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT pg_try_advisory_lock(" + LOCKS + ", hashtext('lead ' || current_schema()))")) {
            result.next();
            boolean got = result.getBoolean(1);
            if (got) {
                leading = connection;
            }
            return got;
        }
    }

    @Override
    public StoreException explain(String doing, SQLException trouble) {
        String state = trouble.getSQLState() == null ? "" : trouble.getSQLState();
        String kind = state.length() < 2 ? "" : state.substring(0, 2);
        if (state.equals("53100")) {
            return new StoreException("the disk of " + address + " is full", true, trouble);
        }
        if (kind.equals("28")) {
            return new StoreException(
                    address + " refuses this login. Give user and password in the address, or the password in"
                            + " FERMATA_STORE_PASSWORD.",
                    false,
                    trouble);
        }
        if (state.equals("3D000")) {
            return new StoreException(
                    address + ": there is no such database on this server (createdb makes one)", false, trouble);
        }
        return switch (kind) {
            case "08", "57", "" ->
                new StoreException(
                        "cannot " + doing + ": no connection to " + address + " (" + brief(trouble) + ")",
                        true,
                        trouble);
            case "25", "40", "53", "55", "58" ->
                new StoreException("cannot " + doing + " at the moment: " + brief(trouble), true, trouble);
            default -> new StoreException("cannot " + doing + ": " + brief(trouble), false, trouble);
        };
    }

    private static String brief(SQLException trouble) {
        String message = String.valueOf(trouble.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }

    @Override
    public void close() {
        readers.close();
        ownReader.close();
    }
}
