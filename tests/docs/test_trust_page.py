"""Each statement of `docs/trust.md` has a test that backs it."""

from __future__ import annotations

import re

from tests.support import ROOT

ADVICE = "advice, which no test can back"
PROGRAMS = "what any program can do, whatever bsbench does"
SYSTEM = "what a system does that the tests don't run on, or the owner's other programs"

BACKED = {
    "After this page you know": ADVICE,
    "finds mistakes": "own/test_bad_strategies.py::test_each_gets_its_verdict",
    "It is no cheat detector": "runs/test_contests.py::test_an_entry_can_read_what_another",
    "The seed determines the layouts": "runs/test_secret_seed.py::test_the_seed_is_drawn",
    "each entry has a secret seed": "runs/test_contests.py::test_the_recipe_of_the_page",
    "is a program with all your rights": PROGRAMS,
    "can read your files": "runs/test_contests.py::test_an_entry_can_read_what_another",
    "**no sandbox**": "runs/test_contests.py::test_an_entry_can_read_what_another",
    "Run programs of strangers in a container": ADVICE,
    "Compiled kernels stay": "kernels/test_cache.py::test_a_cache_that_others_can_write_to",
    "does not use it if others": "kernels/test_cache.py::test_who_can_write_to_the_cache_is_named",
    "| classes in files,": "own/test_thinkers.py::test_there_is_nothing_to_read",
    "| kernels: subclasses": "runs/test_secret_seed.py::test_what_can_not_be_secret",
    "| classes of a notebook": "runs/test_secret_seed.py::test_what_can_not_be_secret",
    "| [networks]": "own/test_policies.py::test_what_is_told_comes_from_the_other_process",
    "| language models": "llm/test_llm.py::test_a_model_plays_like_the_strategy",
    "Code inside bsbench could read": "own/test_bad_strategies.py::test_who_changes_bsbench",
    "Run only kernels of people you trust": ADVICE,
    "On Windows, all strategies": "test_windows.py::test_users_code_that_runs_inside",
    "reads the seed on bsbench's command": PROGRAMS,
    "hashes of the seed": "runs/test_contests.py::test_a_seed_of_few_digits_can_be_guessed",
    "From 20 digits on": "runs/test_contests.py::test_a_secret_seed_is_not_guessed",
    "prevents both, except on a cluster": "runs/test_contests.py::test_a_secret_seed_is_not",
    "can write down layouts": "runs/test_contests.py::test_an_entry_can_read_what_another",
    "Under another secret seed": "runs/test_contests.py::test_what_an_entry_has_written_down",
    "On Linux, bsbench hides": "test_trust.py::test_a_child_can_not_read_the_memory",
    "On macOS and Windows, it does not": SYSTEM,
    "Your other programs are not hidden": SYSTEM,
    "with its group of processes": "own/test_thinkers.py::test_ctrl_c_keeps_what_was_played",
    "leaves the group escapes": PROGRAMS,
    "by a command of its own": "runs/test_contests.py::test_the_recipe_of_the_page",
    "seed of 128 bits": "runs/test_secret_seed.py::test_the_seed_is_drawn_at_random",
    "bsbench prints and saves it": "runs/test_secret_seed.py::test_the_seed_is_drawn_at_random",
    "bsbench compares means": "runs/test_compare.py::test_differences_agree_with_numpy",
    "Built-in strategies can play": "runs/test_contests.py::test_entries_of_one_command",
    "bsbench refuses `--secret-seed`": "runs/test_contests.py::test_neither_other_scenarios",
    "meets again only its first game": "runs/test_contests.py::test_each_game_is_dealt_once",
    "Run each command in a fresh container": ADVICE,
    "print a line that begins with": "runs/test_alarms.py::test_run_and_compare_say_it",
    "changes no figure": "runs/test_alarms.py::test_run_and_compare_say_it",
    '"60 of 100 first shots': "runs/test_alarms.py::test_the_chance_of_hits_is_a_bound",
    '"all 200 games took': "runs/test_alarms.py::test_alarms",
    '"the mean of 17.00 moves': "runs/test_alarms.py::test_no_strategy_is_below_the_least_mean",
    '"the mean of 30.00 moves': "runs/test_alarms.py::test_the_best_mean_is_that_of_the_rules",
    "by at least 5 standard errors": "runs/test_alarms.py::test_alarms",
    "cheats in some games only": "runs/test_contests.py::test_an_entry_can_read_what_another",
    "the last alarm may be false": ADVICE,
    "reading them runs no code": "common/test_reading.py::test_no_pickle_of_a_file_is_loaded",
    "plays built-in strategies only": "test_trust.py::test_a_record_runs_no_code_that_it_names",
    "To play your own strategy": "test_trust.py::test_a_strategy_of_ones_own_is_played_when",
    "bsbench refuses `model.zip`": "own/test_policies.py::test_a_model_of_stable_baselines_is",
    "export it": "own/test_policies.py::test_a_model_of_stable_baselines_is_not_loaded",
    "a record that contradicts itself": "runs/test_results.py::test_a_record_that_contradicts",
    "play some again": "studies/test_verify.py::test_a_forged_histogram",
    "bsbench verify RECORD": "studies/test_verify.py::test_a_true_record_passes",
}
"""By words of a statement, in the order of the page: the test that backs it, or why none does."""


def statements() -> list[str]:
    """Return the rows of tables, but their heads, and all sentences of the page, without code."""
    text = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found = []
    for paragraph in re.split(r"\n\s*\n|\n(?=[-|#])", text):
        line = re.sub(r"^- (\*\*[^*]*\.\*\* )?", "", " ".join(paragraph.split()))
        if line.startswith("|"):
            found.append(line)
        elif not line.startswith("#"):
            found += re.split(r"(?<=[.:])\*{0,2} (?=[A-Z`*\[]|bsbench)", line)
    heads = ("| code |", "| alarm |", "| ---")
    return [each for each in found if each and not each.startswith(heads)]


def test_each_statement_has_a_test():
    found = statements()
    assert len(found) == len(BACKED), [each for each in found if not any(k in each for k in BACKED)]
    for statement, words in zip(found, BACKED, strict=True):
        assert words in statement, statement
    for test in set(BACKED.values()) - {ADVICE, PROGRAMS, SYSTEM}:
        path, _, name = test.partition("::")
        assert f"def {name}" in (ROOT / "tests" / path).read_text(encoding="utf-8"), test
