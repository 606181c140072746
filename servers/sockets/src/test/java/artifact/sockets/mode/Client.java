package artifact.sockets.mode;

import module java.base;

/** A client that says exactly what a test wants said, byte by byte if need be. */
final class Client implements AutoCloseable {

    static final String PAGE = get("/jmeter/test");

    /** One answer; field names are in lower case. */
    record Reply(int status, Map<String, String> fields, byte[] body) {

        String connection() {
            return fields.get("connection");
        }
    }

    private final Socket socket;
    private final InputStream in;

    Client(int port) throws IOException {
        socket = new Socket("127.0.0.1", port);
        socket.setSoTimeout(ServerProcess.PATIENCE_S * 1000);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
    }

    Client send(String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    Reply ask(String request) throws IOException {
        return send(request).reply();
    }

    Reply reply() throws IOException {
        return reply(true);
    }

    byte[] everything() throws IOException {
        return in.readAllBytes();
    }

    boolean isAtEnd() throws IOException {
        return in.read() < 0;
    }

    void endRequests() throws IOException {
        socket.shutdownOutput();
    }

    /** Whether something, the end included, has come from the server already; does not wait for it. */
    boolean hasNews() throws IOException {
        return in.available() > 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** @param withBody false: the answer to a HEAD request ends with its head */
    Reply reply(boolean withBody) throws IOException {
        String[] head = head().split("\r\n");
        Map<String, String> fields = new TreeMap<>();
        for (int i = 1; i < head.length; i++) {
            String[] field = head[i].split(": ", 2);
            fields.put(field[0].toLowerCase(Locale.ROOT), field[1]);
        }
        int length = Integer.parseInt(fields.get("content-length"));
        byte[] body = in.readNBytes(withBody ? length : 0);
        return new Reply(Integer.parseInt(head[0].split(" ")[1]), fields, body);
    }

    private String head() throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("closed after: " + head);
            }
            head.write(next);
        }
        return head.toString(StandardCharsets.US_ASCII);
    }
}
