"""Models of Stable-Baselines3 as strategies: in ONNX files, which need no torch.

torch itself writes what a policy computes (``torch.onnx.export``). The result is compared with the
policy before it is saved.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, how_to_install
from bsbench.common.files import as_path, check_export, exists, taken, write_bytes
from bsbench.env.making import observation_space
from bsbench.kernels.known import Known
from bsbench.own.observation import FORMATS, LOGITS, SCORES, Observing
from bsbench.own.policies import ONNX, session_of
from bsbench.rules.scenario import Scenario, find_scenario, look_up_scenario

if TYPE_CHECKING:
    import torch
    from onnx import ModelProto

_TRIED = 64
"""Boards on which the exported network is compared with the policy."""

_TOLERANCE = 1e-3
"""Difference between their scores at most, in parts of the largest one. Both compute in float32, in
another order."""

_OTHERWISE = 'play it as a class around it: see "Measure your own agent" in docs/gymnasium.md'


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
    model : PPO, A2C, DQN, TRPO, MaskablePPO or QRDQN
        Its actions are discrete, and its observations are in one of the formats of
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
    suffix = f".{ONNX}"
    if not path.name or path.suffix not in ("", suffix):
        raise BsbenchError(f"an agent is saved as {suffix}: end {str(path)!r} in {suffix}")
    path = path.with_suffix(suffix)
    if not force and exists(path):
        raise taken(path)
    check_export(path, force=True)
    policy = _policy_of(model)
    scenario = _scenario_of(model, scenario)
    observing, fields = _format_of(policy.observation_space, scenario)
    if int(policy.action_space.n) != scenario.rules.cells:
        raise BsbenchError(
            f"the model chooses among {policy.action_space.n} actions, and {scenario.name} has "
            f"{scenario.rules.cells} cells: name the scenario that it was trained on"
        )
    shown = observing.show(_boards(scenario))
    arrays = shown if isinstance(shown, dict) else {"observation": shown}
    given = {name: arrays[name] for name in fields}
    training = policy.training
    # Without dropout, as it plays.
    policy.set_training_mode(False)
    try:
        written, wanted = _written(policy, given)
    finally:
        policy.set_training_mode(training)
    source = f"{type(model).__name__} policy of Stable-Baselines3; its best open cell is shot"
    _add_facts(written, scenario, observing.obs, source)
    content: bytes = written.SerializeToString()
    (found,) = session_of(content).run(None, given)
    _compare(found, wanted)
    write_bytes(path, content)
    return path


def _policy_of(model: Any) -> Any:
    """Return the policy of a model.

    Raises
    ------
    BsbenchError
        If it is no model of Stable-Baselines3 that chooses a cell by an observation.
    """
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
    if hasattr(policy, "lstm_actor"):
        raise BsbenchError(f"the policy has memory, and can't be exported: {_OTHERWISE}")
    return policy


def _scoring(policy: Any) -> tuple[str, Callable[[Any], torch.Tensor]]:
    """Return what the scores of a policy are, `LOGITS` or `SCORES`, and what computes them.

    Raises
    ------
    BsbenchError
        If it chooses actions in another way.
    """

    def logits(shown: Any) -> torch.Tensor:
        features = policy.extract_features(shown)
        if not policy.share_features_extractor:
            features, _ = features
        scores: torch.Tensor = policy.action_net(policy.mlp_extractor.forward_actor(features))
        return scores

    if hasattr(policy, "quantile_net"):
        return SCORES, lambda shown: policy.quantile_net(shown).mean(dim=1)
    if hasattr(policy, "q_net"):
        return SCORES, policy.q_net
    if hasattr(policy, "mlp_extractor"):
        return LOGITS, logits
    raise BsbenchError(
        f"bsbench does not know how a {type(policy).__name__} chooses actions: {_OTHERWISE}"
    )


def _written(
    policy: Any, given: dict[str, npt.NDArray[Any]]
) -> tuple[ModelProto, npt.NDArray[np.float32]]:
    """Return a policy's network as ONNX, and what the policy itself computes.

    Parameters
    ----------
    policy
        Of Stable-Baselines3.
    given : dict of str to ndarray
        The arrays that it is shown, a game in each row.

    Returns
    -------
    written : ModelProto
    scores : ndarray of float32, shape (games, actions)

    Raises
    ------
    BsbenchError
        If torch can't write it.
    """
    import torch

    kind, compute = _scoring(policy)
    by_name = hasattr(policy.observation_space, "spaces")

    class Scorer(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.policy = policy

        def forward(self, *tensors: Any) -> Any:
            return compute(dict(zip(given, tensors, strict=True)) if by_name else tensors[0])

    scorer = Scorer()
    scorer.train(False)
    tensors = tuple(torch.as_tensor(each.copy(), device=policy.device) for each in given.values())
    # Any number of games.
    shapes = (({0: torch.export.Dim.DYNAMIC},) * len(given),)
    with torch.no_grad(), warnings.catch_warnings():
        # torch warns of its own code, and of libraries that are not needed.
        warnings.simplefilter("ignore")
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        wanted = np.asarray(scorer(*tensors).cpu().numpy(), np.float32)
        try:
            written = torch.onnx.export(
                scorer,
                tensors,
                dynamo=True,
                dynamic_shapes=shapes,
                input_names=list(given),
                output_names=[kind],
                verbose=False,
            ).model_proto
        except Exception as error:
            # The code of the policy may raise anything when torch follows it.
            why = str(error.__cause__ or error).strip().partition("\n")[0][:200]
            raise BsbenchError(
                "the policy's network can't be exported, since torch can't write it as ONNX "
                f"({why}): {_OTHERWISE}"
            ) from None
    # torch notes for each node by which lines of which files it was made.
    for each in (*written.graph.node, *written.graph.value_info, *written.graph.input):
        del each.metadata_props[:]
    return written, wanted


def _add_facts(model: ModelProto, scenario: Scenario, obs: str, source: str) -> None:
    """Add what bsbench reads from a policy's metadata."""
    facts = {"obs": obs, "needs": str(scenario.rules.feedback), "source": source}
    # The name of a file says nothing elsewhere.
    if not scenario.name.endswith(".toml") and look_up_scenario(scenario.name) == scenario:
        facts["scenario"] = scenario.name
    for key, value in facts.items():
        model.metadata_props.add(key=key, value=value)


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


def _compare(found: npt.NDArray[np.float32], wanted: npt.NDArray[np.float32]) -> None:
    """Refuse a network whose scores differ from those of the policy."""
    scale = max(1.0, float(np.abs(wanted).max()))
    # Not a number differs from all.
    if not np.abs(found - wanted).max() <= _TOLERANCE * scale:
        raise BsbenchError(
            "the exported network does not compute what the policy does: its scores differ by "
            f"{np.abs(found - wanted).max():.3g}; {_OTHERWISE}"
        )
