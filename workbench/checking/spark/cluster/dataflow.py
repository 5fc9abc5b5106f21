"""Work in stages, in this process or on Spark.

The first stage turns each piece of work into messages, each addressed to a number. Each later stage collects the
messages for a number and turns them into further messages. The messages of the last stage are the result.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from workbench.checking.spark.cluster.exchange import Exchange, Letter, Post
from workbench.checking.spark.cluster.fetching_without_port import payloads
from workbench.checking.spark.cluster.jobs import run_job, telling_where
from workbench.checking.spark.cluster.shipping import pack, unpack

_SENT = "number int, payload binary"
_Batches = Iterator[pa.RecordBatch]

Outgoing = Iterable[tuple[int, Any]]
First = Callable[[Any], Outgoing]


class Stage(NamedTuple):
    """A later stage: how many numbers it has, and the function that handles the messages for one number.

    The function may post a message early, so that it need not hold the arrays until it sends the message.
    """

    numbers: int
    do: Callable[[int, Iterator[Any], Post], Outgoing]


class Flow(Protocol):
    """:func:`here`, or :func:`on_spark` with a session."""

    def __call__(self, work: Sequence[Any], first: First, /, *stages: Stage) -> list[Any]: ...


def here(work: Sequence[Any], first: First, /, *stages: Stage) -> list[Any]:
    """Run the stages in this process."""
    sent = [pair for unit in work for pair in first(unit)]
    for stage in stages:
        by_number: dict[int, list[Any]] = {}
        for number, message in sent:
            by_number.setdefault(number, []).append(message)
        sent = [pair for number, messages in by_number.items() for pair in stage.do(number, iter(messages), _kept)]
    return [message for _, message in sent]


def _kept(message: Any) -> Any:
    return message


def on_spark(
    session: Any,
    watch: Callable[[], None],
    explain: Callable[[Exception], Exception],
    exchange: Exchange,
    work: Sequence[Any],
    first: First,
    /,
    *stages: Stage,
) -> list[Any]:
    """Run the stages as Spark tasks: first one for each piece of work, in later stages one for each number.

    Functions, work and messages are pickled.

    Args:
        watch: Called repeatedly while the job runs. If it raises, the job is cancelled.
        explain: Turns a failure into the error to raise.
        exchange: The place where tasks leave their messages.
    """

    def job() -> list[Any]:
        try:
            sent = session.range(0, len(work), 1, len(work)).mapInArrow(_begin(work, first, exchange), _SENT)
            for stage in stages:
                sent = sent.repartitionById(stage.numbers, "number").mapInArrow(_go_on(stage.do, exchange), _SENT)
            return [unpack(payload).open() for payload in payloads(sent)]
        except Exception as error:
            explained = explain(error)
            raise explained from (None if explained is error else error)
        finally:
            exchange.forget()

    return run_job(session, job, watch)


def _begin(work: Sequence[Any], first: First, exchange: Exchange) -> Callable[[_Batches], _Batches]:
    def task(batches: _Batches) -> _Batches:
        with telling_where(), exchange.posting() as post:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    yield from (_batch(pair, post) for pair in first(work[number]))

    return task


def _go_on(do: Callable[[int, Iterator[Any], Post], Outgoing], exchange: Exchange) -> Callable[[_Batches], _Batches]:
    def task(batches: _Batches) -> _Batches:
        arriving = (
            (n, p) for batch in batches for n, p in zip(batch.column(0).to_pylist(), batch.column(1), strict=True)
        )
        others: dict[int, list[Any]] = {}  # nearly always empty: Spark gives a task one number

        def to(number: int, first: Any) -> Iterator[Any]:
            yield _opened(first)
            for other, payload in arriving:
                if other == number:
                    yield _opened(payload)
                else:
                    others.setdefault(other, []).append(payload)

        with telling_where(), exchange.posting() as post:
            for number, payload in arriving:
                yield from (_batch(pair, post) for pair in do(number, to(number, payload), post))
            for number, rest in others.items():
                yield from (_batch(pair, post) for pair in do(number, map(_opened, rest), post))

    return task


def _opened(payload: Any) -> Any:
    """The message in a row of a batch."""
    return unpack(payload.as_buffer()).open()


def _batch(sent: tuple[int, Any], post: Post) -> pa.RecordBatch:
    number, message = sent
    payload = pack(message if isinstance(message, Letter) else post(message))
    return pa.RecordBatch.from_pydict(
        {"number": pa.array([number], pa.int32()), "payload": pa.array([payload], pa.binary())}
    )
