/** Pages and tables of replays and tuning. */
@NullMarked
package dev.fermata.report.replay;

import org.jspecify.annotations.NullMarked;
