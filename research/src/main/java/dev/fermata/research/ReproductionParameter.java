package dev.fermata.research;

/** One parameter of a setting and its source. */
public record ReproductionParameter(String name, String value, Provenance source) {
    /** Where a number comes from. */
    public enum Provenance {
        PUBLISHED("published"),
        AUTHORS_CODE("authors' code"),
        CALIBRATED("calibrated"),
        ASSUMED("assumed");

        private final String label;

        Provenance(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    public static ReproductionParameter published(String name, String value) {
        return new ReproductionParameter(name, value, Provenance.PUBLISHED);
    }

    public static ReproductionParameter authorsCode(String name, String value) {
        return new ReproductionParameter(name, value, Provenance.AUTHORS_CODE);
    }

    public static ReproductionParameter calibrated(String name, String value) {
        return new ReproductionParameter(name, value, Provenance.CALIBRATED);
    }

    public static ReproductionParameter assumed(String name, String value) {
        return new ReproductionParameter(name, value, Provenance.ASSUMED);
    }
}
