package artifact.spring.admission;

import jakarta.servlet.*;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Refuses a request whose Content-Length is greater, which Tomcat does for forms only. */
record BodyLimit(int bytes) implements Filter {

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain next)
            throws IOException, ServletException {
        if (request.getContentLengthLong() > bytes) {
            ((HttpServletResponse) response).sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
        } else {
            next.doFilter(request, response);
        }
    }
}
