package artifact.stacks.mvc;

import artifact.stacks.common.Options;
import artifact.stacks.common.Permits;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** Before the service: how many requests are let in, and how long a body may be, which no servlet limits. */
@Component
@Order(0)
class Admission implements Filter {

    private final Permits permits;
    private final int bodyBytes;

    Admission(Options options) {
        permits = new Permits(options.number("permits"));
        bodyBytes = options.number("body-bytes");
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain next)
            throws IOException, ServletException {
        if (request.getContentLengthLong() > bodyBytes) {
            ((HttpServletResponse) response).sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
            return;
        }
        try {
            permits.within(() -> {
                next.doFilter(request, response);
                return null;
            });
        } catch (IOException | ServletException | RuntimeException failure) {
            throw failure;
        } catch (Exception impossible) {
            throw new ServletException(impossible);
        }
    }
}
