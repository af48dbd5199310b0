package dev.fermata.cli.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A real Chromium without a window, driven over its DevTools protocol. Records the errors and requests of pages. */
final class Browser implements AutoCloseable {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final long TIMEOUT_SECONDS = 90;
    private static final Duration POLL = Duration.ofMillis(50);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final Path profile;
    private final WebSocket socket;
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<String> consoleErrors = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile CompletableFuture<Void> loaded = new CompletableFuture<>();
    private int number;
    private String session = "";

    private Browser(Process process, Path profile, String address) {
        this.process = process;
        this.profile = profile;
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(address), new MessageListener())
                .join();
    }

    static Browser start() throws Exception {
        Path profile = Files.createTempDirectory("fermata-browser");
        Process process = new ProcessBuilder(
                        program().toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader said = new BufferedReader(new InputStreamReader(process.getErrorStream(), UTF_8));
        String line;
        while ((line = said.readLine()) != null && !line.contains("DevTools listening on ")) {
            // it says other things first
        }
        if (line == null) {
            throw new IllegalStateException("the browser ended before it listened");
        }
        Thread drain = new Thread(() -> said.lines().forEach(l -> {}), "browser-says");
        drain.setDaemon(true);
        drain.start();
        Browser browser = new Browser(process, profile, line.substring(line.indexOf("ws://")));
        browser.openPage();
        return browser;
    }

    private static Path program() {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            for (String name : NAMES) {
                Path file = Path.of(folder, name);
                if (Files.isExecutable(file)) {
                    return file;
                }
            }
        }
        throw new IllegalStateException("no browser found: reports are tested in a real one. Install Chromium, such as"
                + " 'apt-get install --no-install-recommends chromium', so that one of " + NAMES + " is on the PATH");
    }

    private void openPage() throws Exception {
        ObjectNode blank = JSON.createObjectNode().put("url", "about:blank");
        String target = call("Target.createTarget", blank).get("targetId").asText();
        ObjectNode attach = JSON.createObjectNode().put("targetId", target).put("flatten", true);
        session = call("Target.attachToTarget", attach).get("sessionId").asText();
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(domain + ".enable", JSON.createObjectNode());
        }
    }

    void open(Path page, int width, int height) throws Exception {
        open(page.toUri(), width, height);
    }

    void open(URI page, int width, int height) throws Exception {
        call(
                "Emulation.setDeviceMetricsOverride",
                JSON.createObjectNode()
                        .put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
        loaded = new CompletableFuture<>();
        call("Page.navigate", JSON.createObjectNode().put("url", page.toString()));
        loaded.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    /** The value of a JavaScript expression in the page. */
    JsonNode evaluate(String expression) throws Exception {
        JsonNode answer = call(
                "Runtime.evaluate",
                JSON.createObjectNode().put("expression", expression).put("returnByValue", true));
        if (answer.has("exceptionDetails")) {
            throw new IllegalStateException(answer.get("exceptionDetails").toString());
        }
        return answer.get("result").path("value");
    }

    /** Waits until a JavaScript expression is true in the page. */
    void waitFor(String expression) {
        Awaitility.await(expression)
                .atMost(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .pollInterval(POLL)
                .ignoreExceptions()
                .until(() -> evaluate("!!(" + expression + ")").asBoolean());
    }

    /** A picture of what is on the screen, for people who look at a failure. */
    byte[] screenshot() throws Exception {
        return Base64.getDecoder()
                .decode(call("Page.captureScreenshot", JSON.createObjectNode())
                        .get("data")
                        .asText());
    }

    void key(String key) throws Exception {
        for (String type : List.of("keyDown", "keyUp")) {
            call(
                    "Input.dispatchKeyEvent",
                    JSON.createObjectNode().put("type", type).put("key", key));
        }
    }

    void mouse(String type, double x, double y, int buttons) throws Exception {
        call(
                "Input.dispatchMouseEvent",
                JSON.createObjectNode()
                        .put("type", type)
                        .put("x", x)
                        .put("y", y)
                        .put("button", buttons > 0 || type.equals("mouseReleased") ? "left" : "none")
                        .put("buttons", buttons)
                        .put("clickCount", type.equals("mouseMoved") ? 0 : 1));
    }

    void emulateDarkMode(boolean dark) throws Exception {
        ObjectNode media = JSON.createObjectNode();
        media.putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", dark ? "dark" : "light");
        call("Emulation.setEmulatedMedia", media);
    }

    /** Errors and warnings of the page since the start. */
    List<String> consoleErrors() {
        return consoleErrors;
    }

    /** Everything pages asked for since the start. */
    List<String> requests() {
        return requests;
    }

    private JsonNode call(String method, ObjectNode parameters) throws Exception {
        ObjectNode message = JSON.createObjectNode().put("id", ++number).put("method", method);
        message.set("params", parameters);
        if (!session.isEmpty()) {
            message.put("sessionId", session);
        }
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(number, answer);
        socket.sendText(message.toString(), true).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        JsonNode answered = answer.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        if (answered.has("error")) {
            throw new IllegalStateException(method + ": " + answered.get("error"));
        }
        return answered.get("result");
    }

    private void onMessage(JsonNode message) {
        CompletableFuture<JsonNode> answer =
                message.has("id") ? answers.remove(message.get("id").asInt()) : null;
        if (answer != null) {
            answer.complete(message);
            return;
        }
        JsonNode about = message.path("params");
        switch (message.path("method").asText()) {
            case "Page.loadEventFired" -> loaded.complete(null);
            case "Runtime.exceptionThrown" ->
                consoleErrors.add(about.path("exceptionDetails").toString());
            case "Runtime.consoleAPICalled", "Log.entryAdded" -> consoleErrors.add(about.toString());
            case "Network.requestWillBeSent" ->
                requests.add(about.path("request").path("url").asText());
            default -> {}
        }
    }

    private final class MessageListener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                try {
                    onMessage(JSON.readTree(text.toString()));
                } catch (IOException e) {
                    consoleErrors.add("unreadable: " + e.getMessage());
                }
                text.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }

    @Override
    public void close() throws IOException {
        socket.abort();
        List<ProcessHandle> family = new ArrayList<>(process.descendants().toList());
        process.destroy();
        process.onExit().orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
        family.forEach(ProcessHandle::destroyForcibly);
        try (var files = Files.walk(profile)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(f -> f.toFile().delete());
        }
    }
}
