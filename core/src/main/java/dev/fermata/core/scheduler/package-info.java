/** The scheduling cycle: apply events, decide, check, commit. The only mutable state of the core is here. */
@NullMarked
package dev.fermata.core.scheduler;

import org.jspecify.annotations.NullMarked;
