"""A server that stands in for a language model: ``python3 examples/stand_in_model.py``."""

import json
import random
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class StandIn(BaseHTTPRequestHandler):
    """Answers with random cells, also some that were shot before, and sometimes only chats."""

    def do_POST(self):
        """Answer a request for a chat completion."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        board = request["messages"][1]["content"]
        # The same answer to the same request, as at temperature 0.
        dice = random.Random(json.dumps(request["messages"]))
        advised = re.search("would shoot at ([A-Z][0-9]+)", board)
        rows = re.findall("^([A-Z])  ", board, flags=re.MULTILINE)
        text = advised[1] if advised else f"{dice.choice(rows)}{dice.randint(1, len(rows))}"
        if dice.random() < 0.1:
            text = "Let me think about this."
        answer = {
            "choices": [{"message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": len(board) // 2, "completion_tokens": len(text) // 2},
        }
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        """Print nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", 8123), StandIn).serve_forever()
