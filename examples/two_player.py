"""Two strategies play Battleship for two, and each side of all layouts.

It needs the extra gym: ``python examples/two_player.py prob hunt-target``
"""

import sys

from bsbench.env import StrategyAgent, two_player


def play(first, second, scenario="gym-8x8", games=200, seed=0, **options):
    """Return what the first strategy is paid in each game: 1 if it wins, -1 if it loses, else 0."""
    env = two_player.env(scenario=scenario, **options)
    agents = {
        name: StrategyAgent(strategy, env, seed)
        for name, strategy in zip(env.possible_agents, (first, second), strict=True)
    }
    paid = []
    for game in range(games):
        env.reset(seed=seed, options={"game": game})
        for side, agent in enumerate(agents.values()):
            agent.reset(game=game ^ side)  # the number of the layout that it shoots at
        for name in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            over = terminated or truncated
            if over and name == "player_0":
                paid.append(reward)
            env.step(None if over else agents[name].select_action(observation, info))
    return paid


if __name__ == "__main__":
    first, second = sys.argv[1:] or ("prob", "hunt-target")
    paid = play(first, second)
    print(f"{first} wins {paid.count(1)} of {len(paid)} games, {second} {paid.count(-1)}")
