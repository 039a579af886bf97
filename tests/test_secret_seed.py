"""Secret seeds: drawn for one run, kept from strategies, and published in the record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.runs.records import load_result

BAD = Path(__file__).parent / "bad_strategies"


def _run(*words):
    return CliRunner().invoke(main, words)


def test_the_seed_is_drawn_at_random_and_published(in_folder):
    for _ in range(2):
        shown = _run("run", "-s", "linear", "-n", "50", "--secret-seed", "--keep-moves")
        assert shown.exit_code == 0, shown.output
    first, second = (
        load_result(f"results/{name}.json") for name in ("linear-classic", "linear-classic-2")
    )
    assert first.seed != second.seed
    assert min(first.seed, second.seed).bit_length() > 90
    assert max(first.seed, second.seed).bit_length() <= 128
    assert f"seed {second.seed}" in " ".join(shown.stdout.split())
    # The games are there again under the seed that the record has.
    replayed = _run("replay", "results/linear-classic.json", "--game", "7")
    assert f"over after {first.moves[7]} moves" in replayed.stdout


def test_comparisons_and_duels_have_secret_seeds_too(in_folder):
    table = _run(
        "compare", "linear", "random", "-n", "50", "--secret-seed", "--export-json", "-", "-q"
    )
    duel = _run("duel", "linear", "random", "-n", "5000", "--secret-seed", "--json", "-", "-q")
    seeds = [json.loads(each.stdout)["seed"] for each in (table, duel)]
    assert min(seeds).bit_length() > 90
    # Without commas, to be copied.
    shown = _run("compare", "linear", "random", "-n", "50", "--seed", "12345678")
    assert "seed 12345678," in shown.stdout


@pytest.mark.parametrize("command", ["run -s", "compare random", "duel random"])
def test_what_can_not_be_secret_is_refused(in_folder, command):
    words = [*command.split(), f"{BAD / 'good_kernel.py'}:Mine", "--secret-seed", "-n", "50"]
    refused = _run(*words)
    assert refused.exit_code == 2
    assert "the seed can't be kept secret from 'mine', whose code runs inside" in refused.stderr
    both = _run(*command.split(), "linear", "--secret-seed", "--seed", "0")
    assert both.exit_code == 2
    assert "--secret-seed draws the seed at random: leave out --seed" in both.stderr
    # Classes in Python think elsewhere.
    words[len(command.split())] = f"{BAD / 'good_python.py'}:Mine"
    assert _run(*words).exit_code in (0, 1)
