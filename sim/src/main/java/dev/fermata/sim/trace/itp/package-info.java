/** Microsoft ITP 2021, as published with ElasticFlow. */
@NullMarked
package dev.fermata.sim.trace.itp;

import org.jspecify.annotations.NullMarked;
