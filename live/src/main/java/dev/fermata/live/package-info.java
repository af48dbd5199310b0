/** The daemon will live here: conductor, store, engines and api. */
@NullMarked
package dev.fermata.live;

import org.jspecify.annotations.NullMarked;
