"""How the episodes of a run are run: one struct, passed from the command line down to the episode."""

import msgspec

from verigym.core.records import Sampling, Turn, Version


class EpisodeLimits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Limits of one episode. An episode that reaches one of them stops, and the limit is its stop reason. `reasoning_tokens` only
    shortens replies."""

    seconds: float = 300.0
    turns: int | None = None
    """Replies of the policy. By default the environment's `max_turns` counts."""
    tokens: int | None = None
    """Tokens that the policy samples, over all its replies."""
    cost: float | None = None
    """US dollars, by `Prices`."""
    reasoning_tokens: int | None = None
    """Tokens of reasoning in each reply. The reasoning ends there, and the answer follows, so the episode goes on."""

    def sampling(self, sampling: Sampling) -> Sampling:
        """Sampling settings with the limit for reasoning. The smaller one counts."""
        if self.reasoning_tokens is None:
            return sampling
        least = min(self.reasoning_tokens, sampling.reasoning_tokens or self.reasoning_tokens)
        return msgspec.structs.replace(sampling, reasoning_tokens=least)


class Prices(msgspec.Struct, frozen=True):
    """US dollars per million tokens."""

    prompt: float = 0.0
    completion: float = 0.0

    def cost(self, turn: Turn) -> float:
        return (self.prompt * turn.usage.prompt_tokens + self.completion * turn.usage.completion_tokens) / 1e6


class ProgramOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the programs of external agents are started. Agents of Verigym's own loop have none."""

    variables: tuple[str, ...] = ()
    """Names of variables of this process that the programs get besides their own."""
    sandbox: bool = False
    """Run the programs in the sandbox. They reach the address of their episode and nothing else."""
    network: bool = False
    """In the sandbox, let the programs use the network of this machine."""
    readable: tuple[str, ...] = ()
    """In the sandbox, files and folders of this machine that the programs can read."""


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a run depends on, except its environment, its tasks and its agent."""

    k: int = 1
    """Episodes per task. The episodes of one task are a group."""
    sampling: Sampling = Sampling()
    """An agent with sampling settings of its own uses those instead."""
    seed: int = 0
    """Seed of the run. `run_episode` takes the seed of its episode here."""
    concurrency: int = 512
    """Episodes that run at the same time, at most."""
    retries: int = 2
    """Retries of an episode that an infrastructure failure broke."""
    limits: EpisodeLimits = EpisodeLimits()
    prices: Prices = Prices()
    verifier_seconds: float = 600.0
    """Timeout of the verifier for one group."""
    user: Version | None = None
    """Plays the user in environments with a persona."""
    judge: Version | None = None
    """Answers the verifiers that ask a judge. For verifiers that compare, it may be a reward model."""
    record_states: bool = False
    """Record the hash of the environment's state before each reply, by calling its `end_state()`."""
    require_sandbox: bool = False
    """Refuse to run code outside an isolated sandbox."""
    program: ProgramOptions = ProgramOptions()
    """For versions and environments with an external agent."""

    def sampling_of(self, agent: Version) -> Sampling:
        """How the replies of an agent are sampled: by its own settings if it has some, within the limits. The weights are those
        of the run, because they are a property of the engine."""
        own = agent.sampling
        if own is not None:
            own = msgspec.structs.replace(own, weights=self.sampling.weights)
        return self.limits.sampling(own or self.sampling)
