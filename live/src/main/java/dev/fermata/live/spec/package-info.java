/** Job specs: the job file, checked and in base units. */
@NullMarked
package dev.fermata.live.spec;

import org.jspecify.annotations.NullMarked;
