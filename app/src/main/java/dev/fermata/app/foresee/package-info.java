/** Where the daemon and the simulator meet: what will come of a live state is simulated. */
@NullMarked
package dev.fermata.app.foresee;

import org.jspecify.annotations.NullMarked;
