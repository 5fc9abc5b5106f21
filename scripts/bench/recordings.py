"""Recordings validated against a model: observations per second, beside a plain search that goes state by state."""

import random
import time
from typing import Any

from workbench.checking.following.validate import validate
from workbench.formats.recording import Observation, Recording
from workbench.kernel import Machine, State, machine_of
from workbench.registry import get_model

_ONE_BUCKET = {"NUM_BUCKETS": 1, "ONE_WRITER_PER_BUCKET": False, "MAX_WRITE_OPS": 4, "MAX_COMPACTIONS": 0}

CASES: tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...] = (
    ("bakery_v2", {}, ("claims", "acks", "deferred")),
    ("bakery_v2", {}, ("decision",)),
    ("hudi", {}, ("requested", "inflight", "completed")),
    ("paimon", {**_ONE_BUCKET, "MAX_WRITE_OPS_PER_WRITER": 3, "MAX_WRITE_OPS_PER_KEY": 4}, ("latest", "snapshots")),
)


def record(model: Machine, variables: tuple[str, ...]) -> Recording:
    """A random behaviour as some variables show it: their values whenever one of them changes."""
    positions, chance = model.layout.positions, random.Random(1)
    seen = [cell for name in variables for cell in _cells(positions[name])]
    state = model.initial_states()[0]
    observations = [Observation({cell: state.values[cell] for cell in seen})]
    while options := [after for instance in model.instances for _, after in model.outcomes(instance, state)]:
        state = chance.choice(options)
        now = {cell: state.values[cell] for cell in seen}
        if now != observations[-1].cells:
            observations.append(Observation(now))
    return Recording(observations)


def _cells(position: int | dict[Any, int]) -> list[int]:
    return [position] if isinstance(position, int) else list(position.values())


def follow(model: Machine, recording: Recording, most: float) -> float:
    """Observations per second of a search that runs every action in every state, for at most `most` seconds."""
    began, done = time.perf_counter(), 1
    states = {state for state in model.initial_states() if recording.states[0].agrees(state)}
    for here, there in zip(recording.states, recording.states[1:], strict=False):
        reached, queue, following = set(states), list(states), set[State]()
        for state in queue:
            for instance in model.instances:
                for _, after in model.outcomes(instance, state):
                    if there.agrees(after):
                        following.add(after)
                    elif here.agrees(after) and after not in reached:
                        reached.add(after)
                        queue.append(after)
            if time.perf_counter() - began > most:
                return done / (time.perf_counter() - began)
        states, done = following, done + 1
    return done / (time.perf_counter() - began)


def measure(name: str, constants: dict[str, Any], variables: tuple[str, ...]) -> dict[str, Any]:
    """A recording by the engine, and by the plain search in the same run."""
    model = machine_of(get_model(name)(**constants))
    recording = record(model, variables)
    validate(model, recording, stutter=True)  # compiles before the clock runs
    began = time.perf_counter()
    report = validate(model, recording, stutter=True)
    seconds = time.perf_counter() - began
    assert report.holds
    rate, plain = report.states / seconds, follow(model, recording, most=20)
    return {
        "model": name,
        "seen": ", ".join(variables),
        "observations": report.states,
        "candidates": report.candidates,
        "seconds": round(seconds, 4),
        "observations/s": round(rate, 1),
        "reference/s": round(plain, 2),
        "ratio": round(rate / plain, 1),
    }
