"""Models of Stable-Baselines3 as strategies: in ONNX files that need no torch, or played by torch.

torch itself writes what a policy computes (``torch.onnx.export``). The result is compared with the
policy before it is saved.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, how_to_install
from bsbench.common.files import as_path, check_export, exists, taken, write_bytes
from bsbench.env.making import observation_space
from bsbench.kernels.known import Known
from bsbench.own.observation import FORMATS, LOGITS, SCORES, Observation, Observing
from bsbench.own.policies import ONNX, session_of
from bsbench.rules.scenario import Scenario, find_scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch
    from onnx import ModelProto

SUFFIX = f".{ONNX}"

_TRIED = 64
"""Boards on which the exported network is compared with the policy."""

_TOLERANCE = 1e-3
"""Difference between their scores at most, in parts of the largest one. Both compute in float32, in
another order."""

_OTHERWISE = (
    'play it through torch instead, which is slower: see "Measure your own agent" in '
    "docs/gymnasium.md"
)


@checked
def export(
    model: Any,
    path: str | Path,
    scenario: str | Path | Scenario | None = None,
    *,
    force: bool = False,
) -> Path:
    """Write a model of Stable-Baselines3 as ONNX, which is a strategy wherever one is named.

    To play it needs neither torch nor Stable-Baselines3, and no code of the file is run. It plays
    greedily: the open cell with the highest score. So does ``model.predict(…,
    deterministic=True)``, with masks if the model takes them; a model without masks may prefer a
    cell that was shot before, which the rules of `bsbench.run` forbid.

    Parameters
    ----------
    model : PPO, A2C, DQN, TRPO, MaskablePPO, QRDQN, ARS, …
        Any model with discrete actions whose observations are in one of the formats of
        `bsbench.env.BattleshipEnv`, or are some of the arrays of one.
    path : str or Path
        ``NAME.onnx``; the suffix is added if it is missing.
    scenario : str, Path or Scenario, optional
        What it was trained on. Default: that of the model's environment.
    force : bool
        Whether a file that exists is replaced.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    BsbenchError
        If the model's actions or observations are others, its network has memory, turns have
        several shots, torch can't export it, or the file can't be written.

    Examples
    --------
    >>> bsbench.env.export(model, "mine.onnx", scenario="gym-8x8")  # doctest: +SKIP
    >>> bsbench.compare(["mine.onnx", "prob"], games=10_000)  # doctest: +SKIP
    """
    path = as_path(path)
    if not path.name or path.suffix not in ("", SUFFIX):
        raise BsbenchError(f"an agent is saved as {SUFFIX}: end {str(path)!r} in {SUFFIX}")
    path = path.with_suffix(SUFFIX)
    if not force and exists(path):
        raise taken(path)
    check_export(path, force=True)
    policy = Policy(model)
    scenario = _scenario_of(model, scenario)
    if policy.recurrent:
        raise BsbenchError(f"the policy has memory, and can't be exported: {_OTHERWISE}")
    observing, fields = _format_of(policy.space, scenario)
    if policy.actions != scenario.rules.cells:
        raise BsbenchError(
            f"the model chooses among {policy.actions} actions, and {scenario.name} has "
            f"{scenario.rules.cells} cells: name the scenario that it was trained on"
        )
    boards = _boards(scenario)
    shown = [_arrays_of(observing, boards)[name] for name in fields]
    content = _written(policy, fields, [each[:2] for each in shown], scenario, observing.obs)
    kinds = dict(zip(fields, shown, strict=True))
    (found,) = session_of(content).run(None, kinds)
    _compare(found, policy.scores(_given(policy.space, fields, shown)))
    write_bytes(path, content)
    return path


def torch_agent(model: Any, name: str | None = None) -> type:
    """Return a class that plays a model of Stable-Baselines3 through torch, as an agent.

    For models that `export` refuses: with memory (``RecurrentPPO``), or with layers of their own.
    It plays greedily, as an exported one does. Assign it to a name in a file of yours; `bsbench`
    plays ``FILE.py:NAME``, importing the file in a process for each core.

    A model with memory plays game by game, some tens of games a second; others play a batch at a
    time.

    Parameters
    ----------
    model
        As for `export`.
    name : str, optional
        Of the strategy. Default: that of the algorithm, such as ``recurrent-ppo``.

    Returns
    -------
    type
        With the attributes ``obs`` and ``mask``, and the method ``select_action(observation)``,
        or ``select_actions(observations)`` for a batch.

    Raises
    ------
    BsbenchError
        If the model's actions or observations are others.

    Examples
    --------
    A file ``agent.py``, played by ``bsbench run -s agent.py:Mine --scenario gym-8x8``:

    >>> from sb3_contrib import RecurrentPPO  # doctest: +SKIP
    >>> Mine = torch_agent(RecurrentPPO.load("model.zip"))  # doctest: +SKIP
    """
    policy = Policy(model)
    import torch

    # Each core has a process of its own.
    torch.set_num_threads(1)
    obs, fields = _format_by_name(policy.space)

    def open_and_given(shown: Any) -> tuple[npt.NDArray[np.bool_], Any]:
        arrays = [shown[name] for name in fields]
        return shown["action_mask"] != 0, _given(policy.space, fields, arrays)

    def best(scores: Any, is_open: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        cells: npt.NDArray[np.int64] = np.where(is_open, scores, -np.inf).argmax(axis=-1)
        return cells

    class Batch:
        """Plays a model through torch."""

        deterministic = True

        def select_actions(self, observations: Observation) -> npt.NDArray[np.int64]:
            """Return the best open cell of each game."""
            is_open, given = open_and_given(observations)
            return best(policy.scores(given), is_open)

    class Single:
        """Plays a model with memory through torch; it must be shown each board of a game."""

        def reset(self) -> None:
            """Forget the last game."""
            self._memory: Any = None

        def select_action(self, observation: Observation) -> int:
            """Return the best open cell."""
            is_open, given = open_and_given(observation)
            scores, self._memory = policy.remembered(given, self._memory)
            return int(best(scores, is_open))

    agent: Any = Single if policy.recurrent else Batch
    agent.__name__ = agent.__qualname__ = type(model).__name__
    agent.__doc__ = f"A model of {type(model).__name__}, played through torch."
    agent.obs, agent.mask = obs, True
    agent.source = "Stable-Baselines3, played through torch"
    if name is not None:
        agent.name = name
    found: type = agent
    return found


class Policy:
    """What Stable-Baselines3 computes to choose the best action, whatever the algorithm.

    Parameters
    ----------
    model
        Of Stable-Baselines3 or sb3-contrib.

    Attributes
    ----------
    space : Space
        Of observations.
    actions : int
    kind : str
        What its scores are: `LOGITS` or `SCORES`.
    algorithm : str
    masked, recurrent : bool

    Raises
    ------
    BsbenchError
        If it is no such model.
    """

    def __init__(self, model: Any) -> None:
        try:
            from gymnasium.spaces import Discrete
            from stable_baselines3.common.policies import BasePolicy
        except ImportError as error:
            raise BsbenchError(
                "models of Stable-Baselines3 need it and torch, which are not installed "
                f"({error}): {how_to_install('rl')}"
            ) from None
        policy = getattr(model, "policy", None)
        if not isinstance(policy, BasePolicy):
            raise BsbenchError(
                f"this is not a model of Stable-Baselines3, but of type {type(model).__name__}: "
                "give a model such as PPO.load('model.zip')"
            )
        actions = policy.action_space
        if not isinstance(actions, Discrete) or actions.start != 0:
            raise BsbenchError(f"the actions of the model are {actions}, not the cells of a board")
        normalizing = model.get_vec_normalize_env() if hasattr(model, "env") else None
        if normalizing is not None and normalizing.norm_obs:
            raise BsbenchError(
                "the model is shown observations that VecNormalize changes: train it with "
                "VecNormalize(…, norm_obs=False)"
            )
        self.space, self.actions = policy.observation_space, int(actions.n)
        self.recurrent = hasattr(policy, "lstm_actor")
        self.masked = "Maskable" in type(policy).__name__
        self._policy, self.algorithm = policy, type(model).__name__
        self.kind, self.compute = self._computing()

    def _computing(self) -> tuple[str, Callable[[Any], torch.Tensor]]:
        """Return what scores are, and what computes them from tensors."""
        policy = self._policy
        if hasattr(policy, "quantile_net"):
            return SCORES, lambda shown: policy.quantile_net(shown).mean(dim=1)
        if hasattr(policy, "q_net"):
            return SCORES, lambda shown: policy.q_net(shown)
        if hasattr(policy, "mlp_extractor"):
            return LOGITS, lambda shown: policy.action_net(
                policy.mlp_extractor.forward_actor(self._features(shown))
            )
        if hasattr(policy, "action_net"):
            return SCORES, lambda shown: policy.action_net(self._features(shown))
        raise BsbenchError(
            f"bsbench does not know how a {type(policy).__name__} chooses actions: write an agent "
            "with select_action(observation) around the model"
        )

    def _features(self, shown: Any) -> Any:
        policy = self._policy
        if not hasattr(policy, "mlp_extractor"):
            return policy.extract_features(shown, policy.features_extractor)
        features = policy.extract_features(shown)
        return features if policy.share_features_extractor else features[0]

    def scores(self, given: Any) -> npt.NDArray[np.float32]:
        """Return the scores of all actions, by observations in arrays, a game in each row."""
        with self._still() as torch:
            tensors, _ = self._policy.obs_to_tensor(given)
            with torch.no_grad():
                return np.asarray(self.compute(tensors).cpu().numpy(), np.float32)

    def remembered(self, given: Any, memory: Any) -> tuple[npt.NDArray[np.float32], Any]:
        """Return the scores of all actions in one game, and what a policy with memory remembers.

        Parameters
        ----------
        given
            Observation of one game.
        memory
            What it remembered; None when the game begins.
        """
        with self._still() as torch, torch.no_grad():
            policy = self._policy
            tensors, _ = policy.obs_to_tensor(given)
            begins = torch.full((1,), float(memory is None), device=policy.device)
            if memory is None:
                layers, _, size = policy.lstm_hidden_state_shape
                memory = (torch.zeros(layers, 1, size, device=policy.device),) * 2
            distribution, memory = policy.get_distribution(tensors, memory, begins)
            return distribution.distribution.logits[0].cpu().numpy(), memory

    @contextmanager
    def _still(self) -> Iterator[Any]:
        """Let the policy play, not learn: without dropout."""
        import torch

        training = self._policy.training
        self._policy.set_training_mode(False)
        try:
            yield torch
        finally:
            self._policy.set_training_mode(training)

    def program(self, fields: list[str], shown: list[npt.NDArray[Any]]) -> ModelProto:
        """Return what torch computes, as ONNX, given arrays of some observations."""
        with self._still() as torch:
            compute, space, policy = self.compute, self.space, self._policy

            class Scorer(torch.nn.Module):  # type: ignore[misc, name-defined]
                def __init__(self) -> None:
                    super().__init__()
                    self.policy = policy

                def forward(self, *tensors: Any) -> Any:
                    return compute(_given(space, fields, list(tensors)))

            tensors = tuple(torch.as_tensor(each.copy(), device=policy.device) for each in shown)
            scorer = Scorer()
            scorer.train(False)
            games = {0: torch.export.Dim.DYNAMIC}
            with torch.no_grad():
                written = torch.onnx.export(
                    scorer,
                    tensors,
                    dynamo=True,
                    dynamic_shapes=((games,) * len(fields),),
                    input_names=fields,
                    output_names=[self.kind],
                    verbose=False,
                )
            return written.model_proto


def _written(
    policy: Policy,
    fields: list[str],
    shown: list[npt.NDArray[Any]],
    scenario: Scenario,
    obs: str,
) -> bytes:
    """Return a policy's network as ONNX.

    Raises
    ------
    BsbenchError
        If torch can't write it.
    """
    try:
        from bsbench.own.converting import add_facts

        with warnings.catch_warnings():
            # torch warns of its own code, and of libraries that are not needed.
            warnings.simplefilter("ignore")
            logging.getLogger("torch.onnx").setLevel(logging.ERROR)
            model = policy.program(fields, shown)
    except Exception as error:
        # The code of the policy may raise anything when torch follows it.
        why = str(error.__cause__ or error).strip().partition("\n")[0][:200]
        raise BsbenchError(
            f"the policy's network can't be exported, since torch can't write it as ONNX ({why}): "
            + _OTHERWISE
        ) from None
    # torch notes for each node by which lines of which files it was made.
    for each in (*model.graph.node, *model.graph.value_info, *model.graph.input):
        del each.metadata_props[:]
    mask = "trained with masks" if policy.masked else "trained without masks"
    source = f"{policy.algorithm} policy of Stable-Baselines3, {mask}; its best open cell is shot"
    add_facts(model, scenario, obs, source)
    content: bytes = model.SerializeToString()
    return content


def _scenario_of(model: Any, scenario: str | Path | Scenario | None) -> Scenario:
    """Return the scenario that is named, else that of the model's environment."""
    if scenario is None:
        env = model.get_env() if hasattr(model, "get_env") else None
        try:
            scenario = env.get_attr("scenario")[0]  # type: ignore[union-attr]
        except AttributeError:
            raise BsbenchError(
                "the model has no environment of bsbench, so its scenario is not known: give "
                "scenario='gym-8x8', or the one that it was trained on"
            ) from None
    found = scenario if isinstance(scenario, Scenario) else find_scenario(str(scenario))
    found.rules.check_single_shots("exported models play")
    return found


def _format_of(space: Any, scenario: Scenario) -> tuple[Observing, list[str]]:
    """Return the format of observations that a space is of, and the names of its arrays."""
    for obs in FORMATS:
        space_of_all: Any = observation_space(Observing(scenario.rules, obs, mask=True))
        full = space_of_all.spaces
        inner = getattr(space, "spaces", None)
        if isinstance(inner, dict):
            fields = list(inner)
            fits = all(name in full and full[name] == inner[name] for name in fields)
        else:
            fields = [name for name in full if full[name] == space][:1]
            fits = bool(fields)
        if fits and fields:
            return Observing(scenario.rules, obs, mask="action_mask" in fields), fields
    raise BsbenchError(
        f"the model's observations are {' '.join(str(space).split())[:300]}, which is none of the "
        f"formats {', '.join(FORMATS)} on {scenario.name}: name the scenario that it was trained "
        "on, and train without wrappers that change observations"
    )


def _format_by_name(space: Any) -> tuple[str, list[str]]:
    """Return the format that a space is of on some board, and the names of its arrays."""
    inner = getattr(space, "spaces", None)
    if isinstance(inner, dict):
        board = inner.get("attack_board")
        for obs, field in (("planes", "planes"), ("flat", "observation")):
            if field in inner:
                return obs, list(inner)
        if board is not None:
            return ("seed" if board.dtype == np.int32 else "sunk"), list(inner)
    elif len(space.shape or ()) in (1, 2, 3):
        obs, field = {
            1: ("flat", "observation"),
            2: ("seed" if space.dtype == np.int32 else "sunk", "attack_board"),
            3: ("planes", "planes"),
        }[len(space.shape)]
        return obs, [field]
    raise BsbenchError(
        f"the model's observations are {' '.join(str(space).split())[:300]}, which is none of the "
        f"formats {', '.join(FORMATS)}: write an agent with select_action(observation) around it"
    )


def _given(space: Any, fields: list[str], arrays: list[Any]) -> Any:
    """Return arrays in the form of a space: by name, or the only one."""
    if hasattr(space, "spaces"):
        return dict(zip(fields, arrays, strict=True))
    return arrays[0]


def _boards(scenario: Scenario) -> Known:
    """Return what is known in games of random shots, from the first shot on."""
    from bsbench.env.vector import BattleshipVectorEnv

    boards = BattleshipVectorEnv(_TRIED, scenario)
    boards.reset(seed=0)
    rng = np.random.default_rng(0)
    known = boards._arena.known
    parts = []
    for shot in range(scenario.rules.cells):
        chosen = (rng.random(known.open.shape) * known.open).argmax(axis=1)
        game = shot % _TRIED
        parts.append(known.of([game]))
        boards.step(chosen)
    joined: list[Any] = [np.concatenate(each) for each in zip(*parts, strict=True)]
    return Known(*joined).of(np.linspace(0, len(parts) - 1, _TRIED).astype(int))


def _arrays_of(observing: Observing, known: Known) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of observations by name."""
    shown: Any = observing.show(known)
    return {"observation": shown} if observing.bare else shown


def _compare(found: npt.NDArray[np.float32], wanted: npt.NDArray[np.float32]) -> None:
    """Refuse a network whose scores differ from those of the policy."""
    scale = max(1.0, float(np.abs(wanted).max()))
    # Not a number differs from all.
    if not np.abs(found - wanted).max() <= _TOLERANCE * scale:
        raise BsbenchError(
            "the exported network does not compute what the policy does: its scores differ by "
            f"{np.abs(found - wanted).max():.3g}; {_OTHERWISE}"
        )
