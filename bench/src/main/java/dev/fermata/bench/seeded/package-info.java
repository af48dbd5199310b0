/** Bugs planted into copies of single classes, and how soon torture finds them. The sources stay as they are. */
@NullMarked
package dev.fermata.bench.seeded;

import org.jspecify.annotations.NullMarked;
