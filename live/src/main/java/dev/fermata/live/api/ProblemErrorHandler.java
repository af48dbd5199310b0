package dev.fermata.live.api;

import dev.fermata.live.api.view.ProblemDetails;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Writes a problem document for a request that is rejected before any route, such as malformed HTTP. */
final class ProblemErrorHandler extends ErrorHandler {
    private static final String TYPE = "application/problem+json";

    @Override
    protected void generateResponse(
            Request request, Response response, int status, String message, Throwable cause, Callback callback) {
        response.getHeaders().put(new HttpField(HttpHeader.CONTENT_TYPE, TYPE));
        response.write(true, ByteBuffer.wrap(body(status)), callback);
    }

    private static byte[] body(int status) {
        String title = HttpStatus.getMessage(status);
        return ApiJson.write(new ProblemDetails(
                "about:blank", title, status, "the request could not be understood or answered", null));
    }
}
