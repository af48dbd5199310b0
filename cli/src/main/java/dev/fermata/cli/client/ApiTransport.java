package dev.fermata.cli.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/** Carries requests to the daemon and answers back. */
interface ApiTransport {
    /**
     * A request.
     *
     * @param target its path and query
     * @param stream whether the answer is read while it is being written, without a time limit
     */
    record ApiRequest(String method, String target, Map<String, String> headers, String body, boolean stream) {
        byte[] bodyBytes() {
            return body.getBytes(StandardCharsets.UTF_8);
        }
    }

    /** An answer; the names of its headers are in lower case. */
    record ApiAnswer(int status, Map<String, String> headers, InputStream body) {
        String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }
    }

    /** The answer, with the whole body at hand unless the request asks for a stream. */
    ApiAnswer send(ApiRequest request) throws IOException, InterruptedException;
}
