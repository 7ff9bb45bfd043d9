"""A server of OpenEnv: find a number from 0 to 9. Start it with `uvicorn openenv_guess:app` where openenv is installed, or let
Verigym start it: `verigym check 'openenv:examples/openenv_guess.py:app#examples/openenv_guess.jsonl'`.

Nothing here knows of Verigym. The number follows from the seed of `reset`.
"""

import random

from openenv.core.env_server import Action, Environment, Observation, State, create_app  # pyright: ignore[reportMissingImports]


class Guess(Action):
    number: int


class Hint(Observation):
    hint: str = ""


class Guessing(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State(episode_id="", step_count=0)

    def reset(self, seed=None, episode_id=None, **others):
        self._number = random.Random(seed).randrange(10)
        self._state = State(episode_id=episode_id or "", step_count=0)
        return Hint(hint="Guess a number from 0 to 9.")

    def step(self, action, timeout_s=None, **others):
        self._state.step_count += 1
        if action.number == self._number:
            return Hint(hint="right", done=True, reward=1.0)
        return Hint(hint="higher" if action.number < self._number else "lower", done=False, reward=0.0)

    @property
    def state(self) -> State:
        return self._state


app = create_app(Guessing, Guess, Hint, env_name="guessing", max_concurrent_envs=64)
