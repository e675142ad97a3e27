"""A proxy before the S3 server of the tests that loses, refuses and delays, as a network and a busy store do."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

import aiohttp
from aiohttp import web


@dataclass
class Faults:
    """Shares of requests. error: 500 or 503 before anything is done; cut: of writes that are done and never
    confirmed; torn: of answers that break off in the middle. slow_seconds: the longest delay of a write.
    seen: what was done to how many."""

    error: float = 0.0
    cut: float = 0.0
    torn: float = 0.0
    slow_seconds: float = 0.0
    seed: int = 0
    seen: Counter[str] = field(default_factory=Counter)


@contextmanager
def faulty_s3(endpoint: str, faults: Faults) -> Iterator[str]:
    """Run the proxy in a thread; yield its address."""
    draw = Random(faults.seed)
    started, addresses = threading.Event(), list[str]()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        if draw.random() < faults.error:
            faults.seen["error"] += 1
            return web.Response(status=draw.choice((500, 503)), text="<Error><Code>SlowDown</Code></Error>")
        if request.method == "PUT":
            await asyncio.sleep(draw.uniform(0, faults.slow_seconds))
        session: aiohttp.ClientSession = request.app[SESSION]
        url = endpoint + request.raw_path
        async with session.request(
            request.method, url, data=body, headers=request.headers, allow_redirects=False
        ) as answer:
            data = await answer.read()
        faults.seen["forwarded"] += 1
        if request.method in ("PUT", "POST") and answer.status == 200 and draw.random() < faults.cut:
            faults.seen["cut"] += 1
            assert request.transport
            request.transport.abort()
        torn = request.method in ("GET", "POST") and len(data) > 1 and draw.random() < faults.torn
        headers = {k: v for k, v in answer.headers.items() if k.lower() not in HOP_BY_HOP}
        if request.method == "HEAD":
            headers["Content-Length"] = answer.headers.get("Content-Length", "0")
        if torn:
            faults.seen["torn"] += 1
            half = web.StreamResponse(
                status=answer.status, headers=headers | {"Content-Length": str(len(data))}
            )
            await half.prepare(request)
            await half.write(data[: len(data) // 2])
            assert request.transport
            request.transport.abort()
            return half
        return web.Response(status=answer.status, body=data, headers=headers)

    async def serve() -> None:
        app = web.Application(client_max_size=2**30)
        app.router.add_route("*", "/{path:.*}", handle)
        async with aiohttp.ClientSession(
            auto_decompress=False, skip_auto_headers={"Content-Type"}
        ) as session:
            app[SESSION] = session
            runner = web.AppRunner(app, shutdown_timeout=0.1)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            addresses.append(f"http://127.0.0.1:{runner.addresses[0][1]}")
            started.set()
            await over.wait()
            await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert started.wait(20), "the proxy did not start"
    try:
        yield addresses[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


SESSION = web.AppKey("session", aiohttp.ClientSession)
HOP_BY_HOP = {"connection", "content-length", "transfer-encoding", "keep-alive", "server", "date"}
