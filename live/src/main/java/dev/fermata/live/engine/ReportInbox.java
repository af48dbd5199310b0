package dev.fermata.live.engine;

/**
 * Reports of attempts that reach the daemon by HTTP, instead of through a file. A token is valid for one attempt, while it
 * lives. Called from any thread.
 */
public interface ReportInbox {
    /** For engines whose jobs report through files only. */
    ReportInbox NONE = new ReportInbox() {
        @Override
        public void announce(ReportAddress address) {
            // no job is told
        }

        @Override
        public boolean isAuthorized(String attempt, String token) {
            return false;
        }

        @Override
        public boolean receive(String attempt, String lines) {
            return false;
        }
    };

    /**
     * Where jobs send their reports.
     *
     * @param url of the daemon, as its jobs reach it
     * @param certificate the daemon's own certificate in PEM form, empty without TLS
     */
    record ReportAddress(String url, String certificate) {}

    /** From now on attempts are told where to report; those that run already were told before. */
    void announce(ReportAddress address);

    /**
     * Whether the token is that of a live attempt.
     *
     * @param attempt such as {@code 12.3}
     */
    boolean isAuthorized(String attempt, String token);

    /** Keeps the lines durably, as if the job had written them to its report file. False when the attempt has ended. */
    boolean receive(String attempt, String lines);
}
