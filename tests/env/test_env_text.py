"""Boards as text, text as actions, and a language model as an agent."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("gymnasium", reason="needs bsbench[gym]")

from bsbench import run
from bsbench.env import (
    BattleshipEnv,
    LLMAgent,
    action_to_text,
    how_to_answer,
    obs_to_text,
    parse_action,
)
from bsbench.llm.text import UnreadableAction
from bsbench.stats import Answers
from tests.support import ROOT
from tests.support.refusals import names, refused

AROUND = ["{}", " {}\n", "`{}`", '"{}".', "**{}**", "{0}. Yes, {0} it is."]
AROUND += ["There was a hit at my last shot, so I choose {}!"]
SIZES = st.tuples(st.integers(1, 40), st.integers(1, 40))


@given(SIZES, st.data())
def test_every_cell_is_read_as_it_is_written(size, data):
    cell = data.draw(st.integers(0, size[0] * size[1] - 1))
    text = action_to_text(cell, size)
    assert parse_action(text, size) == cell
    around = data.draw(st.sampled_from(AROUND))
    assert parse_action(around.format(text), size) == cell
    assert parse_action(f" {text.lower()} ", size) == cell


@given(st.text('aAjJ019[]{}: \n."rowcl,٣', max_size=30))
def test_any_text_is_a_cell_or_told_to_be_none(text):
    try:
        cell = parse_action(text, (10, 10))
    except UnreadableAction:
        return
    assert parse_action(action_to_text(cell, (10, 10)), (10, 10)) == cell


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("B5 or C5", ["B5", "C5"]),
        ("K1", ["'K1'", "10x10", "A1 to J10"]),
        ("I take a 3 here", ["cell"]),
        (None, ["None"]),
    ],
)
def test_what_is_not_read_is_told(text, named):
    with refused(*named, kind=UnreadableAction):
        parse_action(text, (10, 10))


# The layout: a ship of three in the first row from the second column on, one of two in the last
# column, third and fourth row.
#
#     1 2 3 4 5
#   A · ■ ■ ■ ·
#   B · · · · ·
#   C · · · · ✕
#   D · · · · □
LAYOUT = [[1, 2, 3], [14, 19]]


@pytest.fixture
def played():
    """The observation, in each format, after sinking the ship of three, a hit and a miss."""

    def play(obs: str):
        env = BattleshipEnv("gym-5x5", obs=obs)
        env.reset(seed=1, options={"layout": LAYOUT})
        return [env.step(cell)[0] for cell in (1, 2, 3, 14, 24)][-1]

    return play


def test_boards_as_text(played):
    assert obs_to_text(played("sunk")) == (
        "   1  2  3  4  5\n"
        "A  ·  ■  ■  ■  ·\n"
        "B  ·  ·  ·  ·  ·\n"
        "C  ·  ·  ·  ·  ✕\n"
        "D  ·  ·  ·  ·  ·\n"
        "E  ·  ·  ·  ·  ○\n"
        "· not shot, ○ miss, ✕ hit, ■ sunk\n"
        "Ships afloat: 2. Shots fired: 5."
    )


def test_formats_with_the_same_knowledge_have_the_same_text(played):
    assert obs_to_text(played("planes")) == obs_to_text(played("sunk"))
    # The seed's own format does not tell hits at sunk ships from others.
    assert obs_to_text(played("seed")) == obs_to_text(played("sunk")).replace("  ■", "  ✕")


def test_wrong_arguments_are_told(played):
    many = {name: np.stack([array] * 2) for name, array in played("sunk").items()}
    for call, *named in (
        (lambda: obs_to_text(played("flat")), "obs='sunk'"),
        (lambda: obs_to_text(many), "games"),
        (lambda: parse_action("B5", 10), "board_size"),
        (lambda: action_to_text(100, (10, 10)), "10x10", "0 to 99"),
        (lambda: LLMAgent(str, otherwise="fallbak"), "'fallbak'", "'fallback'"),
    ):
        with refused(*named):
            call()


# --- a language model as an agent -----------------------------------------------------------


class Scripted:
    """Answers as written down beforehand, and remembers what it was told."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.heard: list[list[dict[str, str]]] = []

    def __call__(self, messages):
        self.heard.append([dict(message) for message in messages])
        return self.answers.pop(0)


def test_a_model_plays_a_whole_game():
    cells = [0, 1, 2, 3, 14, 19]
    model = Scripted(*(action_to_text(cell, (5, 5)) for cell in cells))
    agent = LLMAgent(model, "gym-5x5")
    env = BattleshipEnv("gym-5x5")
    observation, _ = env.reset(seed=0, options={"layout": LAYOUT})
    terminated = False
    while not terminated:
        action = agent.select_action(observation)
        observation, _, terminated, _, info = env.step(action)
    assert (info["shots"], info["invalid_actions"], model.answers) == (6, 0, [])
    assert agent.tally == Answers(own=6, tokens_in=None, tokens_out=None, milliseconds=None)
    rules, board = (message["content"] for message in model.heard[-1])
    assert names(rules, "3, 2")
    assert how_to_answer((5, 5)) in rules
    assert "Shots fired: 5." in board


def test_wrong_answers_are_told_and_counted(played):
    model = Scripted("hello", "A2", "Z9", "A1")
    agent = LLMAgent(model, "gym-5x5", retries=3)
    assert agent.select_action(played("sunk")) == 0
    tally = agent.tally
    assert (tally.own, tally.answers, tally.unreadable, tally.repeated) == (1, 4, 2, 1)
    assert (tally.fallbacks, agent.given_up) == (0, 0)
    complaints = [message["content"] for message in model.heard[-1][3::2]]
    assert [message["content"] for message in model.heard[-1][2::2]] == ["hello", "A2", "Z9"]
    for complaint, name in zip(complaints, ("'hello'", "A2", "'Z9'"), strict=True):
        assert names(complaint, name)


def test_who_gives_up_loses_the_turn_or_draws(played):
    observation = played("sunk")
    agent = LLMAgent(lambda messages: "no", "gym-5x5", retries=1)
    assert agent.select_action(observation) == -1
    assert (agent.given_up, agent.tally.unreadable) == (1, 2)
    drawn = []
    for _ in range(2):
        agent = LLMAgent(lambda messages: "no", "gym-5x5", retries=0, otherwise="fallback")
        agent.reset(seed=5)
        drawn.append([agent.select_action(observation) for _ in range(20)])
        assert agent.tally.fallbacks == 20
    assert drawn[0] == drawn[1]
    assert not {1, 2, 3, 14, 24} & set(drawn[0])
    assert len(set(drawn[0])) > 5


def first_open_cell(messages):
    """Answer with the first open cell of the board, as a model in a mood to talk."""
    for line in messages[1]["content"].splitlines()[1:]:
        row, *cells = line.split()
        if "·" in cells:
            return f"Let me think: {row}{cells.index('·') + 1}."


def test_a_model_is_a_strategy():
    # In the function, so that it is played in this process, and no other is started.
    class FirstOpen(LLMAgent):
        """A model that reads the board, and names the first open cell."""

        def __init__(self) -> None:
            super().__init__(first_open_cell, "gym-5x5", otherwise="fallback")

    ours = run(FirstOpen, "gym-5x5", games=20, seed=2)
    assert ours.counts.tolist() == run("linear", "gym-5x5", games=20, seed=2).counts.tolist()


def test_the_code_in_the_guide_runs(capsys):
    guide = ROOT / "docs" / "language-models.md"
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 2

    names = {"__name__": "guide", "my_endpoint": first_open_cell}
    for block in blocks:
        exec(compile(block, str(guide), "exec"), names)
    assert names["info"]["shots"] == names["agent"].tally.moves > 8
    assert "Answers(" in capsys.readouterr().out
