/** What people and scripts read: tables, JSON, CSV, files that appear whole or not at all, progress. */
@NullMarked
package dev.fermata.app.output;

import org.jspecify.annotations.NullMarked;
