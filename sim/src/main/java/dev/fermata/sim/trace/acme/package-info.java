/** Shanghai AI Laboratory's Acme, 2023. */
@NullMarked
package dev.fermata.sim.trace.acme;

import org.jspecify.annotations.NullMarked;
