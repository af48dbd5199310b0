/** What comes of a live state: it is continued many times over, each time with other run times that are thought possible. */
@NullMarked
package dev.fermata.sim.forecast;

import org.jspecify.annotations.NullMarked;
