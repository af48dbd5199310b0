/** Scheduling policies: the catalogue, the shared loop, and a package for each of its questions. */
@NullMarked
package dev.fermata.core.policy;

import org.jspecify.annotations.NullMarked;
