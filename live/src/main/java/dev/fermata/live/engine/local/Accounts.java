package dev.fermata.live.engine.local;

/** The accounts of this machine. */
final class Accounts {
    private final Account own;

    Accounts() {
        own = new Account(System.getProperty("user.name"), 0, 0, System.getProperty("user.home"), "/bin/sh", false);
    }

    Account of(String user) {
        return own;
    }
}
