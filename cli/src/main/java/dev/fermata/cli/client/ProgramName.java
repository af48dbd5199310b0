package dev.fermata.cli.client;

/** What users type to run this program, for hints: "./fermata" in a source tree, "fermata" where it is installed. */
public final class ProgramName {
    public static final String TYPED = System.getProperty("fermata.command", "./fermata");

    private ProgramName() {}
}
