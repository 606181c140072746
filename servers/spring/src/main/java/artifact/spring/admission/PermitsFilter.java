package artifact.spring.admission;

import artifact.stacks.common.Permits;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/**
 * Virtual threads that admit no more requests than a pool of that size would: the difference between
 * the two is then the kind of thread.
 */
final class PermitsFilter implements Filter {

    private final Permits permits;

    PermitsFilter(int permits) {
        this.permits = new Permits(permits);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain next)
            throws IOException, ServletException {
        permits.acquire();
        try {
            next.doFilter(request, response);
        } finally {
            permits.release();
        }
    }
}
