package dev.fermata.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.report.text.Screen;
import dev.fermata.report.text.TerminalText;
import dev.fermata.report.text.TextTable;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RawOutputTest {
    private static final Screen TERMINAL = new Screen(true, true, 80);

    @Test
    void namesCannotMoveTheCursor() {
        assertThat(TerminalText.escape("evil\u001b]0;title\u0007\u009b2J\u202egnp.exe\r\nnext\t!"))
                .isEqualTo("evil␛]0;title␇�2J�gnp.exe␍ next !");
        assertThat(TerminalText.escape("Grüße, 世界 – fine")).isEqualTo("Grüße, 世界 – fine");
    }

    @Test
    void tablesEscapeControlCharacters() {
        TextTable table = new TextTable().textColumn("name");
        table.row("a\u001b[2Jb");

        assertThat(String.join("\n", table.render(Screen.PIPE)))
                .contains("a␛[2Jb")
                .doesNotContain("\u001b");
    }

    @ParameterizedTest
    @CsvSource({
        "'plain\ttext\n', 'plain\ttext\n'",
        "'\u001b[1;31mred\u001b[0m\n', 'red\n'",
        "'\u001b[2Jgone', '␛[2Jgone'",
        "'\u001b]0;title\u0007x', '␛]0;title␇x'",
        "'10 %\r20 %\r\ndone\n', '10 %\n20 %\ndone\n'",
        "'\u001b', '␛'",
        "'\u001b[31', '␛[31'",
        "'\u001b\u001b[0mx', '␛x'",
        "'a\bb\u007f\u009b', 'a␈b␡�'"
    })
    void aTerminalIsProtected(String printed, String shown) {
        assertThat(through(TERMINAL, printed.getBytes(StandardCharsets.UTF_8), Integer.MAX_VALUE))
                .isEqualTo(shown);
    }

    /** However the bytes are cut into blocks, the same is shown, and no control character but newline and tab. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void blockSizeMakesNoDifference(long seed) {
        Random random = new Random(seed);
        String letters = "ab\n\t\r\u001b[;0m1é世\u0007\u009b\u202e]";
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);

        String whole = through(TERMINAL, bytes, Integer.MAX_VALUE);

        assertThat(through(TERMINAL, bytes, 1 + random.nextInt(7))).isEqualTo(whole);
        assertThat(whole.replaceAll("[\n\t]", "")).doesNotContainPattern("[\\p{Cntrl}\\u0080-\\u009f\\u202e]");
    }

    @Test
    void aPipeGetsEverythingAsItIs() {
        String text = "\u001b[31mred\u001b[0m\r\u0007";
        assertThat(through(Screen.PIPE, text.getBytes(StandardCharsets.UTF_8), 3))
                .isEqualTo(text);
    }

    private static String through(Screen screen, byte[] bytes, int block) {
        StringWriter out = new StringWriter();
        RawOutput raw = RawOutput.to(new PrintWriter(out), screen);
        for (int from = 0; from < bytes.length; from += Math.min(block, bytes.length)) {
            int length = Math.min(block, bytes.length - from);
            byte[] part = new byte[length];
            System.arraycopy(bytes, from, part, 0, length);
            raw.write(part, length);
        }
        raw.end();
        return out.toString();
    }
}
