package dev.fermata.core.policy;

import java.util.Collection;

/** "Did you mean": the nearest of the known names, for error messages. */
public final class Suggest {
    private Suggest() {}

    /** A sentence that names the nearest known word, or all of them when none is near. */
    public static String among(String wrong, Collection<String> known) {
        String best = "";
        int bestDistance = Integer.MAX_VALUE;
        for (String word : known) {
            int distance = distance(wrong, word);
            if (distance < bestDistance) {
                best = word;
                bestDistance = distance;
            }
        }
        return bestDistance <= Math.max(2, wrong.length() / 3)
                ? " Did you mean '" + best + "'?"
                : " Known: " + String.join(", ", known) + ".";
    }

    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
