package dev.fermata.sim.trace.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.sim.workload.Rng;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers, dates and names, compared with the JDK's own parsing. */
class TraceRowTest {
    private static final TraceColumn FIRST = new TraceColumn("x", 0);

    private static TraceRow row(String cell) {
        TraceRow row = new TraceRow(Path.of("f"));
        row.begin(1);
        row.add(cell);
        return row;
    }

    @Test
    void numbersEqualThoseOfTheJdk() {
        Rng rng = new Rng(5);
        for (int i = 0; i < 20_000; i++) {
            long digits = Math.abs(rng.nextLong() >> rng.uniformInt(60));
            String text = (rng.uniformInt(3) == 0 ? "-" : "")
                    + BigDecimal.valueOf(digits, rng.uniformInt(22)).toPlainString();

            assertThat(row(text).number(FIRST, -1e300, 1e300)).as(text).isEqualTo(Double.parseDouble(text));
        }
        assertThat(row(" 1.5e3 ").number(FIRST, 0, 1e9)).isEqualTo(1500);
    }

    @Test
    void datesEqualThoseOfTheJdk() {
        Rng rng = new Rng(6);
        DateTimeFormatter format = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
        for (int i = 0; i < 20_000; i++) {
            LocalDateTime date = LocalDateTime.ofEpochSecond(rng.nextLong() % 50_000_000_000L, 0, ZoneOffset.UTC);
            if (date.getYear() >= 0) {
                assertThat(Timestamp.parse(format.format(date)))
                        .as(format.format(date))
                        .isEqualTo(date.toEpochSecond(ZoneOffset.UTC) * 1000);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1970-01-01 00:00:00, 0",
        "1970-01-01T00:00:01Z, 1000",
        "1970-01-01 00:00:01.5, 1500",
        "1970-01-01 00:00:01.123456, 1123",
        "1970-01-01 08:00:00+08:00, 0",
        "1969-12-31 19:00:00-0500, 0",
        "2000-02-29 00:00:00, 951782400000"
    })
    void datesMayHaveFractionsAndOffsets(String text, long millis) {
        assertThat(Timestamp.parse(text)).isEqualTo(millis);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "2017",
                "2017-10-09",
                "2017-10-09 07:01",
                "2017-02-29 00:00:00",
                "1900-02-29 00:00:00",
                "2017-00-01 00:00:00",
                "2017-10-09 24:00:00",
                "2017-10-09 07:60:00",
                "2017-10-09 07:01:48 ",
                "2017-10-09 07:01:48.",
                "2017-10-09 07:01:48+",
                "2017-10-09 07:01:48+99:00",
                "2017-10-09x07:01:48"
            })
    void anInvalidDateIsNone(String text) {
        assertThat(Timestamp.parse(text)).isEqualTo(Timestamp.NONE);
    }

    @Test
    void equalNamesAreOneString() {
        StringPool pool = new StringPool();
        for (int i = 0; i < 5000; i++) {
            char[] name = ("user" + i).toCharArray();

            String first = pool.pool(name, 0, name.length);

            assertThat(first).isEqualTo("user" + i);
            assertThat(pool.pool(name, 0, name.length)).isSameAs(first);
        }
    }
}
