/** The papers' own experiments: setting, policies side by side, and what was published beside what comes out here. */
@NullMarked
package dev.fermata.sim.reproduce;

import org.jspecify.annotations.NullMarked;
