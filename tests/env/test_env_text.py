"""Boards as text, text as actions, and a language model as an agent."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
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
from bsbench.env.text import STYLES, UnreadableAction
from tests.support import ROOT
from tests.support.refusals import names, refused

SIZES = st.tuples(st.integers(1, 40), st.integers(1, 40))


@given(SIZES, st.data(), st.sampled_from(STYLES))
def test_every_cell_is_read_as_it_is_written(size, data, style):
    cell = data.draw(st.integers(0, size[0] * size[1] - 1))
    text = action_to_text(cell, size, style)
    assert parse_action(text, size, style) == cell
    around = data.draw(st.sampled_from(["{}", " {}\n", "`{}`", '"{}".', "**{}**"]))
    assert parse_action(around.format(text), size, style) == cell


@pytest.mark.parametrize("style", STYLES)
def test_cells_of_the_largest_gym_board_have_names_of_their_own(style):
    size = 12, 12
    names = [action_to_text(cell, size, style) for cell in range(144)]
    assert len(set(names)) == 144
    assert [parse_action(name, size, style) for name in names] == list(range(144))


@given(st.text('aAjJ019[]{}: \n."rowcl,٣', max_size=30), st.sampled_from(STYLES))
def test_any_text_is_a_cell_or_told_to_be_none(text, style):
    try:
        cell = parse_action(text, (10, 10), style)
    except UnreadableAction:
        return
    assert parse_action(action_to_text(cell, (10, 10), style), (10, 10), style) == cell


# Cell 14 is in the second row and the fifth column of ten.
@pytest.mark.parametrize(
    ("style", "text", "cell"),
    [
        ("grid", "B5", 14),
        ("grid", " b5 ", 14),
        ("grid", "There was a hit at my last shot, so I choose B5!", 14),
        ("grid", "B5. Yes, B5 it is.", 14),
        ("grid", "J10", 99),
        ("balrog", "E2", 14),
        ("balrog", "e2", 14),
        ("textarena", "[B4]", 14),
        ("textarena", "I'd rather not take [b4], then [C4].", 14),
        ("textarena", "B4", 14),
        ("json", '{"row": 1, "col": 4}', 14),
        ("json", 'Sure:\n```json\n{"why": {"a": 1}, "col": 4, "row": 1}\n```', 14),
    ],
)
def test_what_is_read(style, text, cell):
    assert parse_action(text, (10, 10), style) == cell


@pytest.mark.parametrize(
    ("style", "text", "named"),
    [
        ("grid", "", ["''"]),
        ("grid", "B5 or C5", ["B5", "C5"]),
        ("grid", "K1", ["'K1'", "10x10", "A1 to J10"]),
        ("grid", "B0", ["10x10"]),
        ("grid", "I take a 3 here", ["cell"]),
        ("balrog", "I shoot E2", ["'I shoot E2'", "A1 to J10"]),
        ("balrog", "E11", ["10x10"]),
        ("textarena", "I shoot B4", ["'I shoot B4'", "[A0] to [J9]"]),
        ("textarena", "[B10]", ["10x10"]),
        ("json", '{"row": 1}', ["JSON"]),
        ("json", '{"row": true, "col": 4}', ["cell"]),
        ("json", '{"row": -1, "col": 4}', ["10x10"]),
        ("json", '{"row": 1, "col": ' + "[" * 100_000, ["cell"]),
        ("grid", None, ["None"]),
    ],
)
def test_what_is_not_read_is_told(style, text, named):
    with refused(*named, kind=UnreadableAction):
        parse_action(text, (10, 10), style)


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
        for cell in (1, 2, 3, 14, 24):
            observation, *_ = env.step(cell)
        return observation

    return play


def test_boards_as_text(played):
    assert obs_to_text(played("sunk"), "grid") == (
        "   1  2  3  4  5\n"
        "A  ·  ■  ■  ■  ·\n"
        "B  ·  ·  ·  ·  ·\n"
        "C  ·  ·  ·  ·  ✕\n"
        "D  ·  ·  ·  ·  ·\n"
        "E  ·  ·  ·  ·  ○\n"
        "· not shot, ○ miss, ✕ hit, ■ sunk\n"
        "Ships afloat: 2. Shots fired: 5."
    )
    assert obs_to_text(played("sunk"), "balrog").startswith(
        "   A  B  C  D  E\n1  ~  Z  Z  Z  ~\n2  ~  ~  ~  ~  ~\n3  ~  ~  ~  ~  X\n"
    )
    assert obs_to_text(played("sunk"), "textarena").startswith(
        "   0  1  2  3  4\nA  ~  X  X  X  ~\nB  ~  ~  ~  ~  ~\nC  ~  ~  ~  ~  X\n"
    )
    seen = json.loads(obs_to_text(played("sunk"), "json"))
    assert seen["sunk"] == [[0, 1], [0, 2], [0, 3]]
    assert (seen["hit"], seen["miss"]) == ([[2, 4]], [[4, 4]])
    assert (len(seen["open"]), seen["ships_afloat"], seen["shots"]) == (20, [2], 5)


@pytest.mark.parametrize("style", STYLES)
def test_formats_with_the_same_knowledge_have_the_same_text(played, style):
    assert obs_to_text(played("planes"), style) == obs_to_text(played("sunk"), style)
    # The seed's own format does not tell hits at sunk ships from others.
    text = obs_to_text(played("sunk"), style)
    if style == "textarena":
        assert obs_to_text(played("seed"), style) == text
    else:
        assert obs_to_text(played("seed"), style) != text


@settings(max_examples=25)
@given(st.integers(1, 30), st.integers(1, 30), st.randoms(use_true_random=False))
def test_a_json_board_can_be_read_back(rows, cols, rng):
    board = np.array([[rng.randrange(4) for _ in range(cols)] for _ in range(rows)], np.int8)
    observation = {
        "attack_board": board,
        "remaining_ships": np.array([4, 0, 2], np.int32),
        "move_count": np.array([np.count_nonzero(board)], np.int32),
    }
    seen = json.loads(obs_to_text(observation, "json"))
    back = np.full((seen["rows"], seen["cols"]), -1)
    for mark, word in enumerate(("open", "miss", "hit", "sunk")):
        for row, col in seen[word]:
            back[row, col] = mark
    assert (back == board).all()
    # Every line of a drawn board names its row and has a symbol for each column.
    for style in ("grid", "balrog", "textarena"):
        lines = obs_to_text(observation, style).split("\n")[: rows + 1]
        assert len({len(line) for line in lines}) == 1
        assert [len(line.split()) for line in lines] == [cols, *[cols + 1] * rows]


def test_wrong_arguments_are_told(played):
    with refused("'gird'", "'grid'"):
        obs_to_text(played("sunk"), "gird")
    with refused("obs='sunk'"):
        obs_to_text(played("flat"))
    many = {name: np.stack([array] * 2) for name, array in played("sunk").items()}
    with refused("games"):
        obs_to_text(many)
    with refused("board_size"):
        parse_action("B5", 10)
    with refused("10x10", "0 to 99"):
        action_to_text(100, (10, 10))


# --- a language model as an agent -----------------------------------------------------------


class Scripted:
    """Answers as written down beforehand, and remembers what it was told."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.heard: list[list[dict[str, str]]] = []

    def __call__(self, messages):
        self.heard.append([dict(message) for message in messages])
        return self.answers.pop(0)


@pytest.mark.parametrize("style", STYLES)
def test_a_model_plays_a_whole_game(style):
    cells = [0, 1, 2, 3, 14, 19]
    model = Scripted(*(action_to_text(cell, (5, 5), style) for cell in cells))
    agent = LLMAgent(model, "gym-5x5", style=style)
    env = BattleshipEnv("gym-5x5")
    observation, _ = env.reset(seed=0, options={"layout": LAYOUT})
    terminated = False
    while not terminated:
        action = agent.select_action(observation)
        observation, _, terminated, _, info = env.step(action)
    assert (info["shots"], info["invalid_actions"], model.answers) == (6, 0, [])
    assert (agent.tally.moves, agent.tally.answers, agent.tally.unreadable) == (6, 6, 0)
    rules, board = (message["content"] for message in model.heard[-1])
    assert names(rules, "3, 2")
    assert how_to_answer((5, 5), style) in rules
    assert "Shots fired: 5." in board or '"shots": 5' in board


def test_wrong_answers_are_told_and_counted(played):
    model = Scripted("hello", "A2", "Z9", "A1")
    agent = LLMAgent(model, "gym-5x5", retries=3)
    assert agent.select_action(played("sunk")) == 0
    tally = agent.tally
    assert (tally.moves, tally.answers, tally.unreadable, tally.repeated) == (1, 4, 2, 1)
    assert (tally.fallbacks, tally.given_up) == (0, 0)
    complaints = [message["content"] for message in model.heard[-1][3::2]]
    assert [message["content"] for message in model.heard[-1][2::2]] == ["hello", "A2", "Z9"]
    for complaint, name in zip(complaints, ("'hello'", "A2", "'Z9'"), strict=True):
        assert names(complaint, name)


def test_who_gives_up_loses_the_turn_or_draws(played):
    observation = played("sunk")
    agent = LLMAgent(lambda messages: "no", "gym-5x5", retries=1)
    assert agent.select_action(observation) == -1
    assert (agent.tally.given_up, agent.tally.unreadable) == (1, 2)
    env = BattleshipEnv("gym-5x5", invalid_action="terminate")
    env.reset(seed=3)
    _, reward, terminated, _, info = env.step(-1)
    assert (reward, terminated, info["shots"]) == (-50, True, 0)

    drawn = []
    for _ in range(2):
        agent = LLMAgent(lambda messages: "no", "gym-5x5", retries=0, otherwise="fallback")
        agent.reset(seed=5)
        drawn.append([agent.select_action(observation) for _ in range(20)])
        assert agent.tally.fallbacks == 20
    assert drawn[0] == drawn[1]
    assert not {1, 2, 3, 14, 24} & set(drawn[0])
    assert len(set(drawn[0])) > 5
    with refused("'fallbak'", "'fallback'"):
        LLMAgent(str, otherwise="fallbak")


def test_a_model_is_a_strategy():
    # In the function, so that it is played in this process, and no other is started.
    class FirstOpen(LLMAgent):
        """A model that reads the board, and names the first open cell."""

        def __init__(self) -> None:
            super().__init__(self.answer, "gym-5x5", style="json", otherwise="fallback")

        def answer(self, messages):
            row, col = json.loads(messages[1]["content"])["open"][0]
            return f'Let me think. {{"row": {row}, "col": {col}}}'

    ours = run(FirstOpen, "gym-5x5", games=20, seed=2)
    assert ours.counts.tolist() == run("linear", "gym-5x5", games=20, seed=2).counts.tolist()


def test_the_code_in_the_guide_runs(capsys):
    guide = ROOT / "docs" / "learning.md"
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 3

    def endpoint(messages):
        row, col = json.loads(messages[1]["content"])["open"][0]
        return f'{{"row": {row}, "col": {col}}}'

    names = {"__name__": "guide", "my_endpoint": endpoint}
    for block in blocks:
        exec(compile(block, str(guide), "exec"), names)
    assert names["info"]["shots"] == names["agent"].tally.moves > 8
    assert "Tally(" in capsys.readouterr().out
