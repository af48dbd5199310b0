package dev.fermata.live.hostile;

import dev.fermata.live.access.Role;

/** The people of the attacks. Their names are accounts that Debian machines have. */
enum Person {
    /** The attacker. */
    MALLORY("games", Role.USER),
    /** A user whom the attacker wants to harm. */
    ALICE("mail", Role.USER),
    VIEWER("news", Role.VIEWER),
    OPERATOR("operator", Role.OPERATOR),
    ADMIN("admin", Role.ADMIN);

    final String user;
    final Role role;

    Person(String user, Role role) {
        this.user = user;
        this.role = role;
    }
}
