package dev.fermata.cli.daemon;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import dev.fermata.insight.exit.UserError;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The daemon's log: a file in its data folder that is rotated, so that it stays small. Until the folder is known to be ours, lines are
 * kept in memory: the file may be that of a daemon that is up.
 */
final class DaemonLog extends AppenderBase<ILoggingEvent> {
    static final String NAME = "daemon.log";
    private static final String ROLLED = "daemon.%i.log.gz";
    private static final int MAX_FILES = 5;
    private static final String MAX_FILE_SIZE = "10MB";
    /** The id of a request is that of its answer ({@code X-Request-Id}). */
    private static final String PATTERN = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %thread %logger{0}:"
            + "%replace( request=%X{request}){' request=$', ''} %msg%n";
    /** Libraries that log more than is useful. */
    private static final List<String> NOISY_LIBRARIES =
            List.of("org.eclipse.jetty", "io.javalin", "com.zaxxer.hikari", "org.postgresql");

    /** They write a line about each malformed request, with parts of it: a stranger could fill the log. */
    static final List<String> SILENT_LOGGERS = List.of("org.eclipse.jetty.http", "org.eclipse.jetty.util.HostPort");

    private static final int MAX_BUFFERED = 1000;

    private final List<ILoggingEvent> buffered = new ArrayList<>();
    private @Nullable Appender<ILoggingEvent> file;

    private DaemonLog() {}

    /** Begins to listen. */
    static DaemonLog inMemory() {
        DaemonLog log = new DaemonLog();
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.reset();
            log.setContext(context);
            log.start();
            Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
            root.setLevel(Level.INFO);
            root.addAppender(log);
            NOISY_LIBRARIES.forEach(name -> context.getLogger(name).setLevel(Level.WARN));
            SILENT_LOGGERS.forEach(name -> context.getLogger(name).setLevel(Level.OFF));
        }
        return log;
    }

    /** From now on lines go to the file, the buffered ones first. */
    synchronized void openFile(Path folder) {
        if (getContext() instanceof LoggerContext context) {
            makePrivate(folder.resolve(NAME));
            Appender<ILoggingEvent> opened = fileAppender(folder, context);
            buffered.forEach(opened::doAppend);
            buffered.clear();
            file = opened;
        }
    }

    /** Called by one thread at a time. */
    @Override
    protected synchronized void append(ILoggingEvent event) {
        if (file != null) {
            file.doAppend(event);
        } else if (buffered.size() < MAX_BUFFERED) {
            event.prepareForDeferredProcessing();
            buffered.add(event);
        }
    }

    @Override
    public synchronized void stop() {
        super.stop();
        if (file != null) {
            file.stop();
        }
    }

    static RollingFileAppender<ILoggingEvent> fileAppender(Path folder, LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(PATTERN);
        encoder.start();
        RollingFileAppender<ILoggingEvent> file = new PrivateFileAppender(folder);
        file.setContext(context);
        file.setFile(folder.resolve(NAME).toString());
        file.setEncoder(encoder);
        FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
        rolling.setContext(context);
        rolling.setParent(file);
        rolling.setFileNamePattern(folder.resolve(ROLLED).toString());
        rolling.setMaxIndex(MAX_FILES);
        rolling.start();
        SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
        size.setContext(context);
        size.setMaxFileSize(FileSize.valueOf(MAX_FILE_SIZE));
        size.start();
        file.setRollingPolicy(rolling);
        file.setTriggeringPolicy(size);
        file.start();
        return file;
    }

    /** Creates every file for the daemon's account alone, also after it has rolled. */
    private static final class PrivateFileAppender extends RollingFileAppender<ILoggingEvent> {
        private final Path folder;

        PrivateFileAppender(Path folder) {
            this.folder = folder;
        }

        @Override
        public void rollover() {
            super.rollover();
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "daemon*.log*")) {
                for (Path each : files) {
                    Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rw-------"));
                }
            } catch (IOException e) {
                addError("log files in " + folder + " may be readable by others", e);
            }
        }

        @Override
        public void openFile(String name) throws IOException {
            makePrivate(Path.of(name));
            super.openFile(name);
        }
    }

    /** Called before the first line is written. */
    private static void makePrivate(Path file) {
        try {
            if (!Files.exists(file)) {
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
        } catch (IOException e) {
            throw UserError.failed("cannot write the log '" + file + "': " + e.getMessage(), e);
        }
    }
}
