package dev.fermata.sim.reproduce;

import java.util.List;

/** What one paper's reproduction has to say. */
public record Chapter(
        String paper, String title, List<Parameter> parameters, List<Sheet> sheets, List<Finding> findings) {
    public Chapter {
        parameters = List.copyOf(parameters);
        sheets = List.copyOf(sheets);
        findings = List.copyOf(findings);
    }
}
