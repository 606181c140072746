"""An HTTP/1.1 server in Python's asyncio, as an example of a server that you compare with ours.

It answers what the servers of the study request-threads answer: GET /jmeter/test with a page of 42
bytes, GET /work?sleep_ms=100 with the same page after that wait. Run it with: server.py PORT
"""

import asyncio
import contextlib
import sys
from urllib.parse import parse_qs, urlsplit

PAGE = "요청을 받았고 이것이 응답이다".encode()


async def answer(target: str) -> tuple[str, bytes]:
    """Status and body of the answer to a request."""
    url = urlsplit(target)
    if url.path not in ("/jmeter/test", "/work"):
        return "404 Not Found", b""
    if url.query:
        sleep_ms = parse_qs(url.query)["sleep_ms"][0]
        await asyncio.sleep(int(sleep_ms) / 1000)
    return "200 OK", PAGE


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the requests of one connection until the client closes it or asks for its end."""
    keep = True
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while keep:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            status, body = await answer(head.split(" ")[1])
            keep = "connection: close" not in head.lower()
            fields = f"Content-Length: {len(body)}\r\n" + ("" if keep else "Connection: close\r\n")
            writer.write(f"HTTP/1.1 {status}\r\n{fields}\r\n".encode() + body)
            await writer.drain()
    writer.close()


async def main(port: int) -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=4096)
    print(f"listening on port {port}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
