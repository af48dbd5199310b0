/** The whole daemon in virtual time, with faults at every boundary, under laws that are checked after every step. */
@NullMarked
package dev.fermata.bench.torture;

import org.jspecify.annotations.NullMarked;
