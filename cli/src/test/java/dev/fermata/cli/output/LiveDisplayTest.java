package dev.fermata.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.report.text.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveDisplayTest {
    private final StringWriter written = new StringWriter();

    @Test
    void onATerminalLinesStayAboveThoseThatAreRedrawn() {
        try (LiveDisplay lines = new LiveDisplay(new PrintWriter(written), new Screen(true, false, 80))) {
            lines.print("begins");
            lines.update(List.of("GPU 0", "GPU 1", "waiting"));
            assertThat(terminal()).containsExactly("begins", "GPU 0", "GPU 1", "waiting");
            lines.print("job arrived");
            lines.update(List.of("GPU 0 busy", "GPU 1"));
            assertThat(terminal()).containsExactly("begins", "job arrived", "GPU 0 busy", "GPU 1");
        }
        assertThat(terminal()).containsExactly("begins", "job arrived");
    }

    @Test
    void inAPipeOnlyPermanentLinesAreWritten() {
        try (LiveDisplay lines = new LiveDisplay(new PrintWriter(written), Screen.PIPE)) {
            lines.update(List.of("GPU 0"));
            lines.print("job arrived");
            lines.update(List.of("GPU 0 busy"));
        }
        assertThat(written.toString()).isEqualTo("job arrived" + System.lineSeparator());
    }

    /** What a terminal shows after what was written to it, as far as its powers are used here. */
    private List<String> terminal() {
        List<StringBuilder> lines = new ArrayList<>(List.of(new StringBuilder()));
        int row = 0;
        int column = 0;
        String text = written.toString();
        for (int i = 0; i < text.length(); i++) {
            StringBuilder line = lines.get(row);
            char c = text.charAt(i);
            if (c == '\u001b') {
                char order = text.charAt(i + 2);
                i += 2;
                row -= order == 'A' ? 1 : 0;
                if (order == 'K' || order == 'J') {
                    line.setLength(Math.min(line.length(), column));
                }
                if (order == 'J') {
                    lines.subList(row + 1, lines.size()).clear();
                }
            } else if (c == '\n') {
                row++;
                column = 0;
                if (row == lines.size()) {
                    lines.add(new StringBuilder());
                }
            } else if (c == '\r') {
                column = 0;
            } else {
                line.replace(column, Math.min(column + 1, line.length()), String.valueOf(c));
                column++;
            }
        }
        return lines.subList(0, lines.size() - 1).stream()
                .map(StringBuilder::toString)
                .toList();
    }
}
