"""Asks a model over HTTP, as OpenAI's interface for chats has it, and many servers after it.

A server may fail, stall or talk nonsense: time and memory of a request are bounded, and what can't
be helped by asking again ends the run with a sentence. The key is in no record, transcript or
message.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import socket
import ssl
import threading
import time
import urllib.request
import warnings
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn
from urllib.parse import urlsplit

from bsbench.common.errors import BsbenchError, BsbenchWarning, StoppedError
from bsbench.common.reading import parse_json
from bsbench.llm.conversation import LONGEST_ANSWER, Reply

KEY = "BSBENCH_LLM_KEY"
"""The environment variable that holds the key, by default."""

_LARGEST_REPLY = 1 << 22
"""Bytes of what a server sends at most."""

_LONGEST_WAIT = 120.0
"""Seconds between two attempts at most."""

_SECRET = 8
"""Characters of a key at least; a shorter one, such as x for a server that wants any, may be a part
of answers at random."""

_TRY_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
"""Answers of a server after which it may be asked again."""

_KEPT = ": give a larger one, and the same command continues from the transcript"

_LOCAL = ("localhost", "127.0.0.1", "::1")


class _Failed(Exception):
    """An attempt failed; another one may not.

    Attributes
    ----------
    wait : float or None
        Seconds that the server asks to wait.
    """

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


@dataclass
class Budget:
    """What may be spent, and what has been.

    Attributes
    ----------
    tokens : int
        Tokens of requests and answers together; 0 is no limit.
    cost : float
        In the currency of the prices; 0 is no limit.
    price_in, price_out : float
        Of a million tokens of requests, and of answers.
    """

    tokens: int = 0
    cost: float = 0.0
    price_in: float = 0.0
    price_out: float = 0.0
    spent_in: int = 0
    spent_out: int = 0

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return bool(self.tokens or self.cost)

    @property
    def spent_cost(self) -> float:
        """What has been spent, in the currency of the prices."""
        return (self.spent_in * self.price_in + self.spent_out * self.price_out) / 1e6

    def check(self) -> None:
        """Refuse to ask once the budget is used.

        Raises
        ------
        StoppedError
            If it is.
        """
        spent = self.spent_in + self.spent_out
        if self.tokens and spent >= self.tokens:
            raise StoppedError(f"the budget of {self.tokens:,} tokens is used ({spent:,}){_KEPT}")
        if self.cost and self.spent_cost >= self.cost:
            raise StoppedError(
                f"the budget of {self.cost:g} is used ({self.spent_cost:.4g}){_KEPT}"
            )

    def add(self, reply: Reply) -> None:
        """Count what an answer took.

        Raises
        ------
        StoppedError
            If that is not known, and there is a limit.
        """
        if reply.tokens_in is None or reply.tokens_out is None:
            if self.limited:
                raise StoppedError(
                    "the server does not report how many tokens it used, so that a budget can't be "
                    "kept: leave out the budget"
                )
            return
        self.spent_in += reply.tokens_in
        self.spent_out += reply.tokens_out


class Endpoint:
    """A server that answers chats.

    Several threads may ask it.

    Parameters
    ----------
    url : str
        Up to ``/v1``, or to ``/chat/completions``.
    key : str
        The environment variable that holds the key; if empty, `KEY`, which may be missing.
    timeout : float
        Seconds that one attempt may take.
    tries : int
        Attempts for each request.
    budget : Budget

    Raises
    ------
    BsbenchError
        If the variable is not there, or holds no key.
    """

    def __init__(self, url: str, key: str, timeout: float, tries: int, budget: Budget) -> None:
        self._url = urlsplit(
            url if url.endswith("/chat/completions") else f"{url}/chat/completions"
        )
        self._timeout, self._tries, self.budget = timeout, tries, budget
        self._lock = threading.Lock()
        self._key = os.environ.get(key or KEY, "").strip()
        # It is not printed: it may be the key itself, by mistake.
        if key and not self._key:
            raise BsbenchError(
                "key=NAME names the environment variable that holds the key, never the key itself: "
                f"there is no variable of the given name, for {self._host}"
            )
        if not re.fullmatch(r"[!-~]*", self._key):
            raise BsbenchError(
                f"the environment variable with the key of {self._host} holds none: it has blanks"
            )
        if self._key and self._url.scheme == "http" and self._host not in _LOCAL:
            warnings.warn(
                f"the key is sent to {self._host} without encryption, since its address begins "
                "with http://",
                BsbenchWarning,
                stacklevel=2,
            )

    @property
    def _host(self) -> str:
        return self._url.hostname or ""

    def ask(self, request: dict[str, Any]) -> Reply:
        """Return the answer to a request; try again after failures that may pass.

        Raises
        ------
        StoppedError
            If there is none, or the budget is used.
        """
        body = json.dumps(request).encode()
        for attempt in range(1, self._tries + 1):
            with self._lock:
                self.budget.check()
            begun = time.monotonic()
            try:
                reply = self._read(self._send(body), begun)
            except _Failed as failed:
                wait = min(2.0 ** (attempt - 1), 60.0) if failed.wait is None else failed.wait
                if wait > _LONGEST_WAIT:
                    self._stop(f"{failed}, and asks to wait {wait:,.0f} s")
                if attempt == self._tries:
                    tried = "once" if attempt == 1 else f"{attempt} times"
                    self._stop(f"{failed}; it was asked {tried}")
                _sleep(wait)
            else:
                with self._lock:
                    self.budget.add(reply)
                return reply
        raise AssertionError("the last attempt ends the loop")

    def _stop(self, why: str) -> NoReturn:
        """Raise a sentence on the server, without the key."""
        if self._key:
            why = why.replace(self._key, "…")
        raise StoppedError(f"the model at {self._url.netloc} {why}")

    def _send(self, body: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Return status, headers and body of what the server sends back."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        connection = self._connection()
        late = threading.Event()
        # When a response has come, the connection may not know its socket any more.
        lines: list[socket.socket | None] = [None]

        def end() -> None:
            late.set()
            if (line := lines[0] or connection.sock) is not None:
                with contextlib.suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)

        # Time-outs of sockets are for one read: a server that drips could go on for ever.
        watch = threading.Timer(self._timeout, end)
        watch.daemon = True
        watch.start()
        try:
            connection.connect()
            lines[0] = connection.sock
            connection.request("POST", self._url.path, body, headers)
            with contextlib.closing(connection.getresponse()) as response:
                content = response.read(_LARGEST_REPLY + 1)
            if late.is_set():
                raise TimeoutError
            return response.status, response.headers, content
        except ssl.SSLCertVerificationError as error:
            self._stop(f"has a certificate that can't be verified: {error.verify_message}")
        except (OSError, http.client.HTTPException) as error:
            if late.is_set() or isinstance(error, TimeoutError):
                raise _Failed(f"did not answer within {self._timeout:g} s") from None
            raise _Failed(f"can't be reached, or broke off: {_why(error)}") from None
        finally:
            watch.cancel()
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._host, self._url.port
        if self._url.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        proxy = urllib.request.getproxies().get("https")
        if proxy and not urllib.request.proxy_bypass(host):
            parts = urlsplit(proxy if "//" in proxy else f"//{proxy}")
            through = http.client.HTTPSConnection(
                parts.hostname or "", parts.port, timeout=self._timeout
            )
            through.set_tunnel(host, port)
            return through
        return http.client.HTTPSConnection(host, port, timeout=self._timeout)

    def _read(self, sent: tuple[int, http.client.HTTPMessage, bytes], begun: float) -> Reply:
        """Return the answer in what a server has sent."""
        status, headers, content = sent
        if status in _TRY_AGAIN:
            raise _Failed(f"answers {status}{self._said(content)}", _retry_after(headers))
        if 300 <= status < 400:
            self._stop(f"answers {status}, a redirection: give the address that it leads to")
        if status != 200:
            self._stop(f"answers {status}{self._said(content)}")
        if len(content) > _LARGEST_REPLY:
            raise _Failed(f"sends more than {_LARGEST_REPLY >> 20} MB")
        try:
            found = parse_json(content)
            message = found["choices"][0]["message"]["content"]
            usage = found.get("usage")
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise _Failed("sends something else than the answer of a chat") from None
        if isinstance(message, list):
            message = "".join(
                part["text"]
                for part in message
                if isinstance(part, dict) and isinstance(part.get("text"), str)
            )
        if message is not None and not isinstance(message, str):
            raise _Failed("sends something else than the answer of a chat")
        milliseconds = round(1000 * (time.monotonic() - begun))
        tokens_in, tokens_out = _tokens(usage, "prompt_tokens"), _tokens(usage, "completion_tokens")
        # What no file can hold is no part of an answer.
        text = (message or "").encode("utf-8", "replace").decode()
        if len(self._key) >= _SECRET:
            # It would stand in the transcript, which may be published.
            text = text.replace(self._key, "…")
        return Reply(text[:LONGEST_ANSWER], tokens_in, tokens_out, milliseconds)

    def _said(self, content: bytes) -> str:
        """Return what a server says about an error, on a line."""
        try:
            found = parse_json(content[:_LARGEST_REPLY])["error"]
            text = found["message"] if isinstance(found, dict) else found
        except (ValueError, KeyError, TypeError, RecursionError):
            return ""
        if not isinstance(text, str):
            return ""
        if self._key:
            text = text.replace(self._key, "…")
        line = " ".join("".join(c if c.isprintable() else " " for c in text[:2_000]).split())
        return f" ({line[:200].rstrip(' .')})" if line else ""


def _tokens(usage: Any, name: str) -> int | None:
    number = usage.get(name) if isinstance(usage, dict) else None
    return number if type(number) is int and 0 <= number < 2**53 else None


def _retry_after(headers: http.client.HTTPMessage) -> float | None:
    """Return the seconds that a server asks to wait, as a number or a date; None if it does not."""
    text = (headers.get("Retry-After") or "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text, re.ASCII):
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _why(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else ""
    return text or type(error).__name__


def _sleep(seconds: float) -> None:
    time.sleep(seconds)
