package dev.fermata.live.api.view;

/**
 * A code that opens one session of the web page.
 *
 * @param url the page with the code in the fragment, which reaches no log
 */
public record SessionCodeView(String code, String url, double expiresInSeconds) {
    /** Never the code. */
    @Override
    public String toString() {
        return "SessionCodeView";
    }
}
