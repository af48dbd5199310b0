/** Numbers, times and sizes as people write them, with one parser for all inputs. */
@NullMarked
package dev.fermata.core.text;

import org.jspecify.annotations.NullMarked;
