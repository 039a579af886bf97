"""The environment of gym-battleship, in plain Python: the yardstick of the others.

Written as the seed's design has it, line by line where it gives lines; but ships keep one cell
apart, as its text says, not two, and a layout that gets stuck is begun anew. As it stands there,
every other reset on small boards would raise. Nothing else is made better, or faster.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

Cell = tuple[int, int]


@dataclass
class Ship:
    name: str
    size: int
    coords: list[Cell]
    hits: set[Cell] = field(default_factory=set)

    @property
    def is_sunk(self) -> bool:
        return len(self.hits) == self.size

    def register_hit(self, coord: Cell) -> bool:
        if coord in self.coords:
            was_sunk = self.is_sunk
            self.hits.add(coord)
            return not was_sunk and self.is_sunk
        return False


@dataclass
class GameState:
    board_size: Cell
    ship_board: np.ndarray
    attack_board: np.ndarray
    ships: dict[str, Ship]
    move_count: int = 0
    done: bool = False
    total_ship_cells: int = 0

    def get_observation(self) -> dict[str, np.ndarray]:
        remaining = [s.size for s in self.ships.values() if not s.is_sunk]
        remaining += [0] * (5 - len(remaining))
        return {
            "attack_board": self.attack_board.copy(),
            "remaining_ships": np.array(remaining[:5], dtype=np.int32),
            "move_count": np.array([self.move_count], dtype=np.int32),
        }


def get_ship_config(board_size: Cell) -> dict[str, int]:
    min_dim = min(board_size)
    if min_dim < 5:
        raise ValueError("Board size must be at least 5x5")
    if min_dim <= 7:
        return {"destroyer": 2, "cruiser": 3}
    if min_dim <= 9:
        return {"destroyer": 2, "cruiser": 3, "submarine": 3}
    return {"carrier": 5, "battleship": 4, "cruiser": 3, "submarine": 3, "destroyer": 2}


def place_ships(
    board_size: Cell, ship_config: dict[str, int], rng: np.random.Generator
) -> tuple[dict[str, Ship], np.ndarray]:
    while True:
        placed = _try_to_place_ships(board_size, ship_config, rng)
        if placed is not None:
            return placed


def _try_to_place_ships(
    board_size: Cell, ship_config: dict[str, int], rng: np.random.Generator
) -> tuple[dict[str, Ship], np.ndarray] | None:
    rows, cols = board_size
    ship_board = np.zeros((rows, cols), dtype=np.int32)
    occupied_cells: set[Cell] = set()
    ships = {}
    sorted_ships = sorted(ship_config.items(), key=lambda x: x[1], reverse=True)
    for ship_id, (ship_name, size) in enumerate(sorted_ships, start=1):
        for _ in range(1000):
            horizontal = rng.choice([True, False])
            if horizontal:
                row = rng.integers(0, rows)
                col = rng.integers(0, cols - size + 1)
                coords = [(row, col + i) for i in range(size)]
            else:
                row = rng.integers(0, rows - size + 1)
                col = rng.integers(0, cols)
                coords = [(row + i, col) for i in range(size)]
            # The seed tests the neighbours of these cells, too: a second buffer.
            if not any(coord in occupied_cells for coord in coords):
                for r, c in coords:
                    ship_board[r, c] = ship_id
                occupied_cells.update(_get_buffer_zone(coords, board_size))
                ships[ship_name] = Ship(name=ship_name, size=size, coords=coords)
                break
        else:
            return None
    return ships, ship_board


def _get_buffer_zone(coords: list[Cell], board_size: Cell) -> set[Cell]:
    rows, cols = board_size
    buffer = set(coords)
    for r, c in coords:
        for dr in [-1, 0, 1]:
            for dc in [-1, 0, 1]:
                nr, nc = r + dr, c + dc
                if 0 <= nr < rows and 0 <= nc < cols:
                    buffer.add((nr, nc))
    return buffer


class SeedEnv(gymnasium.Env[dict[str, np.ndarray], int]):
    def __init__(self, board_size: Cell = (10, 10)) -> None:
        super().__init__()
        self.board_size = board_size
        rows, cols = board_size
        self.action_space = spaces.Discrete(rows * cols)
        self.observation_space = spaces.Dict(
            {
                "attack_board": spaces.Box(low=0, high=2, shape=(rows, cols), dtype=np.int32),
                "remaining_ships": spaces.Box(low=0, high=5, shape=(5,), dtype=np.int32),
                "move_count": spaces.Box(low=0, high=2**31 - 1, shape=(1,), dtype=np.int32),
            }
        )
        self.state: GameState | None = None

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        super().reset(seed=seed)
        self.state = self._create_initial_state()
        return self.state.get_observation(), self._get_info()

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        if self.state is None:
            raise RuntimeError("Must call reset() before step()")
        if self.state.done:
            raise RuntimeError("Episode is done, call reset()")
        if not self.action_space.contains(action):
            error = {"error": "Action out of bounds"}
            return self.state.get_observation(), -50.0, False, False, error
        row, col = divmod(action, self.board_size[1])
        if self.state.attack_board[row, col] != 0:
            error = {"error": f"Cell ({row}, {col}) already attacked"}
            return self.state.get_observation(), -50.0, False, False, error
        reward, info = self._process_attack(row, col)
        self.state.move_count += 1
        terminated = self.state.done
        return self.state.get_observation(), reward, terminated, False, info

    def _process_attack(self, row: int, col: int) -> tuple[float, dict[str, Any]]:
        assert self.state is not None
        cell_value = self.state.ship_board[row, col]
        if cell_value == 0:
            self.state.attack_board[row, col] = 1
            return -1.0, {"result": "miss", "ship_sunk": None}
        self.state.attack_board[row, col] = 2
        ship_sunk = None
        for ship in self.state.ships.values():
            if (row, col) in ship.coords:
                just_sunk = ship.register_hit((row, col))
                if just_sunk:
                    ship_sunk = ship.name
                break
        all_sunk = all(s.is_sunk for s in self.state.ships.values())
        if all_sunk:
            self.state.done = True
            return 100.0, {"result": "win", "ship_sunk": ship_sunk}
        if ship_sunk:
            return 10.0, {"result": "hit", "ship_sunk": ship_sunk}
        return 5.0, {"result": "hit", "ship_sunk": None}

    def _create_initial_state(self) -> GameState:
        ship_config = get_ship_config(self.board_size)
        ships, ship_board = place_ships(self.board_size, ship_config, self.np_random)
        rows, cols = self.board_size
        attack_board = np.zeros((rows, cols), dtype=np.int32)
        total_cells = sum(s.size for s in ships.values())
        return GameState(
            board_size=self.board_size,
            ship_board=ship_board,
            attack_board=attack_board,
            ships=ships,
            total_ship_cells=total_cells,
        )

    def _get_info(self) -> dict[str, Any]:
        assert self.state is not None
        return {
            "ships_remaining": len([s for s in self.state.ships.values() if not s.is_sunk]),
            "total_ships": len(self.state.ships),
            "move_count": self.state.move_count,
        }
