"""How the players of a game meet: in a match of two, or in a league of all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.common.journal import Journal
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.matches.faults import PlayerError
from bsbench.matches.game import TwoSided
from bsbench.matches.keeping import KeptMatch
from bsbench.matches.league import League
from bsbench.matches.lockstep import compile_player, play_blocks
from bsbench.matches.match import Match
from bsbench.matches.player import Player

GAMES, GAMES_OF_LEAGUE = 1_000, 200
"""Games of a match by default, alone and in a league."""


class Contest(TwoSided):
    """A game whose players meet."""

    def play_match(
        self,
        first: Any,
        second: Any,
        *,
        games: int = GAMES,
        opening_plies: int | None = None,
        seed: int = 0,
        threads: int | None = None,
        progress: Watch | None = None,
        journal: Journal | None = None,
        key: str = "match",
    ) -> Match:
        """Let two players play a match.

        Parameters
        ----------
        first, second : str, Player or type
            Players, or as on the command line: ``hard,depth=6``, ``my_file.py:Mine``; or a class
            of a user.
        games : int
            An even number: games come in pairs.
        opening_plies : int, optional
            Random moves before the players begin. Default: by the game.
        seed : int
            Any non-negative integer: the seed of the openings and of the players' random numbers.
        threads : int, optional
            Default: as many as there are cores. The result does not depend on it.
        progress : callable, optional
            Called with a `bsbench.common.progress.Progress`, from the calling thread.
        journal : Journal, optional
            What keeps the games that are played, opened with
            `bsbench.matches.keeping.about_players`; those that it has are not played again.
        key : str
            What the match is called there.

        Returns
        -------
        Match
            Ctrl-C ends a match early; it then holds the pairs that were played.

        Raises
        ------
        BsbenchError
            If an argument is out of range, or a player makes a move that is not allowed.
        PlayerError
            If a user's player fails; its `match` holds the pairs before.
        KeyboardInterrupt
            If interrupted before a pair was over.
        """
        players = self.as_player(first), self.as_player(second)
        games, plies, seed, threads = self.check_match(games, opening_plies, seed, threads)
        label = f"{players[0].label} – {players[1].label}"
        kept = KeptMatch(journal, key, games // 2, self.longest)
        begun = ready = time.perf_counter()

        def seconds() -> tuple[float, float]:
            now = time.perf_counter()
            return kept.setup_seconds + ready - begun, kept.play_seconds + now - ready

        def played(interrupted: bool = False, fault: PlayerError | None = None) -> Match:
            outcomes, lengths, efforts = kept.played()
            setup_seconds, play_seconds = seconds()
            return Match(
                game=self,
                players=players,
                opening_plies=plies,
                seed=seed,
                requested=games,
                outcomes=outcomes,
                lengths=lengths,
                efforts=efforts,
                threads=threads,
                setup_seconds=setup_seconds,
                play_seconds=play_seconds,
                interrupted=interrupted,
                fault=fault,
            )

        interrupted = False
        try:
            if kept.pairs < games // 2:
                # Kernels are compiled or loaded.
                self.deal(seed, 0, 1, plies, followed=False)
                for player in players:
                    compile_player(player)
                ready = time.perf_counter()
            blocks = play_blocks(self, players, games // 2, seed, plies, threads, kept.pairs)
            with closing(blocks) as finished:
                for block in finished:
                    kept.blocks.append(block)
                    if kept.due:
                        kept.put(*seconds(), write=True)
                    if progress is not None:
                        progress(Progress(label, 2 * kept.pairs, games))
        except KeyboardInterrupt:
            if not kept.blocks:
                raise
            interrupted = True
        except PlayerError as fault:
            fault.match = played(fault=fault) if kept.blocks else None
            raise
        finally:
            kept.put(*seconds())
        return played(interrupted)

    def play_league(
        self,
        players: Sequence[Any] = (),
        *,
        games: int = GAMES_OF_LEAGUE,
        opening_plies: int | None = None,
        seed: int = 0,
        threads: int | None = None,
        progress: Watch = ignored,
        journal: Journal | None = None,
    ) -> League:
        """Let every player meet every other.

        Parameters
        ----------
        players : sequence of str, Player or type
            Two or more, as for `play_match`. Default: `all_players`.
        games : int
            Of each match, an even number.
        opening_plies, seed, threads
            As for `play_match`.
        progress : callable, optional
            As for `play_match`, with the games of all matches.
        journal : Journal, optional
            As for `play_match`.

        Returns
        -------
        League
            A user's player that fails leaves it, with all its matches. Ctrl-C ends it early; it
            then holds the first players that have all met.

        Raises
        ------
        BsbenchError
            If an argument is out of range, or two players have the same label.
        PlayerError
            If users' players fail, and not even two players are left.
        KeyboardInterrupt
            If interrupted before the first two have met.
        """
        entries = [self.as_player(each) for each in players or self.all_players()]
        check_entries(entries)
        games, plies, seed, threads = self.check_match(games, opening_plies, seed, threads)
        matches: dict[tuple[int, int], Match] = {}
        faults: dict[str, PlayerError] = {}
        met, total = 0, games * len(entries) * (len(entries) - 1) // 2

        def meet(first: Player, second: Player) -> Match:
            before, who = games * met, f"{first.label} – {second.label}"
            match = self.play_match(
                first,
                second,
                games=games,
                opening_plies=plies,
                seed=seed,
                threads=threads,
                progress=lambda now: progress(Progress("league", before + now.done, total, who)),
                journal=journal,
                key=who,
            )
            if match.interrupted:
                raise KeyboardInterrupt
            return match

        # Places of players who have all met each other: a newcomer meets all of them.
        whole = [0]
        try:
            for newcomer in range(1, len(entries)):
                for other in list(whole):
                    try:
                        matches[other, newcomer] = meet(entries[other], entries[newcomer])
                    except PlayerError as fault:
                        faults[fault.player] = fault
                        if fault.player == entries[newcomer].label:
                            break
                        whole.remove(other)
                    met += 1
                else:
                    whole.append(newcomer)
        except KeyboardInterrupt:
            if len(whole) < 2:
                raise
        if len(whole) < 2 and faults:
            raise next(iter(faults.values()))
        return League(
            game=self,
            players=tuple(entries[place] for place in whole),
            requested=len(entries),
            games=games,
            opening_plies=plies,
            seed=seed,
            threads=threads,
            matches={
                (whole.index(first), whole.index(second)): match
                for (first, second), match in matches.items()
                if first in whole and second in whole
            },
            faults=faults,
        )


def check_entries(entries: Sequence[Player]) -> None:
    """Refuse players that can't form a league.

    Raises
    ------
    BsbenchError
        If they are too few, or two have the same label.
    """
    if len(entries) < 2:
        raise BsbenchError("a league takes two players or more: name another one")
    labels = [player.label for player in entries]
    for label in labels:
        if labels.count(label) > 1:
            raise BsbenchError(f"{label} is given {labels.count(label)} times: name it once")
