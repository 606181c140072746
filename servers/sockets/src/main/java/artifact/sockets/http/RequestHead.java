package artifact.sockets.http;

import module java.base;

/**
 * A request's head, checked against RFC 9112 as far as loads go: the request, and how many bytes of body follow it.
 *
 * @param contentLength length of the body in bytes
 */
record RequestHead(Request request, long contentLength) {

    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final Pattern REQUEST_LINE =
            Pattern.compile("(" + TOKEN + ") ([!-~]+) HTTP/([0-9])\\.([0-9])");
    private static final Pattern FIELD = Pattern.compile("(" + TOKEN + "):[ \t]*(.*?)[ \t]*");

    static RequestHead of(byte[] head, int length) throws RefusedException {
        // Field values may hold any byte above 127; Latin-1 keeps each as one character.
        String[] lines = new String(head, 0, length, StandardCharsets.ISO_8859_1).split("\r\n");
        Matcher line = REQUEST_LINE.matcher(lines[0]);
        if (!line.matches()) {
            throw new RefusedException("the first line must read METHOD TARGET HTTP/1.1");
        }
        if (!line.group(3).equals("1")) {
            throw new RefusedException("only HTTP/1.0 and HTTP/1.1 are supported");
        }
        boolean http10 = line.group(4).equals("0");
        Fields fields = Fields.of(lines);
        fields.requireHost(http10);
        return new RequestHead(
                request(line.group(1), line.group(2), fields.keepAlive(http10)), fields.contentLength());
    }

    private static Request request(String method, String target, boolean keepAlive) {
        int mark = target.indexOf('?');
        return mark < 0
                ? new Request(method, target, "", keepAlive)
                : new Request(method, target.substring(0, mark), target.substring(mark + 1), keepAlive);
    }

    /** The three fields that decide how a connection goes on; each list holds one entry a field line. */
    private record Fields(List<String> host, List<String> connection, List<String> contentLengths) {

        static Fields of(String[] lines) throws RefusedException {
            Fields fields = new Fields(new ArrayList<>(1), new ArrayList<>(1), new ArrayList<>(0));
            for (int i = 1; i < lines.length; i++) {
                Matcher field = FIELD.matcher(lines[i]);
                if (!field.matches()) {
                    throw new RefusedException("a header field must read Name: value");
                }
                fields.take(field.group(1).toLowerCase(Locale.ROOT), field.group(2));
            }
            return fields;
        }

        private void take(String name, String value) throws RefusedException {
            switch (name) {
                case "host" -> host.add(value);
                case "connection" -> connection.add(value.toLowerCase(Locale.ROOT));
                case "content-length" -> contentLengths.add(value);
                // Allowed by RFC 9112, section 6.3; nothing here reads a body, so none is decoded.
                case "transfer-encoding" -> throw new RefusedException("a body needs its Content-Length");
                default -> {}
            }
        }

        private void requireHost(boolean http10) throws RefusedException {
            if (host.size() > 1 || host.isEmpty() && !http10) {
                throw new RefusedException("a request has exactly one Host field");
            }
        }

        private long contentLength() throws RefusedException {
            List<String> lengths = contentLengths.stream().distinct().toList();
            if (lengths.isEmpty()) {
                return 0;
            }
            if (lengths.size() > 1 || !lengths.getFirst().matches("[0-9]{1,9}")) {
                throw new RefusedException("Content-Length is one whole number of bytes, of 9 digits at most");
            }
            return Integer.parseInt(lengths.getFirst());
        }

        /** RFC 9112, section 9.3: open by default since 1.1, closed by default before; close wins. */
        private boolean keepAlive(boolean http10) {
            List<String> options =
                    connection.stream().flatMap(value -> List.of(value.split("[ \t]*,[ \t]*")).stream()).toList();
            return !options.contains("close") && (!http10 || options.contains("keep-alive"));
        }
    }
}
