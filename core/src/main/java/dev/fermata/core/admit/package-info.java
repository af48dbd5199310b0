/** What stands between the ledger and every policy: holds, dependencies, arrays and queues. */
@NullMarked
package dev.fermata.core.admit;

import org.jspecify.annotations.NullMarked;
