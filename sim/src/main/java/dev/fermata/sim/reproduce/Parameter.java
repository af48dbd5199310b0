package dev.fermata.sim.reproduce;

/** One number of a setting and how well it is attested. */
public record Parameter(String name, String value, Source source) {
    /** Where a number comes from. */
    public enum Source {
        PUBLISHED("published"),
        AUTHORS_CODE("authors' code"),
        CALIBRATED("calibrated"),
        ASSUMED("assumed");

        private final String words;

        Source(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    public static Parameter published(String name, String value) {
        return new Parameter(name, value, Source.PUBLISHED);
    }

    public static Parameter authorsCode(String name, String value) {
        return new Parameter(name, value, Source.AUTHORS_CODE);
    }

    public static Parameter calibrated(String name, String value) {
        return new Parameter(name, value, Source.CALIBRATED);
    }

    public static Parameter assumed(String name, String value) {
        return new Parameter(name, value, Source.ASSUMED);
    }
}
