/** Replays a recorded history in the simulator: as it was, under another policy, and with tuned settings. */
@NullMarked
package dev.fermata.insight.replay;

import org.jspecify.annotations.NullMarked;
