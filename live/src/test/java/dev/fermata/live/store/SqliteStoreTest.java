package dev.fermata.live.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

class SqliteStoreTest extends StoreContract {
    @Override
    String address() {
        return "sqlite";
    }

    @Override
    Connection directConnection() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fermata.db"));
    }

    @Override
    void rejectAuditInserts() throws SQLException {
        execute("CREATE TRIGGER refuse BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no'); END");
    }

    @Override
    void allowAuditInserts() throws SQLException {
        execute("DROP TRIGGER refuse");
    }
}
