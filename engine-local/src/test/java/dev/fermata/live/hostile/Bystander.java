package dev.fermata.live.hostile;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A user who works while an attack goes on. It records the longest time that the daemon kept this user waiting. */
final class Bystander implements AutoCloseable {
    private static final long PAUSE_MILLIS = 100;

    private final HostileTarget target;
    private final Thread thread = new Thread(this::work, "bystander");
    private volatile boolean over;
    private volatile long longestNanos;
    private final AtomicInteger refused = new AtomicInteger();
    private volatile String lastRefusal = "";

    private Bystander(HostileTarget target) {
        this.target = target;
    }

    static Bystander start(HostileTarget target) {
        Bystander bystander = new Bystander(target);
        bystander.thread.start();
        return bystander;
    }

    private void work() {
        int round = 0;
        while (!over) {
            long begin = System.nanoTime();
            try {
                HostileTarget.Answer answer = round++ % 2 == 0
                        ? target.get(Person.ALICE, "/api/v1/jobs?limit=10")
                        : target.get(Person.ALICE, "/healthz");
                if (answer.status() != 200 && !over) {
                    refused.incrementAndGet();
                    lastRefusal = answer.status() + " " + answer.body();
                }
                longestNanos = Math.max(longestNanos, System.nanoTime() - begin);
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                refused.incrementAndGet();
                lastRefusal = e.toString();
            }
        }
    }

    long longestMillis() {
        return TimeUnit.NANOSECONDS.toMillis(longestNanos);
    }

    int refused() {
        return refused.get();
    }

    String lastRefusal() {
        return lastRefusal;
    }

    @Override
    public void close() {
        over = true;
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
