package dev.fermata.app.input.sbatch;

/**
 * One option of an {@code #SBATCH} line, under its long name.
 *
 * @param name without dashes, such as {@code job-name}
 * @param value empty for options that have none
 */
record Directive(String file, int line, String name, String value) {

    /** File, line and option, as messages begin. */
    String where() {
        return file + ":" + line + ": #SBATCH --" + name;
    }

    IllegalArgumentException wrong(String rule) {
        return new IllegalArgumentException(where() + " (" + value + ") " + rule);
    }

    /** A whole number of at least this. */
    int whole(int min) {
        try {
            int number = Integer.parseInt(value.strip());
            if (number >= min) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw wrong("must be a whole number of at least " + min);
    }
}
