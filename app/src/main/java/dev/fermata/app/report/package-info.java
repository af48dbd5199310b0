/** Says what runs came to: the fields that scripts read, and tables that people understand. */
@NullMarked
package dev.fermata.app.report;

import org.jspecify.annotations.NullMarked;
