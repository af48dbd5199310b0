package dev.fermata.live.spec;

import java.util.Collection;
import java.util.regex.Pattern;

/** Which variables of a job's environment are nobody's business. */
public final class Secrets {
    public static final String HIDDEN = "********";

    private static final Pattern SUSPICIOUS =
            Pattern.compile("(?i).*(SECRET|TOKEN|PASSW|API_?KEY|ACCESS_?KEY|PRIVATE|CREDENTIAL).*");

    private Secrets() {}

    public static boolean hides(String name, Collection<String> declared) {
        return declared.contains(name) || SUSPICIOUS.matcher(name).matches();
    }
}
