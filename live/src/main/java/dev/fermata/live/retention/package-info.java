/** What is removed when it is old, and how age is measured. */
@NullMarked
package dev.fermata.live.retention;

import org.jspecify.annotations.NullMarked;
