/** What people write: numbers, times and sizes, read alike at every door. */
@NullMarked
package dev.fermata.core.text;

import org.jspecify.annotations.NullMarked;
