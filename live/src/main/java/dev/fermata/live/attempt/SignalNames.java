package dev.fermata.live.attempt;

/** The names of signals, for messages. */
final class SignalNames {
    private SignalNames() {}

    static String of(int number) {
        return switch (number) {
            case 1 -> "HUP";
            case 2 -> "INT";
            case 3 -> "QUIT";
            case 4 -> "ILL";
            case 6 -> "ABRT";
            case 7 -> "BUS";
            case 8 -> "FPE";
            case 9 -> "KILL";
            case 10 -> "USR1";
            case 11 -> "SEGV";
            case 12 -> "USR2";
            case 13 -> "PIPE";
            case 14 -> "ALRM";
            case 15 -> "TERM";
            case 24 -> "XCPU";
            case 25 -> "XFSZ";
            default -> Integer.toString(number);
        };
    }
}
