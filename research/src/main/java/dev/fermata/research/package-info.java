/** The papers' own experiments: setting, policies side by side, and published next to measured results. */
@NullMarked
package dev.fermata.research;

import org.jspecify.annotations.NullMarked;
