package dev.fermata.live.api;

import dev.fermata.history.HistoryEntry;
import dev.fermata.live.access.SessionService;
import dev.fermata.live.preemptions.PreemptionLogReader;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP API server. It makes no decision and keeps no state: it asks the scheduler service and the store, and returns what
 * the caller may see.
 */
public final class ApiServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);
    /** Those that read requests; handlers have their own. */
    private static final int THREADS = 16;

    private static final int HEADER_BYTES = 16 * 1024;

    private final ApiSettings settings;
    private final RequestThreads requestThreads = new RequestThreads();
    private final OpenConnections connections;
    private final QueuedThreadPool threads;
    private final OpenStreams streams;
    private final PreemptionLogReader preemptions;
    private final List<Endpoint> endpoints;
    private final WebPage page;
    private final RequestDispatcher dispatcher;
    private final Javalin javalin;
    private final AutoCloseable subscription;
    private @Nullable LocalSocket localSocket;

    private ApiServer(ApiSettings settings, ApiPorts ports) {
        this.settings = settings;
        ApiSettings.Limits limits = settings.limits();
        this.connections =
                new OpenConnections(limits.rate().connections(), limits.rate().connectionsPerCaller());
        this.threads = new QueuedThreadPool(THREADS, 4, 30_000);
        threads.setName("fermata-http");
        threads.setDaemon(true);
        this.streams = new OpenStreams(
                limits.rate().streams(),
                limits.rate().streamsPerUser(),
                limits.timeouts().heartbeat(),
                requestThreads.writers(),
                requestThreads.timer());
        SchedulerMetrics metrics = SchedulerMetrics.register(ports, streams);
        this.preemptions =
                new PreemptionLogReader(ports.reader(), () -> ports.scheduler().topology());
        SessionService sessions =
                new SessionService(ports.tokens()::isValid, () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        this.endpoints = endpoints(ports, sessions);
        this.page = new WebPage(ports.daemon().page());
        RequestGuard guard = new RequestGuard(settings, ports.tokens(), sessions, ports.reports(), System::nanoTime);
        this.dispatcher = new RequestDispatcher(settings, ports, guard, streams, connections, requestThreads);
        this.javalin = Javalin.create(config -> configure(config));
        this.subscription = ports.scheduler().subscribe(entry -> onHistoryEntry(metrics, entry));
    }

    /** Starts the server; throws with a message for the operator when the settings are not allowed or the port is taken. */
    public static ApiServer start(ApiSettings settings, ApiPorts ports) {
        requireTlsBeyondLoopback(settings);
        ApiServer server = new ApiServer(settings, ports);
        try {
            server.javalin.start();
        } catch (RuntimeException e) {
            server.close();
            throw new IllegalArgumentException(
                    "cannot listen on " + settings.bind() + ":" + settings.port() + ": " + rootMessage(e), e);
        }
        LOG.info("API server: listening on {}", server.url());
        return server;
    }

    /** Reads the preemption log in the background, after the recovery, so that the first request finds it in memory. */
    public void readAhead() {
        preemptions.readAhead();
    }

    public int port() {
        return javalin.port();
    }

    /** The URL for a client on this machine. */
    public String url() {
        return settings.url(port());
    }

    /**
     * Lets accounts of this machine call without a token, by a socket. Only the daemon that leads does so.
     *
     * @param data the folder of the socket
     * @param others whether accounts other than the daemon's may connect
     */
    public synchronized void openLocalSocket(Path data, boolean others) {
        Server server = javalin.jettyServer().server();
        HttpConfiguration http = new HttpConfiguration();
        configure(http);
        UnixDomainServerConnector connector = LocalSocket.connector(server, http);
        limit(connector);
        localSocket = LocalSocket.open(server, connector, data, others);
    }

    /** The socket by which accounts of this machine call without a token; null unless this daemon leads. */
    public synchronized @Nullable Path localSocket() {
        return localSocket == null ? null : localSocket.path();
    }

    /** All routes. */
    List<Endpoint> endpoints() {
        return endpoints;
    }

    @Override
    public void close() {
        // First, while their connections exist: the end of a stream is written to one.
        streams.close();
        synchronized (this) {
            if (localSocket != null) {
                localSocket.close();
            }
        }
        try {
            subscription.close();
        } catch (Exception e) {
            LOG.warn("API server: stop failed", e);
        }
        javalin.stop();
        dispatcher.close();
        requestThreads.close();
    }

    private List<Endpoint> endpoints(ApiPorts ports, SessionService sessions) {
        StartPredictions starts = new StartPredictions(ports);
        ports.metrics().registry().register(new AccuracyMetrics(ports, preemptions));
        JobRoutes jobs = new JobRoutes(ports, settings, starts, preemptions);
        List<Endpoint> all = new ArrayList<>(jobs.endpoints());
        all.addAll(new SubmitRoutes(ports, settings).endpoints());
        all.addAll(new EventRoutes(ports, settings, jobs, streams).endpoints());
        all.addAll(new PreemptionRoutes(preemptions, settings).endpoints());
        all.addAll(new LogRoutes(ports, jobs, streams).endpoints());
        all.addAll(new ReportRoutes(ports).endpoints());
        all.addAll(new ClusterRoutes(ports).endpoints());
        all.addAll(new ProfileRoutes(ports).endpoints());
        all.addAll(new AccessRoutes(ports, settings).endpoints());
        all.addAll(new SessionRoutes(settings, ports.tokens(), sessions, this::url, System::nanoTime).endpoints());
        all.addAll(new OverviewRoutes(ports).endpoints());
        all.addAll(new StatusRoutes(ports, settings, streams).endpoints());
        all.addAll(starts.endpoints());
        return new DocRoutes(ports.daemon().version()).withDocs(all);
    }

    private void configure(JavalinConfig config) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.http.prefer405over404 = true;
        config.http.asyncTimeout = 0;
        config.http.compressionStrategy = io.javalin.compression.CompressionStrategy.NONE;
        config.jetty.threadPool = threads;
        config.jetty.modifyServer(server -> {
            server.setErrorHandler(new ProblemErrorHandler());
            // Streams never end by themselves, so a graceful stop would not end.
            server.setStopTimeout(0);
        });
        config.jetty.modifyServletContextHandler(context -> context.setErrorHandler(new ProblemErrorHandler()));
        config.jetty.addConnector(this::connector);
        config.routes.before(dispatcher::beforeRequest);
        config.routes.exception(Exception.class, (e, http) -> dispatcher.handleException(http, e));
        // Javalin answers these itself, unless a handler is set.
        config.routes.exception(HttpResponseException.class, (e, http) -> dispatcher.handleException(http, e));
        page.addRoutes(config);
        for (Endpoint endpoint : endpoints) {
            config.routes.addHttpHandler(
                    HandlerType.findOrCreate(endpoint.verb().name()),
                    endpoint.path(),
                    http -> dispatcher.dispatch(http, endpoint));
        }
    }

    private Connector connector(Server server, HttpConfiguration http) {
        configure(http);
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
        limit(connector);
        return connector;
    }

    private void configure(HttpConfiguration http) {
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(HEADER_BYTES);
        http.setUriCompliance(UriCompliance.RFC3986);
        http.setIdleTimeout(settings.limits().timeouts().idle().toMillis());
    }

    private void limit(AbstractConnector connector) {
        ApiSettings.Limits limits = settings.limits();
        connector.setIdleTimeout(limits.timeouts().idle().toMillis());
        connector.addBean(new SlowConnections(limits.timeouts().requestTime().toMillis(), requestThreads.timer()));
        connector.addBean(connections);
    }

    /** Runs on the scheduler loop's thread: it must not block. */
    private void onHistoryEntry(SchedulerMetrics metrics, HistoryEntry entry) {
        streams.signalAll();
        metrics.count(entry);
    }

    private static void requireTlsBeyondLoopback(ApiSettings settings) {
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

    private static @Nullable String rootMessage(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage();
    }
}
