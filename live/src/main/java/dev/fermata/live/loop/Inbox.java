package dev.fermata.live.loop;

import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.request.LoopRequest;
import dev.fermata.live.shadow.ShadowWorkload;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * Requests and engine events for the scheduler loop. The number of requests is bounded: one too many is rejected at
 * once. An engine event is never rejected, because the engine does not send it again; each attempt has only a few.
 */
public final class Inbox {
    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<LoopRequest> requests = new ArrayDeque<>();
    private final ArrayDeque<EngineEvent> engineEvents = new ArrayDeque<>();
    private boolean woken;

    Inbox(int capacity) {
        this.capacity = capacity;
    }

    /** What one cycle handles: first the engine events, then the requests, each in order of arrival. */
    record Contents(List<EngineEvent> engineEvents, List<LoopRequest> requests) {
        boolean isEmpty() {
            return engineEvents.isEmpty() && requests.isEmpty();
        }

        /** Whether nothing but queries waits: they need no cycle. */
        boolean hasOnlyQueries() {
            return engineEvents.isEmpty() && !requests.isEmpty() && queries().size() == requests.size();
        }

        List<LoopRequest.LoopQuery<?>> queries() {
            List<LoopRequest.LoopQuery<?>> queries = new ArrayList<>();
            for (LoopRequest request : requests) {
                if (request instanceof LoopRequest.LoopQuery<?> query) {
                    queries.add(query);
                }
            }
            return queries;
        }

        /** The same, and then what follows from the jobs of another scheduler. */
        Contents and(ShadowWorkload.Step step) {
            return new Contents(
                    Stream.concat(engineEvents.stream(), step.events().stream()).toList(),
                    Stream.concat(requests.stream(), step.requests().stream()).toList());
        }
    }

    public boolean offer(LoopRequest request) {
        lock.lock();
        try {
            if (requests.size() >= capacity) {
                return false;
            }
            requests.addLast(request);
            arrived.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    void add(EngineEvent event) {
        lock.lock();
        try {
            engineEvents.addLast(event);
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the current wait, although nothing arrived. */
    void wake() {
        lock.lock();
        try {
            woken = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something arrives, {@link #wake} is called, or the time is over. */
    void await(long millis) throws InterruptedException {
        lock.lock();
        try {
            long left = millis == Long.MAX_VALUE ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(millis);
            while (requests.isEmpty() && engineEvents.isEmpty() && !woken && left > 0) {
                left = arrived.awaitNanos(left);
            }
            woken = false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a request arrives, {@link #wake} is called, or the time is over. Engine events stay. */
    void awaitRequests(long millis) throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (requests.isEmpty() && !woken && left > 0) {
                left = arrived.awaitNanos(left);
            }
            woken = false;
        } finally {
            lock.unlock();
        }
    }

    Contents drain(int maxRequests) {
        lock.lock();
        try {
            List<EngineEvent> reported = new ArrayList<>(engineEvents);
            engineEvents.clear();
            return new Contents(reported, takeRequests(maxRequests));
        } finally {
            lock.unlock();
        }
    }

    /** Takes the requests and leaves the engine events. */
    List<LoopRequest> takeRequests() {
        lock.lock();
        try {
            return takeRequests(Integer.MAX_VALUE);
        } finally {
            lock.unlock();
        }
    }

    private List<LoopRequest> takeRequests(int max) {
        List<LoopRequest> taken = new ArrayList<>(Math.min(max, requests.size()));
        while (taken.size() < max && !requests.isEmpty()) {
            taken.add(requests.removeFirst());
        }
        return taken;
    }

    public int size() {
        lock.lock();
        try {
            return requests.size() + engineEvents.size();
        } finally {
            lock.unlock();
        }
    }
}
