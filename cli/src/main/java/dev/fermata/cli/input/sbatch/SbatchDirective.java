package dev.fermata.cli.input.sbatch;

/**
 * One option of an {@code #SBATCH} line, under its long name.
 *
 * @param name without dashes, such as {@code job-name}
 * @param value empty for options that have none
 */
record SbatchDirective(String file, int line, String name, String value) {

    /** File, line and option, as messages begin. */
    String location() {
        return file + ":" + line + ": #SBATCH --" + name;
    }

    IllegalArgumentException error(String rule) {
        return new IllegalArgumentException(location() + " (" + value + ") " + rule);
    }

    /** A whole number of at least this. */
    int integer(int min) {
        try {
            int number = Integer.parseInt(value.strip());
            if (number >= min) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw error("must be a whole number of at least " + min);
    }
}
