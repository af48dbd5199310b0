/** When jobs that wait will start: what is asked, what is answered, and how often the answers were right. */
@NullMarked
package dev.fermata.live.foresee;

import org.jspecify.annotations.NullMarked;
