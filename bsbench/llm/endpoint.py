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
import ssl
import threading
import time
import urllib.error
import urllib.request
from typing import Any, NoReturn
from urllib.parse import urlsplit

from bsbench.common.errors import BsbenchError, StoppedError
from bsbench.common.reading import parse_json
from bsbench.llm.conversation import LONGEST_ANSWER, Reply

KEY = "BSBENCH_LLM_KEY"
"""The environment variable that holds the key."""

TRIES = 7
"""Attempts for each request: within a minute, if the server fails at once."""

_LARGEST_REPLY = 1 << 22
"""Bytes of what a server sends at most."""

_SECRET = 8
"""Characters of a key at least; a shorter one, such as x for a server that wants any, may be a part
of answers at random."""

_TRY_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
"""Answers of a server after which it may be asked again."""


class _Failed(Exception):
    """An attempt failed; another one may not."""


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """Reports a redirection as an error: the key belongs to one server."""

    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""


class Endpoint:
    """A server that answers chats.

    Several threads may ask it.

    Parameters
    ----------
    url : str
        Up to ``/v1``.
    timeout : float
        Seconds that one attempt may take.
    budget : int
        Tokens of requests and answers together, after which nothing is asked; 0 is no limit.

    Raises
    ------
    BsbenchError
        If the environment variable `KEY` holds no key.
    """

    def __init__(self, url: str, timeout: float, budget: int) -> None:
        self._url, self._timeout, self._budget = f"{url}/chat/completions", timeout, budget
        self._spent, self._lock = 0, threading.Lock()
        self._key = os.environ.get(KEY, "").strip()
        self._place = urlsplit(url).netloc
        if not re.fullmatch(r"[!-~]*", self._key):
            raise BsbenchError(f"the environment variable {KEY} holds no key: it has blanks")
        self._opener = urllib.request.build_opener(_NoRedirection)

    def ask(self, request: dict[str, Any]) -> Reply:
        """Return the answer to a request; try again after failures that may pass.

        Raises
        ------
        StoppedError
            If there is none, or the budget is used.
        """
        body = json.dumps(request).encode()
        for attempt in range(1, TRIES + 1):
            if self._budget and self._spent >= self._budget:
                raise StoppedError(
                    f"the budget of {self._budget:,} tokens is used ({self._spent:,}): give a "
                    "larger one, and the same command continues from the transcript"
                )
            begun = time.monotonic()
            try:
                reply = self._read(self._send(body, begun), begun)
            except _Failed as failed:
                if attempt == TRIES:
                    self._stop(f"{failed}; it was asked {TRIES} times")
                _sleep(2.0 ** (attempt - 1))
            else:
                self._spend(reply)
                return reply
        raise AssertionError("the last attempt ends the loop")

    def _spend(self, reply: Reply) -> None:
        """Count what an answer took."""
        if reply.tokens_in is not None and reply.tokens_out is not None:
            with self._lock:
                self._spent += reply.tokens_in + reply.tokens_out
        elif self._budget:
            raise StoppedError(
                "the server does not report how many tokens it used, so that a budget can't be "
                "kept: leave out the budget"
            )

    def _stop(self, why: str) -> NoReturn:
        """Raise a sentence on the server."""
        raise StoppedError(f"the model at {self._place} {why}")

    def _send(self, body: bytes, begun: float) -> bytes:
        """Return what the server sends back."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, body, headers)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return self._content(response, begun)
        except urllib.error.HTTPError as error:
            with error:
                self._refused(error, self._content(error, begun))
        except TimeoutError:
            raise self._late() from None
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            why = getattr(error, "reason", error)
            if isinstance(why, TimeoutError):
                raise self._late() from None
            if isinstance(why, ssl.SSLCertVerificationError):
                self._stop(f"has a certificate that can't be verified: {why.verify_message}")
            text = getattr(why, "strerror", None) or type(why).__name__
            raise _Failed(f"can't be reached, or broke off: {text}") from None

    def _content(self, response: Any, begun: float) -> bytes:
        """Return what a response holds, within limits of time and memory."""
        content = b""
        # The timeout of a socket is for one read: a server that drips could go on for ever.
        while part := response.read1(1 << 16):
            content += part
            if time.monotonic() - begun > self._timeout:
                raise self._late()
            if len(content) > _LARGEST_REPLY:
                raise _Failed(f"sends more than {_LARGEST_REPLY >> 20} MB")
        if response.length:
            raise _Failed("broke off")
        return content

    def _late(self) -> _Failed:
        return _Failed(f"did not answer within {self._timeout:g} s")

    def _refused(self, error: urllib.error.HTTPError, content: bytes) -> NoReturn:
        """Raise what it means that the status is not 200."""
        said = f"answers {error.code}"
        if 300 <= error.code < 400:
            self._stop(f"{said}, a redirection: give the address that it leads to")
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            found = parse_json(content)["error"]
            text = str(found["message"] if isinstance(found, dict) else found)
            if self._key:
                text = text.replace(self._key, "…")
            line = " ".join("".join(c if c.isprintable() else " " for c in text[:2_000]).split())
            said += f" ({line[:200].rstrip(' .')})"
        if error.code not in _TRY_AGAIN:
            self._stop(said)
        raise _Failed(said)

    def _read(self, content: bytes, begun: float) -> Reply:
        """Return the answer in what a server has sent."""
        try:
            found = parse_json(content)
            message = found["choices"][0]["message"]["content"] or ""
            usage = found.get("usage")
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            message = None
        if not isinstance(message, str):
            raise _Failed("sends something else than the answer of a chat")
        milliseconds = round(1000 * (time.monotonic() - begun))
        # What no file can hold is no part of an answer.
        text = message.encode("utf-8", "replace").decode()
        if len(self._key) >= _SECRET:
            # It would stand in the transcript, which may be published.
            text = text.replace(self._key, "…")
        tokens_in, tokens_out = _tokens(usage, "prompt_tokens"), _tokens(usage, "completion_tokens")
        return Reply(text[:LONGEST_ANSWER], tokens_in, tokens_out, milliseconds)


def _tokens(usage: Any, name: str) -> int | None:
    number = usage.get(name) if isinstance(usage, dict) else None
    return number if type(number) is int and 0 <= number < 2**53 else None


def _sleep(seconds: float) -> None:
    time.sleep(seconds)
