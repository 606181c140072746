"""A small HTTP/1.1 server whose requests cost CPU time: two builds of it differ by an argument.

Every request is answered with a digest that takes so many iterations. Run it with: service.py PORT
ITERATIONS
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import sys

LENGTH = re.compile(r"^content-length: *(\d+)", re.IGNORECASE | re.MULTILINE)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the requests of one connection until the client closes it or asks for its end."""
    keep, iterations = True, int(sys.argv[2])
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while keep:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = LENGTH.search(head)
            body = await reader.readexactly(int(length[1]) if length else 0)
            digest = hashlib.pbkdf2_hmac("sha256", body, b"salt", iterations).hex().encode()
            keep = "connection: close" not in head.lower()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 64\r\n\r\n" + digest)
            await writer.drain()
    writer.close()


async def main(port: int) -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
