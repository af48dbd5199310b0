package dev.fermata.live.spec;

import java.util.Collection;
import java.util.regex.Pattern;

/** Which variables of a job's environment are nobody's business. */
public final class Secrets {
    public static final String HIDDEN = "********";

    private static final Pattern SUSPICIOUS = Pattern.compile(
            "(?i).*(SECRET|TOKEN(?!IZER)|PASS|API_?KEY|ACCESS_?KEY|PRIVATE|CRED|AUTH|COOKIE).*|.*_(KEY|PAT)");
    /** An address that carries its own password. */
    private static final Pattern ADDRESS_WITH_PASSWORD =
            Pattern.compile("(?s).*[A-Za-z][A-Za-z0-9+.-]*://[^/\\s:@]*:[^/\\s@]+@.*");

    private Secrets() {}

    public static boolean hides(String name, String value, Collection<String> declared) {
        return declared.contains(name)
                || SUSPICIOUS.matcher(name).matches()
                || ADDRESS_WITH_PASSWORD.matcher(value).matches();
    }
}
