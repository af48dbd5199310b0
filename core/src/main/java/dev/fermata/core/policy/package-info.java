/** Scheduling policies: the shared loop, the catalogue, and rooms for its four questions. */
@NullMarked
package dev.fermata.core.policy;

import org.jspecify.annotations.NullMarked;
