package dev.fermata.research;

import dev.fermata.cli.architecture.PluginArchitecture;

/** The rules of research. */
class ResearchArchitectureTest extends PluginArchitecture {
    ResearchArchitectureTest() {
        super("research");
    }
}
