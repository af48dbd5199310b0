/** A recorded history in the simulator: what it was, what another policy would have made of it, and which settings suit it. */
@NullMarked
package dev.fermata.app.replay;

import org.jspecify.annotations.NullMarked;
