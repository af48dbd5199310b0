package dev.fermata.report.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {

    @Test
    void numbersStandFlushRightAndMarksDoNotShiftThem() {
        TextTable table = new TextTable().textColumn("policy").numberColumn("mean\nJCT", TextTable.ALWAYS);
        table.row(List.of(TextTable.Cell.of("fifo"), TextTable.Cell.of("12m")));
        table.row(List.of(TextTable.Cell.of("las"), new TextTable.Cell("3m", true)));

        assertThat(table.render(Screen.PIPE))
                .containsExactly("        mean", "policy   JCT", "fifo    12m", "las      3m•");
    }

    @Test
    void aNarrowScreenLosesTheLeastImportantColumnsFirst() {
        TextTable table = new TextTable()
                .textColumn("a")
                .numberColumn("first", 2)
                .numberColumn("second", 1)
                .numberColumn("third", TextTable.ALWAYS);
        table.row("x", "1", "2", "3");

        assertThat(table.render(new Screen(true, false, 16))).containsExactly("a  first  third", "x      1      3");
        assertThat(table.hidden()).isEqualTo(1);
    }

    @Test
    void textIsWrappedWhenNothingElseHelps() {
        TextTable table = new TextTable().textColumn("name").textColumn("what");
        table.row("a", "one two three four five six seven");

        assertThat(table.render(new Screen(true, false, 28)))
                .containsExactly("name  what", "a     one two three four", "      five six seven");
    }

    @Test
    void theBestIsGreenOnlyWithColour() {
        TextTable table = new TextTable().numberColumn("n", TextTable.ALWAYS);
        table.row(List.of(new TextTable.Cell("1", true)));

        assertThat(table.render(new Screen(true, true, 80)).get(1)).contains("\u001b[32m");
        assertThat(table.render(new Screen(true, false, 80)).get(1)).isEqualTo("1•");
    }

    @Test
    void aRemarkRunsAcrossAllColumns() {
        TextTable table = new TextTable().textColumn("a").numberColumn("n", TextTable.ALWAYS);
        table.row("x", "1");
        table.note("wider than both columns together, 5 %");

        assertThat(table.render(new Screen(true, false, 36)))
                .containsExactly("a  n", "x  1", "  wider than both columns together,", "  5 %");
    }
}
