"""A tuning as text: for the terminal, notebooks, and tables in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import IO, TYPE_CHECKING

from bsbench.present.sheets import Sheet
from bsbench.present.tables import alarm_texts, own_notes, shots_text
from bsbench.runs.results import counted
from bsbench.stats import Difference, decimals_of
from bsbench.studies.tune.searching import VALIDATION
from bsbench.studies.tune.study import Tuning

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def sheet(tuning: Tuning) -> Sheet:
    """Return what is shown of a tuning."""
    return Sheet(
        tuning_columns(tuning),
        notes=[*tuning_notes(tuning)],
        alarms=[*alarm_texts(tuning.results)],
        finding=tuning.text,
        figure=partial(figure, tuning),
    )


def figure(tuning: Tuning) -> Figure:
    """Return the chart of a tuning, whose module takes long to import."""
    from bsbench.studies.tune.tuning import tuning_chart

    return tuning_chart(tuning)


def run_file(tuning: Tuning, file: IO[bytes]) -> None:
    """Write the run file of what a tuning has found."""
    file.write(tuning.run_file().encode())


def tuning_columns(tuning: Tuning) -> dict[str, list[str]]:
    """Return the table of a tuning: the best of each race, and all of validation and the end."""
    frame = tuning.to_frame()
    frame = frame[frame["games"] > 0]
    best = ~frame["stage"].duplicated() | (frame["stage"] == VALIDATION)
    shown = frame[best]
    found = [
        Difference(*each) for each in zip(shown["difference"], shown["half_width"], strict=True)
    ]
    decimals = decimals_of(each.half_width for each in found)
    differences = [each.text_to(decimals) for each in found]
    if len(tuning.results) == 1:
        differences[-1] = "the start itself"
    return {
        "stage": list(shown["stage"]),
        "strategy": list(shown["label"]),
        "games": [f"{games:,}" for games in shown["games"]],
        "mean": [f"{mean:.3f}" for mean in shown["mean"]],
        "to the start": differences,
        "games so far": [f"{spent:,}" for spent in shown["spent"]],
    }


def tuning_notes(tuning: Tuning) -> Iterable[str]:
    """Yield what the result of a tuning rests on."""
    start, best, races = tuning.results[0], tuning.results[-1], tuning.budget.races
    if tuning.gained:
        yield f"play it as {tuning.variant}"
    if len(tuning.results) > 1:
        yield (
            f"{start.label} {start.stats.mean_text}, {best.label} {best.stats.mean_text} "
            f"{counted(tuning.results)} in the final games, which no choice depends on; "
            "differences in races and validation are too good, since the best of many is chosen "
            "there"
        )
    if shots := shots_text(tuning.results):
        yield f"{shots} in the final games"
    if faulty := sum(not trial.games for trial in tuning.trials):
        yield f"{faulty} candidates broke the rules, raised or took too long, and were left out"
    yield from alarm_texts(tuning.results)
    yield from own_notes(tuning.results)
    yield (
        f"{tuning.games:,} games in all, {races} race{'s' * (races > 1)} of "
        f"{tuning.budget.candidates} candidates, {tuning.scenario.name}, seed {tuning.seed}; "
        f"{tuning.seconds:.1f} s"
    )
