package dev.fermata.report.plot;

/** A drawing: its size, its description in words, and how to draw it. */
public interface Plot {
    /** Short, for a file name and an id: letters, digits and dashes. */
    String name();

    String title();

    /** The content of the picture, for screen readers. */
    String description();

    double width();

    double height();

    void draw(Canvas canvas);
}
