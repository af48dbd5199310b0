package dev.fermata.live.conductor;

import dev.fermata.live.engine.News;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where the outside leaves word for the conductor. Requests are bounded: whoever finds it full is told so at once. News of the
 * engine is never refused, because nobody could tell it again; there is at most a handful of it for every attempt on GPUs, and
 * it is counted like the rest.
 */
final class Inbox {
    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<Request> requests = new ArrayDeque<>();
    private final ArrayDeque<News> news = new ArrayDeque<>();
    private boolean nudged;

    Inbox(int capacity) {
        this.capacity = capacity;
    }

    /** What was taken out at once: first the engine's word, then what was asked, each in order. */
    record Mail(List<News> news, List<Request> requests) {
        boolean isEmpty() {
            return news.isEmpty() && requests.isEmpty();
        }
    }

    boolean offer(Request request) {
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

    void tell(News happened) {
        lock.lock();
        try {
            news.addLast(happened);
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Whoever waits stops waiting, though nothing came. */
    void nudge() {
        lock.lock();
        try {
            nudged = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something is there, it is nudged, or the time is up. */
    void await(long millis) throws InterruptedException {
        lock.lock();
        try {
            long left = millis == Long.MAX_VALUE ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(millis);
            while (requests.isEmpty() && news.isEmpty() && !nudged && left > 0) {
                left = arrived.awaitNanos(left);
            }
            nudged = false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something is asked, it is nudged, or the time is up; news alone wakes nobody. */
    void awaitRequests(long millis) throws InterruptedException {
        lock.lock();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (requests.isEmpty() && !nudged && left > 0) {
                left = arrived.awaitNanos(left);
            }
            nudged = false;
        } finally {
            lock.unlock();
        }
    }

    Mail take(int mostRequests) {
        lock.lock();
        try {
            List<News> told = new ArrayList<>(news);
            news.clear();
            return new Mail(told, takeRequests(mostRequests));
        } finally {
            lock.unlock();
        }
    }

    /** Only what was asked; the engine's word stays where it is. */
    List<Request> takeRequests() {
        lock.lock();
        try {
            return takeRequests(Integer.MAX_VALUE);
        } finally {
            lock.unlock();
        }
    }

    private List<Request> takeRequests(int most) {
        List<Request> taken = new ArrayList<>(Math.min(most, requests.size()));
        while (taken.size() < most && !requests.isEmpty()) {
            taken.add(requests.removeFirst());
        }
        return taken;
    }

    int size() {
        lock.lock();
        try {
            return requests.size() + news.size();
        } finally {
            lock.unlock();
        }
    }
}
