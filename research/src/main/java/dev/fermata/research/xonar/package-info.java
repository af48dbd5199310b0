/** Xonar: co-located jobs on shared GPUs, within memory. */
@NullMarked
package dev.fermata.research.xonar;

import org.jspecify.annotations.NullMarked;
