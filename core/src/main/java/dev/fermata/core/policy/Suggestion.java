package dev.fermata.core.policy;

import java.util.Collection;
import java.util.Optional;

/** "Did you mean": the nearest of the known names, for error messages. */
public final class Suggestion {
    private Suggestion() {}

    /** A sentence that names the nearest known word, or all of them when none is near. */
    public static String didYouMean(String wrong, Collection<String> known) {
        return nearest(wrong, known)
                .map(best -> " Did you mean '" + best + "'?")
                .orElseGet(() -> " Known: " + String.join(", ", known) + ".");
    }

    /** The nearest known word, if any is near enough to have been meant. */
    public static Optional<String> nearest(String wrong, Collection<String> known) {
        String best = "";
        int bestDistance = Integer.MAX_VALUE;
        for (String word : known) {
            int distance = distance(wrong, word);
            if (distance < bestDistance && distance <= maxTypos(wrong, word)) {
                best = word;
                bestDistance = distance;
            }
        }
        return best.isEmpty() ? Optional.empty() : Optional.of(best);
    }

    /** How many slips are still a misspelling: of words of two or three letters, more would be another word. */
    private static int maxTypos(String wrong, String word) {
        int shorter = Math.min(wrong.length(), word.length());
        if (shorter <= 3) {
            return shorter - 1 > 0 ? 1 : 0;
        }
        return Math.max(2, wrong.length() / 3);
    }

    /** Letters to insert, drop, change or swap. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                boolean same = a.charAt(i - 1) == b.charAt(j - 1);
                d[i][j] = Math.min(d[i - 1][j - 1] + (same ? 0 : 1), Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
