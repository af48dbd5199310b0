package dev.fermata.live.foresee;

import java.util.Map;

/**
 * Says when those who wait in a sketch will start. Called on a thread of its own, where it may take a while; it knows nothing but the
 * sketch, so it can change nothing. The same sketch gives the same answer.
 */
public interface Foresight {
    /** By job id: everybody who waits in the sketch and is not on hold, and the newcomers. */
    Map<Long, ExpectedStart> foresee(Sketch sketch);
}
