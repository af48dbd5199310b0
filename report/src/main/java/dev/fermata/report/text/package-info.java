/** Output for people and scripts: tables, JSON, YAML, CSV. */
@NullMarked
package dev.fermata.report.text;

import org.jspecify.annotations.NullMarked;
