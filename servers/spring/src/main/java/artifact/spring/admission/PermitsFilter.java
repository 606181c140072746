package artifact.spring.admission;

import artifact.stacks.common.Permits;
import jakarta.servlet.*;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Admits so many requests to the handler, whatever thread they have; those that wait have it, and Tomcat has read
 * their heads by then. Virtual threads admit as many as a pool of that size then.
 *
 * @param waits for as long as it takes, or else for {@code waitMs} before it is answered with 503
 */
record PermitsFilter(Permits permits, boolean waits, int waitMs) implements Filter {

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
