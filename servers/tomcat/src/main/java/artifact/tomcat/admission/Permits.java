package artifact.tomcat.admission;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.util.concurrent.Semaphore;

/** Lets in so many requests at a time; the others wait, in the order in which they came. */
final class Permits implements Filter {

    private final Semaphore permits;

    Permits(int permits) {
        this.permits = new Semaphore(permits, true);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain next)
            throws IOException, ServletException {
        try {
            permits.acquire();
        } catch (InterruptedException stopped) {
            throw new ServletException("stopped while waiting to be let in", stopped);
        }
        try {
            next.doFilter(request, response);
        } finally {
            permits.release();
        }
    }
}
