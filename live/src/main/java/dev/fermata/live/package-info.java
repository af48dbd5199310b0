/** The daemon put together; its rooms are below. */
@NullMarked
package dev.fermata.live;

import org.jspecify.annotations.NullMarked;
