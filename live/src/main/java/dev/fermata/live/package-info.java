/** The daemon and its settings; its parts are in the packages below. */
@NullMarked
package dev.fermata.live;

import org.jspecify.annotations.NullMarked;
