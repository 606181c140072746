"""A server whose curve is known: one worker with exponential service, in the order of requests.

It checks the generator and the curve, not a way of serving: each answer leaves at the time at which
the one worker of the queue would have done it, so that what Python costs does not add up. Run it
with: mm1.py PORT RATE_PER_S
"""

import contextlib
import random
import select
import socket
import sys
import time
from collections import deque

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\n" + b"x" * 42
END_OF_REQUEST = b"\r\n\r\n"
# epoll counts in milliseconds and rounds up: the last of them are spent asking.
ASK_FROM_S = 0.002


def serve(port: int, rate_per_s: float) -> None:
    """Serves until it is stopped; `rate_per_s` is the capacity."""
    chance, free_s = random.Random(1), 0.0
    answers: deque[tuple[float, socket.socket]] = deque()
    clients: dict[int, socket.socket] = {}
    listener = socket.create_server(("127.0.0.1", port), backlog=4096)
    poll = select.epoll()
    poll.register(listener.fileno(), select.EPOLLIN)
    print(f"listening on port {port}", flush=True)
    while True:
        left_s = answers[0][0] - time.monotonic() if answers else 1.0
        for number, _ in poll.poll(left_s - ASK_FROM_S / 2 if left_s > ASK_FROM_S else 0):
            if number == listener.fileno():
                client, _ = listener.accept()
                clients[client.fileno()] = client
                poll.register(client.fileno(), select.EPOLLIN)
                continue
            heads = receive(clients[number])
            if not heads:
                poll.unregister(number)
                clients.pop(number).close()
            for _ in range(heads.count(END_OF_REQUEST)):
                free_s = max(time.monotonic(), free_s) + chance.expovariate(rate_per_s)
                answers.append((free_s, clients[number]))
        while answers and answers[0][0] <= time.monotonic():
            answer(answers.popleft()[1])


def receive(client: socket.socket) -> bytes:
    """The heads of requests; nothing of a client that has gone."""
    try:
        return client.recv(65536)
    except ConnectionError:
        return b""


def answer(client: socket.socket) -> None:
    # The client may have given up.
    if client.fileno() >= 0:
        with contextlib.suppress(ConnectionError):
            client.sendall(ANSWER)


if __name__ == "__main__":
    serve(int(sys.argv[1]), float(sys.argv[2]))
