"""`prefetch`: a host function that a thread calls in advance.

    thread          load()  load()  load() ...       while fewer than `depth` results wait
                       │       │       │
                       └───────┴───────┴──► results
                                              │
    program         step, step, step ◄────────┘      takes the next result where it calls the function

The results and their order are those of the calls themselves. What the function does besides happens
earlier, and on the thread.
"""

import inspect
import queue
import threading
import weakref

from ._program import HostFunction


class _Calls:
    """A thread that calls a function, and the results that nobody has taken."""

    def __init__(self, function, depth):
        self.results = queue.SimpleQueue()
        # The calls that may begin before a result is taken.
        self.free = threading.Semaphore(depth)
        self.stops = False
        self.thread = threading.Thread(target=self._run, args=(function,), daemon=True)
        self.thread.start()

    def _run(self, function):
        while True:
            self.free.acquire()
            if self.stops:
                return
            # After an exception, the function is called again, as it would be without the thread.
            try:
                result = function(), None
            except BaseException as error:
                result = None, error
            self.results.put(result)

    def take(self):
        value, error = self.results.get()
        self.free.release()
        if error is not None:
            raise error
        return value

    def stop(self):
        self.stops = True
        self.free.release()


class Prefetched(HostFunction):
    """A host function whose results a thread computes in advance."""

    def __init__(self, function, depth):
        super().__init__(function.__wrapped__)
        # The thread refers to this one alone, so that it ends with the object.
        self._function, self._depth = function, depth
        self._lock = threading.Lock()
        self._calls = None

    def __call__(self):
        with self._lock:
            if self._calls is None:
                self._calls = _Calls(self._function, self._depth)
                weakref.finalize(self, self._calls.stop)
            calls = self._calls
        return calls.take()

    def close(self):
        """Ends the thread and drops the results that nobody has taken. A later call starts anew."""
        with self._lock:
            calls, self._calls = self._calls, None
        if calls is not None:
            calls.stop()
            calls.thread.join()
            # For a call that waits in another thread.
            calls.results.put((None, RuntimeError(f"'{self.__name__}' was closed while a call waited for it")))


def prefetch(function, depth=2):
    """Returns a host function whose results a thread computes in advance: `depth` of them wait.

    The function has no parameters. An exception of it is raised by the call that takes its result.
    """
    if not isinstance(function, HostFunction) or isinstance(function, Prefetched):
        raise TypeError("tfx.prefetch(function, depth) is for a function with @tfx.host")
    name = function.__name__
    if inspect.signature(function.__wrapped__).parameters:
        text = "so a thread cannot call it in advance; read what it needs from a global or an object"
        raise TypeError(f"the host function '{name}' has parameters, {text}")
    if type(depth) is not int or depth < 1:
        raise ValueError(f"the depth of the queue of '{name}' is a number of results, at least 1, not {depth!r}")
    return Prefetched(function, depth)
