package dev.fermata.live.spec;

import java.util.Collection;
import java.util.regex.Pattern;

/** Decides which variables of a job's environment are secret. */
public final class SecretRules {
    public static final String MASK = "********";

    private static final Pattern SUSPICIOUS = Pattern.compile(
            "(?i).*(SECRET|TOKEN(?!IZER)|PASS|API_?KEY|ACCESS_?KEY|PRIVATE|CRED|AUTH|COOKIE).*|.*_(KEY|PAT|PWD)");
    /** A URL with a password. */
    private static final Pattern ADDRESS_WITH_PASSWORD =
            Pattern.compile("(?s).*[A-Za-z][A-Za-z0-9+.-]*://[^/\\s:@]*:[^/\\s@]+@.*");

    private SecretRules() {}

    public static boolean isSecret(String name, String value, Collection<String> declared) {
        return declared.contains(name)
                || SUSPICIOUS.matcher(name).matches()
                || ADDRESS_WITH_PASSWORD.matcher(value).matches();
    }
}
