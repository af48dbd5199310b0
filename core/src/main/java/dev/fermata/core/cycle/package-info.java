/** The ring: learn, look, decide, distrust, remember, speak. The only mutable state of the core lives here. */
@NullMarked
package dev.fermata.core.cycle;

import org.jspecify.annotations.NullMarked;
