package artifact.spring.admission;

import artifact.stacks.common.Permits;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/**
 * Admits so many requests to the handler, first come, first served, whatever thread they have. Virtual threads
 * admit then as many as a pool of that size; platform threads of a larger pool wait here, in order, and not where
 * they would overtake each other.
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
