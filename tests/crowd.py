"""A crowd that asks one question at the same moment, each listening to its stream, and what becomes of each."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from httpx_sse import EventSource

PATIENCE_SECONDS = 120.0


@dataclass(slots=True)
class Stream:
    """One who asks. events: as heard. *_seconds: from the moment of asking; None when it did not come so far."""

    status: int | None = None
    retry_after: str | None = None
    code: str = ""
    events: list[str] = field(default_factory=list)
    answer: dict[str, Any] = field(default_factory=dict)
    status_seconds: float | None = None
    end_seconds: float | None = None

    @property
    def is_refused(self) -> bool:
        """Tell whether it was sent away as the API says: overloaded, with the time to come back."""
        return (self.status, self.code) == (503, "overloaded") and int(self.retry_after or 0) > 0

    @property
    def is_answered(self) -> bool:
        """Tell whether it has its answer, and from the model: nothing took its place."""
        if self.status != 200 or self.events[-1:] != ["answer"]:
            return False
        return "chat model" not in {fall_back["wanted"] for fall_back in self.answer["fall_backs"]}


class Crowd:
    """Asks when it is entered; whoever has no answer when it is left goes away without one."""

    def __init__(self, url: str, body: dict[str, Any], n: int) -> None:
        self.streams = [Stream() for _ in range(n)]
        self._url, self._body = url, body | {"stream": True}
        self._client = httpx.AsyncClient(
            timeout=PATIENCE_SECONDS, limits=httpx.Limits(max_connections=n, max_keepalive_connections=0)
        )

    async def __aenter__(self) -> "Crowd":
        self._asking = [asyncio.create_task(self._ask(stream)) for stream in self.streams]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._asking:
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)
        await self._client.aclose()

    async def ended(self, n: int | None = None) -> Sequence[Stream]:
        """Wait until so many have ended, all without a number; return those."""
        wanted = len(self.streams) if n is None else n
        deadline = time.monotonic() + PATIENCE_SECONDS
        while sum(task.done() for task in self._asking) < wanted:
            assert time.monotonic() < deadline, Counter((s.status, s.code) for s in self.streams)
            await asyncio.sleep(0.01)
        over = [task.done() for task in self._asking]
        for task in self._asking:
            if task.done():
                task.result()
        return [stream for stream, is_over in zip(self.streams, over, strict=True) if is_over]

    async def _ask(self, stream: Stream) -> None:
        begun = time.perf_counter()
        async with self._client.stream("POST", f"{self._url}/v1/query", json=self._body) as response:
            stream.status, stream.status_seconds = response.status_code, time.perf_counter() - begun
            stream.retry_after = response.headers.get("Retry-After")
            if response.status_code == 200:
                async for event in EventSource(response).aiter_sse():
                    stream.events.append(event.event)
                    if event.event == "answer":
                        stream.answer = json.loads(event.data)
            else:
                stream.code = json.loads(await response.aread())["error"]["code"]
        stream.end_seconds = time.perf_counter() - begun
