package dev.fermata.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.insight.format.ResultTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CellNumberTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3.2s | 3.2",
                "12m05s | 725",
                "3h07m | 11220",
                "2d04h | 187200",
                "1,234d | 106617600",
                "1,234 | 1234",
                "19 % | 19",
                "−7.4 % | -7.4",
                "+3 % | 3",
                "1.64× | 1.64",
                "0.53 ±0.02 | 0.53",
                "1h10m ±5m00s | 4200",
                "12.5 ms | 0.0125"
            })
    void numbersInCellsAreParsed(String cell, double value) {
        assertThat(CellNumber.parse(cell)).hasValue(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fifo", "16x8", "3 of 4", "–", "1h of 2h"})
    void wordsAreNoNumbers(String cell) {
        assertThat(CellNumber.parse(cell)).isEmpty();
    }

    @Test
    void aColumnIsNumericWhenEverythingInItIs() {
        ResultTable sheet =
                new ResultTable("t", List.of("a", "b", "c"), List.of(List.of("1", "–", ""), List.of("x", "2 %", "")));

        assertThat(CellNumber.isNumeric(sheet, 0)).isFalse();
        assertThat(CellNumber.isNumeric(sheet, 1)).isTrue();
        assertThat(CellNumber.isNumeric(sheet, 2)).isFalse();
    }
}
