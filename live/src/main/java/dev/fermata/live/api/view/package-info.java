/** The documents of the API, one record each: what is here is what clients may rely on. */
@NullMarked
package dev.fermata.live.api.view;

import org.jspecify.annotations.NullMarked;
