/** What is learned about how long jobs run, from those that ran. */
@NullMarked
package dev.fermata.core.estimate;

import org.jspecify.annotations.NullMarked;
