package dev.fermata.app.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {

    @Test
    void numbersStandFlushRightAndMarksDoNotShiftThem() {
        Table table = new Table().words("policy").numbers("mean\nJCT", Table.ALWAYS);
        table.row(List.of(Table.Cell.of("fifo"), Table.Cell.of("12m")));
        table.row(List.of(Table.Cell.of("las"), new Table.Cell("3m", true)));

        assertThat(table.render(Screen.PIPE))
                .containsExactly("        mean", "policy   JCT", "fifo    12m", "las      3m•");
    }

    @Test
    void aNarrowScreenLosesTheLeastImportantColumnsFirst() {
        Table table =
                new Table().words("a").numbers("first", 2).numbers("second", 1).numbers("third", Table.ALWAYS);
        table.row("x", "1", "2", "3");

        assertThat(table.render(new Screen(true, false, 16))).containsExactly("a  first  third", "x      1      3");
        assertThat(table.hidden()).isEqualTo(1);
    }

    @Test
    void textIsWrappedWhenNothingElseHelps() {
        Table table = new Table().words("name").words("what");
        table.row("a", "one two three four five six seven");

        assertThat(table.render(new Screen(true, false, 28)))
                .containsExactly("name  what", "a     one two three four", "      five six seven");
    }

    @Test
    void theBestIsGreenOnlyWithColour() {
        Table table = new Table().numbers("n", Table.ALWAYS);
        table.row(List.of(new Table.Cell("1", true)));

        assertThat(table.render(new Screen(true, true, 80)).get(1)).contains("\u001b[32m");
        assertThat(table.render(new Screen(true, false, 80)).get(1)).isEqualTo("1•");
    }

    @Test
    void aRemarkRunsAcrossAllColumns() {
        Table table = new Table().words("a").numbers("n", Table.ALWAYS);
        table.row("x", "1");
        table.remark("wider than both columns together, 5 %");

        assertThat(table.render(new Screen(true, false, 36)))
                .containsExactly("a  n", "x  1", "  wider than both columns together,", "  5 %");
    }
}
