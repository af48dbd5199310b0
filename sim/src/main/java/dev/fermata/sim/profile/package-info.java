/** What is known of how models train: time by GPU type and batch, memory, gradients, pause and load; and who trains what. */
@NullMarked
package dev.fermata.sim.profile;

import org.jspecify.annotations.NullMarked;
