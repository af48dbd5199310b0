package dev.fermata.live.store;

import java.sql.Connection;
import java.sql.SQLException;

class PostgresStoreTest extends StoreContract {
    private final String address = PostgresServer.newDatabase();

    @Override
    String address() {
        return address;
    }

    @Override
    Connection directConnection() throws SQLException {
        return PostgresServer.connect(address);
    }

    @Override
    void rejectAuditInserts() throws SQLException {
        execute("ALTER TABLE audit ADD CONSTRAINT refuse CHECK (at_millis > 9000)");
    }

    @Override
    void allowAuditInserts() throws SQLException {
        execute("ALTER TABLE audit DROP CONSTRAINT refuse");
    }
}
