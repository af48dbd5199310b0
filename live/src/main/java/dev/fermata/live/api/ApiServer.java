package dev.fermata.live.api;

import dev.fermata.live.ledger.PreemptionBook;
import dev.fermata.live.store.Line;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP door. It decides nothing and keeps nothing: it asks the desk and the store, and shows what they say to those who may see it.
 */
public final class ApiServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);
    private static final int THREADS = 48;
    private static final int HEADER_BYTES = 16 * 1024;

    private final ApiSettings settings;
    private final ScheduledExecutorService timer;
    private final QueuedThreadPool threads;
    private final Streams streams;
    private final PreemptionBook preemptions;
    private final List<Endpoint> endpoints;
    private final Javalin javalin;
    private final AutoCloseable following;

    private ApiServer(ApiSettings settings, ApiPorts ports) {
        this.settings = settings;
        ApiSettings.Limits limits = settings.limits();
        this.timer = timer();
        this.threads = new QueuedThreadPool(THREADS, 4, 30_000);
        threads.setName("fermata-http");
        threads.setDaemon(true);
        this.streams = new Streams(limits.streams(), limits.heartbeat(), threads, timer);
        DeskGauges gauges = DeskGauges.register(ports, streams);
        this.preemptions = new PreemptionBook(ports.reader(), ports.desk().topology());
        this.endpoints = endpoints(ports);
        Doorkeeper doorkeeper = new Doorkeeper(settings, ports.tokens(), System::nanoTime);
        Reception reception = new Reception(settings, ports, doorkeeper, streams, threads, timer);
        this.javalin = Javalin.create(config -> configure(config, reception));
        this.following = ports.desk().follow(line -> heard(gauges, line));
    }

    /** Listens; throws with a sentence for the operator when these settings are not allowed or the port is taken. */
    public static ApiServer start(ApiSettings settings, ApiPorts ports) {
        refusePlainTextElsewhere(settings);
        ApiServer server = new ApiServer(settings, ports);
        try {
            server.javalin.start();
        } catch (RuntimeException e) {
            server.close();
            throw new IllegalArgumentException(
                    "cannot listen on " + settings.bind() + ":" + settings.port() + ": " + rootOf(e), e);
        }
        LOG.info("listening on {}", server.url());
        return server;
    }

    /** Reads what somebody may ask for soon, beside everything else: not before the daemon has recovered, which would have to wait for it. */
    public void readAhead() {
        preemptions.readAhead();
    }

    public int port() {
        return javalin.port();
    }

    /** How a client on this machine calls it. */
    public String url() {
        String host = isEverywhere() ? "127.0.0.1" : settings.bind();
        String shown = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        return (settings.tls() == null ? "http://" : "https://") + shown + ":" + port();
    }

    /** Every route there is. */
    List<Endpoint> endpoints() {
        return endpoints;
    }

    @Override
    public void close() {
        try {
            following.close();
        } catch (Exception e) {
            LOG.warn("the desk would not let go", e);
        }
        streams.close();
        javalin.stop();
        timer.shutdownNow();
    }

    private List<Endpoint> endpoints(ApiPorts ports) {
        Starts starts = new Starts(ports);
        ports.meters().registry().register(new HindsightFigures(ports, preemptions));
        JobRoutes jobs = new JobRoutes(ports, settings, starts, preemptions);
        List<Endpoint> all = new ArrayList<>(jobs.endpoints());
        all.addAll(new SubmitRoutes(ports, settings).endpoints());
        all.addAll(new EventRoutes(ports, settings, jobs, streams).endpoints());
        all.addAll(new PreemptionRoutes(preemptions, settings).endpoints());
        all.addAll(new LogRoutes(ports, jobs, streams).endpoints());
        all.addAll(new ClusterRoutes(ports).endpoints());
        all.addAll(new ProfileRoutes(ports).endpoints());
        all.addAll(new AccessRoutes(ports, settings).endpoints());
        all.addAll(new StatusRoutes(ports, settings, streams).endpoints());
        all.addAll(starts.endpoints());
        return new DocRoutes(ports.about().version()).describing(all);
    }

    private void configure(JavalinConfig config, Reception reception) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.http.prefer405over404 = true;
        config.http.asyncTimeout = 0;
        config.http.compressionStrategy = io.javalin.compression.CompressionStrategy.NONE;
        config.jetty.threadPool = threads;
        config.jetty.modifyServer(server -> {
            server.setErrorHandler(new PlainErrors());
            // Streams never end by themselves: there is nothing to wait for.
            server.setStopTimeout(0);
        });
        config.jetty.modifyServletContextHandler(context -> context.setErrorHandler(new PlainErrors()));
        config.jetty.addConnector(this::connector);
        config.routes.before(reception::greet);
        config.routes.exception(Exception.class, (e, http) -> reception.refuse(http, e));
        // Javalin has an answer of its own to these, unless told otherwise.
        config.routes.exception(HttpResponseException.class, (e, http) -> reception.refuse(http, e));
        for (Endpoint endpoint : endpoints) {
            config.routes.addHttpHandler(
                    HandlerType.findOrCreate(endpoint.verb().name()),
                    endpoint.path(),
                    http -> reception.answer(http, endpoint));
        }
    }

    private Connector connector(Server server, HttpConfiguration http) {
        ApiSettings.Limits limits = settings.limits();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(HEADER_BYTES);
        http.setUriCompliance(UriCompliance.RFC3986);
        http.setIdleTimeout(limits.idle().toMillis());
        ServerConnector connector;
        if (settings.tls() == null) {
            connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
        } else {
            http.addCustomizer(new SecureRequestCustomizer(false));
            SslConnectionFactory ssl = new SslConnectionFactory(TlsFiles.open(settings.tls()), "http/1.1");
            connector = new ServerConnector(server, 1, 1, ssl, new HttpConnectionFactory(http));
        }
        connector.setHost(settings.bind());
        connector.setPort(settings.port());
        connector.setIdleTimeout(limits.idle().toMillis());
        connector.addBean(new SlowConnections(limits.requestTime().toMillis(), timer));
        connector.addBean(new NetworkConnectionLimit(limits.connections(), connector));
        return connector;
    }

    /** On the conductor's thread: must be quick. */
    private void heard(DeskGauges gauges, Line line) {
        streams.wake();
        gauges.count(line);
    }

    private static void refusePlainTextElsewhere(ApiSettings settings) {
        try {
            if (settings.tls() == null
                    && !InetAddress.getByName(settings.bind()).isLoopbackAddress()) {
                throw new IllegalArgumentException(
                        "--bind (" + settings.bind()
                                + ") is not loopback, and tokens would travel in plain text. Give --tls-cert and --tls-key, or --tls auto.");
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("--bind (" + settings.bind() + ") is no address of this machine", e);
        }
    }

    private boolean isEverywhere() {
        return settings.bind().equals("0.0.0.0") || settings.bind().equals("::");
    }

    private static ScheduledExecutorService timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = Executors.defaultThreadFactory().newThread(task);
            thread.setName("fermata-http-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    private static @Nullable String rootOf(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage();
    }
}
