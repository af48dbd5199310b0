package dev.fermata.report.plot;

/** The style of text: colour, size, bold, and a border in the colour of the paper. */
public record TextStyle(PlotColor color, double size, boolean bold, boolean halo) {
    public static final TextStyle LABEL = new TextStyle(PlotColor.FAINT, 11, false, false);
    public static final TextStyle NAME = new TextStyle(PlotColor.TEXT, 12, false, false);
    public static final TextStyle HEADING = new TextStyle(PlotColor.TEXT, 13, true, false);

    public TextStyle withColor(PlotColor other) {
        return new TextStyle(other, size, bold, halo);
    }

    public TextStyle withHalo() {
        return new TextStyle(color, size, bold, true);
    }
}
