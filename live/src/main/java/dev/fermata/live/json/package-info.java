/** How values become JSON text in the store, and values again. */
@NullMarked
package dev.fermata.live.json;

import org.jspecify.annotations.NullMarked;
