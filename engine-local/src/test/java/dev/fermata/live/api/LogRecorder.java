package dev.fermata.live.api;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Everything that the daemon logs from INFO on, with stack traces, as long as it is open. */
final class LogRecorder implements AutoCloseable {
    private static final String OWN = "dev.fermata";

    private final LoggerContext context;
    private final @Nullable Level before;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Set<String> loggers = ConcurrentHashMap.newKeySet();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            String trace =
                    event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
            loggers.add(event.getLoggerName());
            lines.add(event.getFormattedMessage() + trace + event.getMDCPropertyMap());
        }
    };

    LogRecorder() {
        // Another test may be the first to log, at this moment.
        Awaitility.await().until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        context = (LoggerContext) LoggerFactory.getILoggerFactory();
        Logger own = context.getLogger(OWN);
        before = own.getLevel();
        own.setLevel(Level.INFO);
        appender.setContext(context);
        appender.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
    }

    List<String> lines() {
        return lines;
    }

    /** Those that have logged. */
    Set<String> loggers() {
        return Set.copyOf(loggers);
    }

    @Override
    public void close() {
        context.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender(appender);
        context.getLogger(OWN).setLevel(before);
        appender.stop();
    }
}
