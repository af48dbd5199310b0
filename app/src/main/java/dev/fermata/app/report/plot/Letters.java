package dev.fermata.app.report.plot;

/** Letters: their colour and size, whether they are bold, and whether they get a border of paper to stand out. */
public record Letters(Ink ink, double size, boolean bold, boolean halo) {
    public static final Letters LABEL = new Letters(Ink.FAINT, 11, false, false);
    public static final Letters NAME = new Letters(Ink.TEXT, 12, false, false);
    public static final Letters HEADING = new Letters(Ink.TEXT, 13, true, false);

    public Letters in(Ink other) {
        return new Letters(other, size, bold, halo);
    }

    public Letters standingOut() {
        return new Letters(ink, size, bold, true);
    }
}
