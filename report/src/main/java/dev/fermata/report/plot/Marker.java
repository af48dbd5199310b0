package dev.fermata.report.plot;

/** Small shapes at points of a series. */
public enum Marker {
    CIRCLE,
    SQUARE,
    TRIANGLE,
    DIAMOND,
    CROSS,
    UPSIDE_DOWN,
    STAR,
    BAR;

    public static Marker series(int n) {
        return values()[Math.floorMod(n, values().length)];
    }

    double[] xs(double x, double radius) {
        return scaled(outline()[0], x, radius);
    }

    double[] ys(double y, double radius) {
        return scaled(outline()[1], y, radius);
    }

    /** The corners around the middle, in units of the radius: all x, then all y. */
    private double[][] outline() {
        return switch (this) {
            case CIRCLE -> star(16, 0, 1, 1);
            case SQUARE -> new double[][] {{-0.85, 0.85, 0.85, -0.85}, {-0.85, -0.85, 0.85, 0.85}};
            case TRIANGLE -> new double[][] {{0, 1, -1}, {-1.05, 0.8, 0.8}};
            case DIAMOND -> star(4, 0, 1.15, 1.15);
            case CROSS ->
                new double[][] {
                    {-0.35, 0.35, 0.35, 1, 1, 0.35, 0.35, -0.35, -0.35, -1, -1, -0.35},
                    {-1, -1, -0.35, -0.35, 0.35, 0.35, 1, 1, 0.35, 0.35, -0.35, -0.35}
                };
            case UPSIDE_DOWN -> new double[][] {{0, 1, -1}, {1.05, -0.8, -0.8}};
            case STAR -> star(10, -Math.PI / 2, 1.25, 0.5);
            case BAR -> new double[][] {{-0.4, 0.4, 0.4, -0.4}, {-1.15, -1.15, 1.15, 1.15}};
        };
    }

    private static double[] scaled(double[] units, double at, double radius) {
        double[] scaled = new double[units.length];
        for (int i = 0; i < units.length; i++) {
            scaled[i] = at + units[i] * radius;
        }
        return scaled;
    }

    private static double[][] star(int corners, double turn, double even, double odd) {
        double[][] points = new double[2][corners];
        for (int i = 0; i < corners; i++) {
            double radius = i % 2 == 0 ? even : odd;
            points[0][i] = radius * Math.cos(turn + 2 * Math.PI * i / corners);
            points[1][i] = radius * Math.sin(turn + 2 * Math.PI * i / corners);
        }
        return points;
    }
}
