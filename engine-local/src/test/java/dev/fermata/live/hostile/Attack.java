package dev.fermata.live.hostile;

import java.util.function.Predicate;

/**
 * One attack.
 *
 * @param name a sentence: what the attacker wants and does not get
 * @param sent what the attacker sends or does
 * @param applies the configurations of the daemon in which it makes sense
 * @param action carries it out and asserts what must hold
 */
record Attack(String name, String sent, Predicate<HostileSetup> applies, Action action) {
    /** Carries out an attack; an assertion error means that it succeeded. */
    interface Action {
        void run(HostileTarget target) throws Exception;
    }

    static Attack of(String name, String sent, Action action) {
        return new Attack(name, sent, setup -> true, action);
    }

    /** Only where jobs run under the accounts of their users. */
    static Attack asRoot(String name, String sent, Action action) {
        return new Attack(name, sent, HostileSetup::separatesAccounts, action);
    }

    /** Only where all jobs run under the daemon's account. */
    static Attack withoutRoot(String name, String sent, Action action) {
        return new Attack(name, sent, setup -> !setup.separatesAccounts(), action);
    }
}
