/** The documents of the API, one record each. Clients may rely on them. */
@NullMarked
package dev.fermata.live.api.view;

import org.jspecify.annotations.NullMarked;
