package dev.fermata.sim.trace.text;

/**
 * Dates with a time of day, {@code 2017-10-09 07:01:48}, with or without fractions of a second and an offset such as
 * {@code +08:00}. Without an offset they are taken as UTC: the zone of the trace and changes of its clock are unknown.
 */
public final class Timestamp {
    /** Returned for a text that is no date. */
    public static final long NONE = Long.MIN_VALUE;

    private static final long DAY_SECONDS = 86_400;
    private static final int[] DAYS = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    private final char[] chars;
    private final int to;
    private int at;
    private boolean invalid;

    private Timestamp(char[] chars, int from, int to) {
        this.chars = chars;
        this.at = from;
        this.to = to;
    }

    /** Milliseconds since 1970, or {@link #NONE}. */
    public static long parse(String text) {
        return parse(text.toCharArray(), 0, text.length());
    }

    static long parse(char[] chars, int from, int to) {
        return new Timestamp(chars, from, to).parse();
    }

    private long parse() {
        int year = number(4);
        expect('-');
        int month = number(2);
        expect('-');
        int day = number(2);
        if (at < to && chars[at] == 'T') {
            at++;
        } else {
            expect(' ');
        }
        int hour = number(2);
        expect(':');
        int minute = number(2);
        expect(':');
        int second = number(2);
        int millis = fraction();
        long offset = offsetSeconds();
        boolean real = month >= 1 && month <= 12 && day >= 1 && hour < 24 && minute < 60 && second < 60;
        if (invalid || at != to || !real || day > daysIn(year, month)) {
            return NONE;
        }
        long seconds = days(year, month, day) * DAY_SECONDS + hour * 3600L + minute * 60L + second - offset;
        return seconds * 1000 + millis;
    }

    private int number(int digits) {
        int value = 0;
        for (int i = 0; i < digits; i++, at++) {
            if (at >= to || chars[at] < '0' || chars[at] > '9') {
                invalid = true;
                return 0;
            }
            value = value * 10 + chars[at] - '0';
        }
        return value;
    }

    private void expect(char expected) {
        invalid |= at >= to || chars[at] != expected;
        at++;
    }

    private int fraction() {
        if (at >= to || chars[at] != '.') {
            return 0;
        }
        at++;
        int millis = 0;
        int weight = 100;
        int begin = at;
        for (; at < to && chars[at] >= '0' && chars[at] <= '9'; at++, weight /= 10) {
            millis += weight * (chars[at] - '0');
        }
        invalid |= at == begin;
        return millis;
    }

    private long offsetSeconds() {
        if (at >= to) {
            return 0;
        }
        if (chars[at] == 'Z') {
            at++;
            return 0;
        }
        int sign = chars[at] == '-' ? -1 : 1;
        invalid |= chars[at] != '-' && chars[at] != '+';
        at++;
        int hours = number(2);
        if (at < to && chars[at] == ':') {
            at++;
        }
        int minutes = number(2);
        invalid |= hours > 18 || minutes > 59;
        return sign * (hours * 3600L + minutes * 60L);
    }

    private static int daysIn(int year, int month) {
        return month == 2 && isLeap(year) ? 29 : DAYS[month - 1];
    }

    private static boolean isLeap(int year) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    /** Days since 1970: whole cycles of four centuries, with years beginning in March so that the odd day is the last. */
    private static long days(int year, int month, int day) {
        int y = month <= 2 ? year - 1 : year;
        int era = Math.floorDiv(y, 400);
        int yearOfEra = y - era * 400;
        int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return era * 146_097L + dayOfEra - 719_468;
    }
}
