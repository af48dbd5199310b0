package dev.fermata.app.report.plot;

/** A drawing: how large it is, what it shows in words, and how to draw it. */
public interface Plot {
    /** Short, for a file name and an id: letters, digits and dashes. */
    String name();

    String title();

    /** What is to be seen, for those who cannot see it. */
    String description();

    double width();

    double height();

    void draw(Canvas canvas);
}
