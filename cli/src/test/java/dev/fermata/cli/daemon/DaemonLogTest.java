package dev.fermata.cli.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.rolling.RollingFileAppender;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon's log belongs to its account alone. */
class DaemonLogTest {
    @TempDir
    Path folder;

    private static LoggerContext context() {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        return context;
    }

    @Test
    void logFilesStayPrivateWhenTheyRoll() throws IOException {
        RollingFileAppender<ILoggingEvent> appender = DaemonLog.fileAppender(folder, context());
        Files.writeString(folder.resolve(DaemonLog.NAME), "a line\n");

        appender.rollover();
        Files.writeString(folder.resolve(DaemonLog.NAME), "another\n");
        appender.rollover();
        appender.stop();

        List<String> modes = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                modes.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            }
        }
        assertThat(modes).hasSizeGreaterThan(1).containsOnly("rw-------");
    }

    @Test
    void linesAboutARequestNameIt() throws IOException {
        LoggerContext context = context();
        RollingFileAppender<ILoggingEvent> appender = DaemonLog.fileAppender(folder, context);
        Logger logger = context.getLogger("dev.fermata.live.api.RefusalLog");
        logger.addAppender(appender);

        logger.info("no request");
        context.getMDCAdapter().put("request", "00ab34cd56ef");
        logger.warn("cancel refused");
        context.getMDCAdapter().remove("request");
        appender.stop();

        assertThat(Files.readAllLines(folder.resolve(DaemonLog.NAME)))
                .satisfiesExactly(
                        line -> assertThat(line).endsWith(" RefusalLog: no request"),
                        line -> assertThat(line).endsWith(" RefusalLog: request=00ab34cd56ef cancel refused"));
    }

    @Test
    void librariesThatRepeatMalformedRequestsAreSilent() {
        // MalformedRequestsTest finds which ones these are.
        assertThat(DaemonLog.SILENT_LOGGERS)
                .containsExactly("org.eclipse.jetty.http", "org.eclipse.jetty.util.HostPort");
    }
}
