"""Networks between our parts that can be made slow, silent, or cut."""

import asyncio
import contextlib
import itertools
import threading
from asyncio import StreamReader, StreamWriter

from tests.ports import free_port

_CHUNK_BYTES = 65_536


class Link:
    """Passes on what comes to `port` to another port of this machine, and back.

    Of several ports, the next connection goes to the next one, as with a load balancer.

    While `delay` is set, every chunk of bytes is late by so many seconds. While `refusing`, whoever
    comes is turned away. Between `silence` and `speak` nothing goes through, and nobody is told.
    """

    def __init__(self, *to_ports: int, port: int | None = None) -> None:
        self.port = port or free_port()
        self.delay = 0.0
        self.refusing = False
        self._to_ports = itertools.cycle(to_ports)
        self._loop = asyncio.new_event_loop()
        self._speaking = asyncio.Event()
        self._speaking.set()
        self._writers: set[StreamWriter] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        serving = asyncio.start_server(self._pass_on, "127.0.0.1", self.port)
        self._server = asyncio.run_coroutine_threadsafe(serving, self._loop).result()

    def cut(self) -> None:
        """Break every connection, as a firewall that was restarted does."""
        self._loop.call_soon_threadsafe(self._abort)

    def silence(self) -> None:
        self._loop.call_soon_threadsafe(self._speaking.clear)

    def speak(self) -> None:
        self._loop.call_soon_threadsafe(self._speaking.set)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        self._abort()
        await asyncio.sleep(0)

    def _abort(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _pass_on(self, reader: StreamReader, writer: StreamWriter) -> None:
        self._writers.add(writer)
        try:
            if not self.refusing:
                far = await asyncio.open_connection("127.0.0.1", next(self._to_ports))
                far_reader, far_writer = far
                self._writers.add(far_writer)
                await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
        except OSError:
            pass  # Either side is gone; the other one learns it below.
        finally:
            writer.transport.abort()
            self._writers.discard(writer)

    async def _pump(self, source: StreamReader, sink: StreamWriter) -> None:
        try:
            while chunk := await source.read(_CHUNK_BYTES):
                await self._speaking.wait()
                await asyncio.sleep(self.delay)
                sink.write(chunk)
                await sink.drain()
        finally:
            with contextlib.suppress(OSError):
                sink.close()
            self._writers.discard(sink)
