package dev.fermata.report.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.TexturePaint;
import java.awt.font.TextLayout;
import java.awt.geom.AffineTransform;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;

/** Draws a picture for papers: on white, two dots for each unit. The same drawing gives the same bytes on the same machine. */
public final class PngCanvas implements Canvas {
    public static final int DOTS = 2;
    private static final String FAMILY = "DejaVu Sans";
    private static final double MARGIN = 6;
    private static final int TILE = 6 * DOTS;

    private final Graphics2D lineStyle2D;
    private final Deque<Graphics2D> outside = new ArrayDeque<>();
    private Graphics2D g;

    private PngCanvas(Graphics2D graphics) {
        this.lineStyle2D = graphics;
        this.g = graphics;
    }

    /** Why no letters can be drawn here, if so: Java leaves fonts to the machine, and small ones have none. */
    public static Optional<String> problem() {
        try {
            BufferedImage dot = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB);
            Graphics2D graphics = dot.createGraphics();
            new TextLayout("A", new Font(FAMILY, Font.PLAIN, 12), graphics.getFontRenderContext()).getAdvance();
            graphics.dispose();
            return Optional.empty();
        } catch (RuntimeException | LinkageError | InternalError e) {
            return Optional.of("Java finds no fonts here (" + e.getClass().getSimpleName()
                    + "): install some, such as fontconfig and fonts-dejavu-core");
        }
    }

    public static void write(Plot plot, OutputStream out) throws IOException {
        int width = (int) Math.ceil((plot.width() + 2 * MARGIN) * DOTS);
        int height = (int) Math.ceil((plot.height() + 2 * MARGIN) * DOTS);
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setColor(colour(PlotColor.PAPER, 1));
        graphics.fillRect(0, 0, width, height);
        graphics.scale(DOTS, DOTS);
        graphics.translate(MARGIN, MARGIN);
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        graphics.setRenderingHint(RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_ON);
        PngCanvas canvas = new PngCanvas(graphics);
        plot.draw(canvas);
        canvas.lineStyle2D.dispose();
        ImageIO.write(image, "png", out);
    }

    private static Color colour(PlotColor color, double opacity) {
        int rgb = Integer.parseInt(color.light().substring(1), 16);
        return new Color(rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255, (int) Math.round(255 * opacity));
    }

    @Override
    public void path(
            double[] xs, double[] ys, boolean closed, @Nullable LineStyle lineStyle, @Nullable FillStyle fill) {
        if (xs.length == 0) {
            return;
        }
        Path2D.Double path = new Path2D.Double();
        path.moveTo(xs[0], ys[0]);
        for (int i = 1; i < xs.length; i++) {
            path.lineTo(xs[i], ys[i]);
        }
        if (closed) {
            path.closePath();
        }
        shape(path, lineStyle, fill);
    }

    @Override
    public void rect(
            double x, double y, double width, double height, @Nullable LineStyle lineStyle, @Nullable FillStyle fill) {
        shape(new Rectangle2D.Double(x, y, width, height), lineStyle, fill);
    }

    private void shape(Shape shape, @Nullable LineStyle lineStyle, @Nullable FillStyle fill) {
        if (fill != null) {
            g.setColor(colour(fill.color(), fill.opacity()));
            g.fill(shape);
            if (fill.pattern() != FillStyle.Pattern.NONE) {
                g.setPaint(texture(fill));
                g.fill(shape);
            }
        }
        if (lineStyle != null) {
            g.setColor(colour(lineStyle.color(), 1));
            g.setStroke(stroke(lineStyle));
            g.draw(shape);
        }
    }

    private static BasicStroke stroke(LineStyle lineStyle) {
        float[] dash = new float[lineStyle.dash().size()];
        for (int i = 0; i < dash.length; i++) {
            dash[i] = lineStyle.dash().get(i).floatValue();
        }
        return new BasicStroke(
                (float) lineStyle.width(),
                BasicStroke.CAP_BUTT,
                BasicStroke.JOIN_ROUND,
                10,
                dash.length == 0 ? null : dash,
                0);
    }

    private static TexturePaint texture(FillStyle fill) {
        BufferedImage tile = new BufferedImage(TILE, TILE, BufferedImage.TYPE_INT_ARGB);
        Graphics2D graphics = tile.createGraphics();
        graphics.scale(DOTS, DOTS);
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setColor(colour(fill.color(), 1));
        double[][] lines = switch (fill.pattern()) {
            case RISING -> new double[][] {{-1, 1, 1, -1}, {-1, 7, 7, -1}, {5, 7, 7, 5}};
            case UPRIGHT -> new double[][] {{1.5, -1, 1.5, 7}, {4.5, -1, 4.5, 7}};
            case CROSSED -> new double[][] {{0, 0, 6, 6}, {0, 6, 6, 0}};
            case NONE -> new double[0][];
        };
        for (double[] line : lines) {
            graphics.draw(new java.awt.geom.Line2D.Double(line[0], line[1], line[2], line[3]));
        }
        graphics.dispose();
        return new TexturePaint(tile, new Rectangle2D.Double(0, 0, 6, 6));
    }

    @Override
    public void text(double x, double y, Anchor anchor, TextStyle textStyle, String text) {
        if (text.isEmpty()) {
            return;
        }
        Font font = new Font(FAMILY, textStyle.bold() ? Font.BOLD : Font.PLAIN, 1)
                .deriveFont((float) textStyle.size() * 0.92f);
        TextLayout layout = new TextLayout(text, font, g.getFontRenderContext());
        double shift = switch (anchor) {
            case START -> 0;
            case MIDDLE -> layout.getAdvance() / 2;
            case END -> layout.getAdvance();
        };
        Shape outline = layout.getOutline(AffineTransform.getTranslateInstance(x - shift, y));
        if (textStyle.halo()) {
            g.setColor(colour(PlotColor.PAPER, 1));
            g.setStroke(new BasicStroke(3, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
            g.draw(outline);
        }
        g.setColor(colour(textStyle.color(), 1));
        g.fill(outline);
    }

    @Override
    public void begin(String words) {
        // a printed picture has no tooltips
    }

    @Override
    public void end() {
        // see begin
    }

    @Override
    public void beginWindow(double x, double y, double width, double height) {
        outside.push(g);
        g = (Graphics2D) g.create();
        g.clip(new Rectangle2D.Double(x, y, width, height));
        g.translate(x, y);
    }

    @Override
    public void endWindow() {
        g.dispose();
        g = outside.pop();
    }
}
