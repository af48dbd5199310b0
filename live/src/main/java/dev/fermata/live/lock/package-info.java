/** Who may use a thing alone, among the processes of this machine. */
@NullMarked
package dev.fermata.live.lock;

import org.jspecify.annotations.NullMarked;
