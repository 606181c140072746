package artifact.spring.admission;

import artifact.stacks.common.Permits;
import jakarta.servlet.*;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Admits so many requests to the handler, whatever thread they have. Virtual threads
 * admit then as many as a pool of that size; platform threads of a larger pool wait here, in order where the permits are fair,
 * and not where they would overtake each other. A request beyond the permits waits, or is answered with 503, if it waits
 * for longer than it may; by then Tomcat has read its head, and it has its thread.
 */
final class PermitsFilter implements Filter {

    private final Permits permits;
    private final boolean waits;
    private final int waitMs;

    /** @param waitMs where it does not wait for as long as it takes */
    PermitsFilter(Permits permits, boolean waits, int waitMs) {
        this.permits = permits;
        this.waits = waits;
        this.waitMs = waitMs;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain next)
            throws IOException, ServletException {
        if (waits) {
            permits.acquire();
        } else if (!permits.tryAcquire(waitMs)) {
            refuse((HttpServletResponse) response);
            return;
        }
        try {
            next.doFilter(request, response);
        } finally {
            permits.release();
        }
    }

    /** Without an error page, which would cost as much as many a request. Tomcat closes the connection after a 503. */
    private static void refuse(HttpServletResponse response) {
        response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        response.setHeader("Retry-After", "1");
        response.setContentLength(0);
    }
}
