/** What suspension in place is worth. */
@NullMarked
package dev.fermata.research.suspend;

import org.jspecify.annotations.NullMarked;
