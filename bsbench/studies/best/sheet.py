"""The best players as text: for the terminal, notebooks, and tables in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import IO

from bsbench.common.errors import option
from bsbench.present.progress import duration_text
from bsbench.present.sheets import WORDS as USUAL
from bsbench.present.sheets import Columns, Sheet
from bsbench.roster import make_variant
from bsbench.runs.known import UNIFORM, KnownRecord, known_laws
from bsbench.stats import Difference, interval_text
from bsbench.studies.best.study import ENOUGH, Best, BestPlace, BestPlayer

WORDS = (*USUAL, "feedback", "runner-up", "command")
"""Columns that are no figures."""

_LABEL = 16
"""Characters of a label on a line: so all columns fit 80."""

_LONG = 60.0
"""Seconds from which on the time of a command stands beside it."""


def sheet(found: Best) -> Sheet:
    """Return what is shown: a row for each place; on the terminal two, and commands below."""
    places = found.places
    columns: Columns = {
        "scenario": [each.scenario for each in places],
        "feedback": [each.feedback for each in places],
        "strategy": [each.best.label for each in places],
        "mean ± 95 %": [mean_text(each.best) for each in places],
        "games/s": [_speed_text(each.best) for each in places],
        "runner-up": [each.runner_up.label if each.runner_up else "" for each in places],
        "difference ± 95 %": [_lead_text(each) for each in places],
        "command": [each.command for each in places],
    }
    return Sheet(
        columns,
        notes=[*_notes(found)],
        words=WORDS,
        finding=_finding(found) if len(places) == 1 else "",
        show=partial(_show, found),
    )


def _show(found: Best, stream: IO[str] | None) -> None:
    """Print two rows for each place, and commands below, so that it fits 80 columns."""
    from bsbench.present.terminal import broken_label, console_for, print_lines, print_table

    console, places = console_for(stream), found.places
    if len(places) == 1:
        answer = _finding(found)
        print_lines(console, [answer, ""], bold=len(answer))
    rows = [
        (place, player) for place in places for player in (place.best, place.runner_up) if player
    ]
    first = [player is place.best for place, player in rows]
    columns: dict[str, list[str]] = {
        "scenario": [each.scenario for each, _ in rows],
        "feedback": [each.feedback for each, _ in rows],
        "strategy": [broken_label(player.label, _LABEL) for _, player in rows],
        "mean": [mean_text(player) for _, player in rows],
        "difference": [_lead_text(place) for place, _ in rows],
        "games/s": [_speed_text(player) for _, player in rows],
    }
    for name, shown in (("scenario", True), ("feedback", True), ("difference", False)):
        pairs = zip(columns[name], first, strict=True)
        columns[name] = [cell if is_first is shown else "" for cell, is_first in pairs]
    hidden = columns.keys() - print_table(console, columns, WORDS).keys()
    print_lines(console, ["To play these games:", *map(_timed_command, places), ""])
    notes = _notes(found)
    print_lines(console, (each for each in notes if each.partition(":")[0] not in hidden))


def _timed_command(place: BestPlace) -> str:
    """Return the command that plays what is shown, as code; with its time, where that is long."""
    seconds = place.best.games / place.best.games_per_second
    time = f"  # {duration_text(seconds)} on one core" if seconds > _LONG else ""
    return f"  {place.command}{time}"


def mean_text(player: BestPlayer | KnownRecord) -> str:
    """Return the mean of a player, with its interval."""
    return interval_text(player.mean, player.half_width)


def _speed_text(player: BestPlayer) -> str:
    speed = player.games_per_second
    return f"{speed:,.0f}" if speed >= 10 else f"{speed:.2g}"


def _lead_text(place: BestPlace) -> str:
    """Return the difference; marks stand in front, as in a comparison."""
    if (lead := place.lead) is None:
        return ""
    difference = Difference(lead.mean, lead.half_width)
    clear = "" if difference.significant else "≈ "
    return f"{clear}{'' if lead.paired else '* '}{difference.text}"


def _finding(found: Best) -> str:
    """Return who is best at the only place, in a sentence."""
    (place,) = found.places
    who, other, lead = place.best, place.runner_up, place.lead
    of = f" of all with {found.speed:,g} games/s" if place.slower else ""
    law = "" if found.placement == UNIFORM else f" and placement {found.placement}"
    text = (
        f"On {place.scenario} with feedback {place.feedback}{law}, {_who(who)} needs the fewest "
        f"moves{of}: {mean_text(who)}"
    )
    if other is None or lead is None:
        return f"{text}."
    if lead.mean <= lead.half_width:
        return f"{text}. {_who(other)} may be as good."
    return f"{text}. {_who(other)} needs {interval_text(lead.mean, lead.half_width)} more."


def _who(player: BestPlayer) -> str:
    """Return the label of a player; of one that learns, over how many games it does so."""
    games = make_variant(player.label.replace(" ", ",")).games_per_learner
    learns = f", which learns from game to game over {games:,} games in a row,"
    return player.label + (learns if games > 1 else "")


def _notes(found: Best) -> Iterator[str]:
    """Yield how the figures came about."""
    shown = [
        (place, player)
        for place in found.places
        for player in (place.best, place.runner_up)
        if player
    ]
    yield "mean: moves in a game ± 95 %"
    yield "difference: how many more the runner-up needs in the same games"
    if any(each.lead and not each.lead.paired for each in found.places):
        yield "*: difference of the two means, since no record compares the two game by game"
    if any(each.lead and each.lead.mean <= each.lead.half_width for each in found.places):
        yield "≈: within the interval, so that it is not clear who is better"
    laws = known_laws()
    others = {
        name: ", ".join(law for law in laws.get(name, []) if law != found.placement)
        for name in dict.fromkeys(place.scenario for place in found.places)
    }
    ways = "; ".join(f"{known} on {name}" for name, known in others.items() if known)
    yield (
        f"these are champions of {found.placement} layouts; where ships lie otherwise, others may "
        "be better" + (f": {option('placement')} {ways}" if ways else "")
    )
    yield "games/s: of one core, when the record was made"
    yield from _played(shown, found.placement)
    if slower := [each for each in found.places if each.slower]:
        yield f"slower, but better ({option('speed', '0')} shows all):"
        for place in slower:
            assert place.slower is not None
            yield (
                f"  {place.slower.label.partition(' ')[0]} on {place.scenario}, {place.feedback}: "
                f"{mean_text(place.slower)}, {_speed_text(place.slower)} games/s"
            )


def _played(shown: Sequence[tuple[BestPlace, BestPlayer]], law: str) -> Iterator[str]:
    """Yield which games the figures are of; those of most players first."""
    groups: dict[str, list[str]] = {}
    for place, player in shown:
        played = f"{player.games:,} games of seed {player.seed}"
        if player.fresh:
            played += ", played after all players had been tuned"
        else:
            played += ", which may have served for tuning"
        if player.games < ENOUGH and law == UNIFORM:
            played += "; the mean is that of its base, less what rollouts save in them"
        who = f"{player.label.partition(' ')[0]} on {place.scenario}, {place.feedback}"
        groups.setdefault(played, []).append(who)
    (most, _), *others = sorted(groups.items(), key=lambda group: -len(group[1]))
    for played, whose in others:
        yield f"{'; '.join(whose)}: {played}"
    yield f"{'all others' if others else 'all'}: {most}"
