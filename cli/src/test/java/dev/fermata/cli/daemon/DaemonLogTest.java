package dev.fermata.cli.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
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

    @Test
    void logFilesStayPrivateWhenTheyRoll() throws IOException {
        RollingFileAppender<ILoggingEvent> appender = DaemonLog.fileAppender(folder, new LoggerContext());
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
}
