"""A server that answers chats as OpenAI's interface does, or fails in many ways."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Asked"], None]


class Asked(BaseHTTPRequestHandler):
    """One request, and ways to answer it."""

    server: Stub
    request_json: dict[str, Any]

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.request_json = json.loads(self.rfile.read(length))
        with self.server.lock:
            self.server.requests.append(self.request_json)
            self.server.seen.append((self.path, self.headers.get("Authorization")))
            number = len(self.server.requests)
            self.server.open.add(number)
            self.server.most = max(self.server.most, len(self.server.open))
        self.number = number
        try:
            self.server.answer(self, number)
        except OSError:
            pass  # the other side has gone
        finally:
            self.done()

    def done(self) -> None:
        """Count the request as answered."""
        with self.server.lock:
            self.server.open.discard(self.number)

    @property
    def board(self) -> str:
        """What the model is shown."""
        return self.request_json["messages"][1]["content"]

    @property
    def last(self) -> str:
        """What it is told last."""
        return self.request_json["messages"][-1]["content"]

    def say(self, text: Any, usage: dict[str, Any] | None = None) -> None:
        """Answer as a model does."""
        usage = usage or {"prompt_tokens": 100, "completion_tokens": 2}
        choices = [{"message": {"role": "assistant", "content": text}}]
        self.send(200, json.dumps({"choices": choices, "usage": usage}).encode())

    def send(self, status: int, content: bytes, **headers: str) -> None:
        """Answer with anything."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        # Before: whoever has read the answer may ask again at once.
        self.done()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


class Stub(ThreadingHTTPServer):
    """The server; it notes what it is asked."""

    daemon_threads = True

    def __init__(self, answer: Callable[[Asked, int], None]) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.answer = answer
        self.requests: list[dict[str, Any]] = []
        self.seen: list[tuple[str, str | None]] = []
        self.lock = threading.Lock()
        self.most = 0
        self.open: set[int] = set()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_: Any) -> None:
        """Print nothing."""


@contextmanager
def serving(answer: Callable[[Asked, int], None]) -> Iterator[Stub]:
    """Serve answers, given each request and its number from 1 on."""
    with Stub(answer) as stub:
        thread = threading.Thread(target=stub.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield stub
        finally:
            stub.shutdown()


def first_open(asked: Asked, number: int = 0) -> None:
    """Answer with the first open cell, row by row, of a board in the style ``grid``."""
    for line in asked.board.splitlines()[1:]:
        row, *cells = line.split()
        if "·" in cells:
            asked.say(f"{row}{cells.index('·') + 1}")
            return


def follow(asked: Asked, number: int = 0) -> None:
    """Answer with the cell that the strategy beside the board advises."""
    found = re.search(r"would shoot at ([A-Z]+[0-9]+)\.", asked.board)
    assert found is not None
    asked.say(found[1])
