"""Language models as strategies, played by a server on this machine that also fails."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.errors import StoppedError
from bsbench.llm import endpoint, transcript
from bsbench.llm.conversation import LONGEST_ANSWER, Reply
from bsbench.llm.endpoint import Endpoint
from bsbench.llm.transcript import Transcript
from bsbench.present import tables
from bsbench.roster import check_trust, make_variant
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs import comparing
from bsbench.runs.experiment import Experiment
from bsbench.runs.payloads import Payload
from bsbench.runs.records import load_result
from bsbench.runs.results import save_result
from tests.support.refusals import assert_names, assert_refused, names, refused, warned

POND = Scenario(name="pond", rules=Rules(4, 4, (3, 2), touching=True, feedback=Feedback.SUNK))
KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(endpoint.KEY, raising=False)


@pytest.fixture
def pauses(monkeypatch):
    """Return the seconds between attempts, none of which passes."""
    waited = []
    monkeypatch.setattr(endpoint, "_sleep", waited.append)
    return waited


# A server that answers chats as OpenAI's interface does, or fails in many ways.


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


def play(stub, options="", games=5, scenario=POND, **more):
    strategy = make_variant(f"llm:stub@{stub.url}{options and ','}{options}")
    return bsbench.run(strategy, scenario, games=games, keep_moves=True, **more)


def grumpy(asked, number):
    """Answer nonsense for boards with 3 or 4 shots, and a cell shot before for those with 6."""
    shots = int(re.search(r"fired: (\d+)", asked.board)[1])
    if shots in (3, 4):
        asked.say("I resign.")
    elif shots == 6:
        asked.say(re.search(r"^([A-Z]) .*", asked.board.splitlines()[1])[1] + "1")
    else:
        first_open(asked)


def test_a_model_plays_like_the_strategy_that_it_is():
    linear = bsbench.run("linear", POND, games=5, keep_moves=True)
    with serving(first_open) as stub:
        found = play(stub)
    assert found.moves.tolist() == linear.moves.tolist()
    assert (found.label, found.source) == ("llm:stub", f"llm:stub@{stub.url}")
    assert found.answers.own == found.answers.answers == found.moves.sum()
    # Games with the same board share the answer, which counts in each; none is asked for twice.
    assert found.answers.tokens_in == 100 * found.answers.own
    assert len(stub.requests) < found.answers.own
    texts = [json.dumps(request) for request in stub.requests]
    assert len(set(texts)) == len(texts)
    assert stub.requests[0].keys() == {"model", "messages", "temperature", "max_tokens"}
    assert stub.seen[0] == ("/v1/chat/completions", None)


def test_moves_without_a_valid_answer_are_random_and_counted():
    with serving(grumpy) as stub:
        found = play(stub, "retries=1")
    answers = found.answers
    assert answers.moves == found.moves.sum()
    assert answers.unreadable == 2 * sum(min(max(moves - 3, 0), 2) for moves in found.moves)
    assert answers.repeated == 2 * sum(moves > 6 for moves in found.moves)
    assert answers.fallbacks == (answers.unreadable + answers.repeated) // 2 > 0
    (note,) = (note for note in tables.result_notes(found) if note.startswith("†"))
    assert_names(note, "llm:stub retries=1", f"{100 * answers.own_share:.1f} %")
    told = [request["messages"][-1]["content"] for request in stub.requests]
    assert any("I resign." in text for text in told)
    assert any(names(text, "A1") for text in told)


def test_same_seed_same_result_whatever_concurrency_and_from_the_transcript():
    def drawn(asked, number):
        """Answer otherwise at each request: no model is quite deterministic."""
        grumpy(asked, number) if number % 3 else asked.say("What?")

    given = "retries=0,transcript=a.jsonl"
    with serving(drawn) as stub:
        first = play(stub, f"concurrency=3,{given}", games=8)
        asked = len(stub.requests)
        again = play(stub, f"concurrency=1,{given}", games=8)
        halves = [play(stub, given, games=4, first_game=begin) for begin in (4, 0)]
        assert len(stub.requests) == asked
    # Without a server, from the transcript alone.
    for other in (again, bsbench.merge(halves), play(stub, given, games=8)):
        assert other.moves.tolist() == first.moves.tolist()
        assert other.answers == first.answers


@pytest.mark.parametrize("advice", ["datagenetics", "posterior"])
def test_a_model_that_follows_advice_plays_exactly_like_the_strategy(advice):
    """One that plans, and one that is asked shot by shot."""
    expected = bsbench.run(advice, "gym-5x5", games=4, keep_moves=True)
    with serving(follow) as stub:
        found = play(stub, f"advice={advice}", games=4, scenario="gym-5x5")
    assert found.moves.tolist() == expected.moves.tolist()
    assert found.label == f"llm:stub advice={advice}"
    shown = stub.requests[0]["messages"][1]["content"]
    listed = shown.partition("the highest first: ")[2]
    numbers = [float(each) for each in re.findall(r"[A-E][1-5] ([0-9.]+)(?: %)?[,.]", listed)]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) == 25
    assert ("Probabilities" in shown) is (advice == "posterior")


def test_advice_after_other_shots_is_that_of_the_board():
    """The model shoots elsewhere: the adviser sees what was shot."""
    from bsbench.play.advice import hint
    from bsbench.play.samplers import make_sampler

    seen = []

    def contrary(asked, number):
        seen.append((asked.board, re.search(r"would shoot at (\w+)\.", asked.board)[1]))
        first_open(asked)

    with serving(contrary) as stub:
        (moves,) = play(stub, "advice=datagenetics", games=1).moves
    layout = make_sampler(POND.rules, POND.placement).draw(0, 0, 1)
    adviser = make_variant("datagenetics")
    for shots, (_, said) in enumerate(seen[:moves]):
        cell = hint(adviser, POND.rules, layout, [[shot] for shot in range(shots)]).cell
        assert said == f"{'ABCD'[cell // 4]}{cell % 4 + 1}"


def test_random_answers_belong_to_games():
    """Above temperature 0, games with the same board ask each for itself, and never again."""
    with serving(first_open) as stub:
        found = play(stub, "temperature=0.7")
        assert len(stub.requests) == found.answers.own
        play(stub, "temperature=0.7")
        assert len(stub.requests) == found.answers.own
        play(stub, "temperature=-1,max_tokens=0,transcript=b.jsonl", games=1)
    assert stub.requests[-1].keys() == {"model", "messages"}


def test_what_games_do_not_depend_on_is_in_no_record(monkeypatch):
    monkeypatch.setenv(endpoint.KEY, KEY)
    with serving(first_open) as stub:
        found = play(stub, "concurrency=2,budget=100000")
    assert stub.seen[0][1] == f"Bearer {KEY}"
    assert found.parameters.keys() == {"advice", "retries", "temperature", "max_tokens"}
    (path,) = save_result(found, "a.json")
    assert load_result(path).answers == found.answers
    for path in (Path("a.json"), Path("transcripts/stub.jsonl")):
        assert KEY not in path.read_text()


def fails_twice(status, content=b"{}", **headers):
    def answer(asked, number):
        if number <= 2:
            asked.send(status, content, **headers)
        else:
            first_open(asked)

    return answer


def cut_short(asked, number):
    if number > 2:
        return first_open(asked)
    asked.send_response(200)
    asked.send_header("Content-Length", "1000")
    asked.end_headers()
    asked.wfile.write(b'{"choices": [{"mess')
    asked.close_connection = True


def hangs_up(asked, number):
    if number > 2:
        return first_open(asked)
    asked.connection.shutdown(2)


@pytest.mark.parametrize(
    "answer",
    [
        fails_twice(500),
        fails_twice(429),
        fails_twice(200, b'{"choices": []}'),
        fails_twice(200, b'{"choices": [{"message": {"content": 5}}]}'),
        fails_twice(200, b"[" * 100_000),
        fails_twice(200, b"\x00\xff" * 3_000_000),
        cut_short,
        hangs_up,
    ],
)
def test_failures_that_may_pass_are_tried_again(answer, pauses):
    with serving(answer) as stub:
        found = play(stub, games=1)
    assert pauses == [1.0, 2.0]
    assert found.answers.own_share == 1


def failing(status, content=b"", **headers):
    return lambda asked, number: asked.send(status, content, **headers)


def drip(asked, number):
    asked.send_response(200)
    asked.end_headers()
    for _ in range(100):
        asked.wfile.write(b" ")
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("answer", "named", "asked"),
    [
        (failing(500), ["500", "3 times"], 3),
        (
            failing(401, json.dumps({"error": {"message": f"No key {KEY}\n.\x1b"}}).encode()),
            ["401", "(No key …)"],
            1,
        ),
        (failing(301, Location="http://elsewhere/"), ["301"], 1),
        (failing(400, b'{"error": "no such model"}'), ["400", "(no such model)"], 1),
        (failing(200, b"Welcome"), [], 3),
        (drip, ["0.2 s", "3 times"], 3),
    ],
)
def test_a_server_that_does_not_answer_ends_the_run(answer, named, asked, pauses, monkeypatch):
    monkeypatch.setenv(endpoint.KEY, KEY)
    monkeypatch.setattr(endpoint, "TRIES", 3)
    with serving(answer) as stub, refused(*named, kind=StoppedError) as caught:
        play(stub, "timeout=0.2", games=1)
    assert stub.url.split("/")[2] in str(caught.value)
    assert KEY not in str(caught.value)
    assert len(stub.requests) == asked


def test_a_server_that_is_not_there(pauses):
    for host in ("127.0.0.1:9", "a..b", 64 * "a"):
        with refused("7 times", kind=StoppedError):
            Endpoint(f"http://{host}/v1", 1.0, 0).ask({})
    assert pauses == [1, 2, 4, 8, 16, 32] * 3


def test_games_before_a_failure_are_kept(pauses):
    def tired(asked, number):
        first_open(asked) if number <= 20 else asked.send(500, b"")

    with serving(tired) as stub:
        with warned("500"):
            found = play(stub, "concurrency=1", games=50)
        assert found.partial
        assert 0 < found.games < 50
        assert found.answers.moves == found.moves.sum()
        # They are not asked for again.
        stub.answer = first_open
        asked = len(stub.requests)
        whole = play(stub, "concurrency=1", games=found.games)
    assert whole.moves.tolist() == found.moves.tolist()
    assert len(stub.requests) == asked


def test_a_used_budget_ends_the_run_and_its_games_are_kept():
    with serving(first_open) as stub:
        with warned("2,000 tokens", "2,040"):
            found = play(stub, "concurrency=1,budget=2000", games=50)
        assert found.partial
        assert len(stub.requests) == 20
    with serving(lambda asked, number: asked.say("A1", {"none": 1})) as stub:
        with refused("tokens", kind=StoppedError):
            play(stub, "budget=100,transcript=c")
        found = play(stub, "transcript=c,retries=0", games=1)
    assert found.answers.tokens_in is None


def test_a_comparison_keeps_what_others_played():
    def tired(asked, number):
        first_open(asked) if number <= 20 else asked.send(401, b"")

    with serving(tired) as stub:
        strategies = ["linear", f"llm:stub@{stub.url},concurrency=1"]
        with warned("401"):
            found = bsbench.compare(strategies, POND, games=50)
        assert found.partial
        assert 0 < found.games == found.results[0].games == found.results[1].games < 50
        assert found.paired == (True, True)
        with refused("401", kind=StoppedError):
            bsbench.compare(["linear", f"llm:other@{stub.url}"], POND, games=5)


def test_concurrency_is_as_asked():
    def slow(asked, number):
        time.sleep(0.02)
        first_open(asked)

    with serving(slow) as stub:
        play(stub, "concurrency=3,temperature=1", games=6)
    assert stub.most == 3


@pytest.mark.parametrize(("key", "kept"), [(KEY, "the key is …"), ("is", "the key is is")])
def test_a_server_that_repeats_the_key_does_not_bring_it_into_the_transcript(
    key, kept, monkeypatch
):
    """A short key is no secret, and may be a part of answers."""
    monkeypatch.setenv(endpoint.KEY, key)
    with serving(lambda asked, _: asked.say(f"the key is {key}")) as stub:
        play(stub, "retries=0", games=1)
    lines = Path("transcripts/stub.jsonl").read_text().splitlines()
    assert {json.loads(line)["answer"] for line in lines} == {kept}


def never(request):
    pytest.fail("it is known")


def test_a_full_disk_ends_the_run_and_cuts_off_one_line(monkeypatch):
    found = Transcript(Path("a.jsonl"), lambda request: Reply("A1"))

    class Full(FileIO):
        def write(self, data):
            return super().write(data[:30])

    with monkeypatch.context() as patched:
        patched.setattr(transcript, "open", lambda path, mode, **_: Full(path, "ab"), raising=False)
        with refused("No space left on device", kind=StoppedError):
            found.answer({"model": "m"}, 1)
    found.answer({"model": "m"}, 2)
    assert Transcript(Path("a.jsonl"), never).answer({"model": "m"}, 2) == Reply("A1")


def test_a_transcript_from_a_stranger_is_read_within_limits(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    known = {"request": {"model": "m"}, "sample": None, "answer": "A1"}
    numbers = {"tokens_in": 1, "tokens_out": None, "milliseconds": 3, "date": "2026-01-01"}
    good = json.dumps(known | numbers)
    bad = [
        "nonsense",
        "[" * 10_000,
        json.dumps({"answer": "A1"} | known | numbers)[:-1],
        json.dumps(numbers | known | {"answer": "A" * (LONGEST_ANSWER + 1)}),
        json.dumps(numbers | known | {"tokens_in": -1}),
        json.dumps(numbers | known | {"answer": "\ud800"}),
        "x" * (3 << 20),
    ]
    path.write_text("\n".join([*bad, good, good[:30]]))
    with warned("7 lines", str(path)):
        found = Transcript(path, lambda request: Reply("Bö"))
    assert found.answer({"model": "m"}, None) == Reply("A1", 1, None, 3)
    # After the line that was cut off, the next one begins.
    found.answer({"model": "m"}, 7)
    with warned("7 lines"):
        assert Transcript(path, never).answer({"model": "m"}, 7) == Reply("Bö")
    monkeypatch.setattr(transcript, "_LARGEST", 1_000)
    with refused("a.jsonl"):
        Transcript(path, never)
    with refused(str(tmp_path)):
        Transcript(tmp_path, never)


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("llm:gpt", ["llm:gpt", "llm:MODEL@URL"]),
        ("llm:@http://a/v1", ["llm:MODEL@URL"]),
        ("llm:m@ftp://a/v1", ["llm:MODEL@URL"]),
        ("llm:m@http://user:pw@a/v1", ["host", "path"]),
        ("llm:m@https://a/v1?key=k", ["host", "path"]),
        ("llm:m@http://a b/v1", ["address"]),
        ("llm:m@http://a:65536/v1", ["address"]),
        ("llm:m@http://a/v1,advice=nobody", ["advice", "'nobody'"]),
        ("llm:m@http://a/v1,advice=linear", ["linear"]),
    ],
)
def test_bad_input_is_a_sentence(spec, named):
    with refused(*named):
        bsbench.run(make_variant(spec), POND, games=1)


def test_a_key_with_blanks_is_none(monkeypatch):
    monkeypatch.setenv(endpoint.KEY, "two words")
    with refused(endpoint.KEY) as caught:
        Endpoint("http://a/v1", 1.0, 0)
    assert "two words" not in str(caught.value)


def test_a_file_that_names_a_model_is_not_trusted():
    with refused("run.toml", "trust=True"):
        check_trust("llm:m@http://a/v1", "run.toml", trust=False)


def test_it_is_not_asked_from_other_machines():
    with refused("'llm:m'"):
        Payload.of(make_variant("llm:m@http://a/v1"))


def test_commands_take_a_model_by_name():
    def done(*words):
        return CliRunner().invoke(main, [*words])

    with serving(first_open) as stub:
        name = f"llm:stub@{stub.url}"
        for shown, *words in (
            ["own %", "compare", name, "linear", "-n", "3", "--output", "out"],
            ["100 %", "run", "--strategy", f"{name},concurrency=2", "-n", "3", "-o", "r.json"],
            ["stub", "replay", "--strategy", name, "--game", "1"],
        ):
            found = done(*words, "--scenario", "gym-5x5")
            assert found.exit_code == 0, found.output
            assert shown in found.output
        asked = len(stub.requests)
        assert_refused(done("replay", "r.json"), f"'{name}'", "--strategy", "--trust")
        assert done("replay", "r.json", "--game", "1", "--trust").exit_code == 0
        assert len(stub.requests) == asked
    assert os.listdir("transcripts") == ["stub.jsonl"]


def test_an_experiment_keeps_the_scenarios_before_a_failure():
    pool = Scenario(name="pool", rules=Rules(3, 3, (2,), touching=True))

    def no_pool(asked, number):
        asked.send(401, b"") if "3 rows" in str(asked.request_json) else first_open(asked)

    with serving(no_pool) as stub:
        experiment = Experiment((make_variant(f"llm:stub@{stub.url}"),), (POND, pool), games=3)
        with warned("401"):
            (found,) = comparing.play(experiment)
    assert (found.games, found.partial) == (3, False)
