package dev.fermata.live.hostile;

/**
 * How the daemon under attack runs.
 *
 * @param postgres whether its store is PostgreSQL, otherwise SQLite
 * @param otherAccount whether a root test runs it under an account without rights; without effect when the tests are not root
 */
record HostileSetup(boolean postgres, boolean otherAccount) {
    static final boolean ROOT = "root".equals(System.getProperty("user.name"));

    /** Whether jobs run under the accounts of their users. */
    boolean separatesAccounts() {
        return ROOT && !otherAccount;
    }

    @Override
    public String toString() {
        return (postgres ? "PostgreSQL" : "SQLite") + (separatesAccounts() ? ", root" : ", not root");
    }
}
