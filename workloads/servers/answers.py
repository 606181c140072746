"""Answers of a user's service: one of each request, and why a service will never answer right."""

from __future__ import annotations

import http.client
import uuid
from typing import Any

from workloads.servers.user_server import SECRET, UserServer

LIMIT_S, REQUESTS_AT_MOST, BYTES_SHOWN = 5.0, 10, 80
# Stands in an answer for the identifier that was asked with: answers are compared without it.
SAME_UUID = b"00000000-0000-4000-a000-000000000001"


def answers(subject: UserServer, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Status, type, length and first bytes of the answer to each of the first requests.

    A GET is sent twice: `varies` says whether both answers have the same bytes.
    """
    different = [each for at, each in enumerate(requests) if each not in requests[:at]]
    wanted = [each for each in different if "file" not in each][:REQUESTS_AT_MOST]
    return [of_request(subject, each) for each in wanted]


def of_request(subject: UserServer, request: dict[str, Any]) -> dict[str, Any]:
    found = {"request": f"{request['method']} {request['path']}"}
    try:
        status, type_, body = ask(subject, request)
        again = ask(subject, request)[2] if request["method"] == "GET" else body
    except (OSError, http.client.HTTPException) as fault:
        return found | {"fault": repr(fault)}
    shown = body[:BYTES_SHOWN].decode(errors="backslashreplace")
    for value in subject.client_environment.values():
        shown = shown.replace(value, "***")
    size = {"bytes": len(body), "first": shown, "varies": again != body}
    return found | {"status": status, "type": type_} | size


def ask(subject: UserServer, request: dict[str, Any]) -> tuple[int, str, bytes]:
    # A new one each time: variants may share a database that refuses what it has.
    fresh = str(uuid.uuid4())

    def filled(text: Any) -> str:
        text = SECRET.sub(lambda name: subject.client_environment[name[1]], str(text))
        return str(text).replace("{n}", "1").replace("{uuid}", fresh)

    headers = {name: filled(value) for name, value in request.get("headers", {}).items()}
    body = filled(request["body"]).encode() if "body" in request else None
    connection = http.client.HTTPConnection(subject.address, subject.port, timeout=LIMIT_S)
    try:
        connection.request(request["method"], filled(request["path"]), body, headers)
        response = connection.getresponse()
        answer = response.read().replace(fresh.encode(), SAME_UUID)
        return response.status, response.headers.get("Content-Type", ""), answer
    finally:
        connection.close()


def hopeless(subject: UserServer, fault: str) -> str:
    """Advice on a service that will never be ready; empty for one that may be."""
    status = fault.removeprefix("status ")[:3] if fault.startswith("status ") else ""
    if status.startswith("3"):
        return "name a ready_path that answers by itself, or ready_headers that let it"
    if status == "404" and "start_limit_s" not in subject.mode:
        return "name a ready_path that it has, or a start_limit_s if the page comes later"
    if status in ("400", "401", "403", "421"):
        return "if it wants a header: ready_headers: {Host: shop.example}, or another"
    return ""
