/** Files of results, written whole or not at all. */
@NullMarked
package dev.fermata.insight.file;

import org.jspecify.annotations.NullMarked;
