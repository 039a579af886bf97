"""Secret seeds: drawn for one run, kept from strategies, and published in the record."""

from __future__ import annotations

import json

import pytest

from bsbench.runs.records import load_result
from tests.support import SUPPORT
from tests.support.fuzzing import ended
from tests.support.refusals import assert_refused

BAD = SUPPORT / "bad_strategies"


def test_the_seed_is_drawn_at_random_and_published(in_folder):
    paths = ["results/linear-classic-secret-seed.json", "other.json"]
    for words in ([], ["-o", "other"]):
        ended(
            "run", "-s", "linear", "-n", "50", "--secret-seed", "--keep-moves", *words, codes=(0,)
        )
    first, second = map(load_result, paths)
    assert first.seed != second.seed
    assert min(first.seed, second.seed).bit_length() > 90
    assert max(first.seed, second.seed).bit_length() <= 128
    # The games are there again under the seed that the record has.
    replayed = ended("replay", paths[0], "--game", "7")
    assert f"over after {first.moves[7]} moves" in replayed.stdout


def test_comparisons_have_secret_seeds_too(in_folder):
    table = ended(
        "compare", "linear", "random", "-n", "50", "--secret-seed", "--export-json", "-", "-q"
    )
    assert json.loads(table.stdout)["seed"].bit_length() > 90


@pytest.mark.parametrize("command", ["run -s", "compare random"])
def test_what_can_not_be_secret_is_refused(in_folder, command):
    words = [*command.split(), f"{BAD / 'kernels.py'}:Good", "--secret-seed", "-n", "50"]
    assert_refused(ended(*words), "seed", "mine")
    both = ended(*command.split(), "linear", "--secret-seed", "--seed", "0")
    assert_refused(both, "--secret-seed", "--seed")
    # Classes in Python think elsewhere.
    words[len(command.split())] = f"{BAD / 'plain.py'}:Good"
    ended(*words, codes=(0, 1))


def test_no_file_tells_a_secret_seed_before_the_end(in_folder, monkeypatch):
    from bsbench.common import journal

    monkeypatch.setattr(journal, "_FIRST_SECONDS", 0.0)
    monkeypatch.setattr(journal.Journal, "write", None)
    for command in ("run", "compare random", "tune --vary hit_weight=1,5,9"):
        who = "datagenetics" if command.startswith("tune") else "linear"
        words = [*command.split(), who, "-n", "5000", "--secret-seed"]
        ended(*words, "-o", command[:4], codes=(0,))
