/** How far a program is, from the lines that it prints and the words of its command. It reads no file and no clock. */
@NullMarked
package dev.fermata.live.progress;

import org.jspecify.annotations.NullMarked;
