"""Mutation testing of the game's rules: which small faults does no test notice?

    pip install mutmut==3.8.1
    python benchmarks/mutants.py                         every module below
    python benchmarks/mutants.py audit.orders scoring    some of them
    python benchmarks/mutants.py audit.orders --only 3 7 the third and seventh of its mutants

The mutants are mutmut's, in the bodies of functions. Tests are collected once; each
mutant is put in place in a fork of this process and tried by its module's tests up to
the first that fails, those first that caught most in least time. Prints the mutants
that none catches, and a line for each module.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import json
import os
import resource
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import CodeType, FunctionType
from typing import Any

import hypothesis
import pytest
from _pytest.runner import runtestprotocol
from mutmut.configuration import config
from mutmut.mutation.file_mutation import create_mutations, deep_replace

HOME = Path("kdscan/game/duel")

AUDIT = ["audit_goldens", "audit_maps", "audit_book", "audit_brute"]
PROOFS = ["proof", "blamed", "quick"]
PAIRS = ["pair", "rounds"]

TESTS: dict[str, list[str]] = {
    "scoring": ["board"],
    "audit.__init__": ["terms", *AUDIT, *PROOFS],
    "audit.orders": [*AUDIT, "ways", "quick"],
    "audit.pair": PAIRS,
    "audit.proofs": [*AUDIT, *PROOFS],
    "audit.rounds": PAIRS,
    "audit.search": [*AUDIT, *PROOFS],
    "audit.shields": ["dominoes", *AUDIT, "pair"],
    "audit.smallest": [*AUDIT, *PROOFS],
    "audit.terms": ["terms", *AUDIT, "ways", "proof"],
    "audit.ways": ["ways", *AUDIT, *PROOFS, "pair"],
    "audit.witness": ["witness", *AUDIT],
}
"""The files of tests/game that try each module's mutants."""

SECONDS = 40
"""CPU time after which a mutant is stopped, if its tests take no longer; it counts as caught."""

PATIENCE = 3
"""How many times the tests' own CPU time a mutant gets at least."""


class Tests:
    """A module's tests: all that were collected, their times, and what each has caught."""

    def __init__(self, items: list[pytest.Item]) -> None:
        self.items = items
        self.catches: Counter[int] = Counter()
        end, said = forked(self._time, 600)
        self.times = [float(seconds) for seconds in said]
        self.limit = max(SECONDS, round(PATIENCE * sum(self.times)))
        if end:
            raise SystemExit(f"{items[len(said) - 1].nodeid} fails without any mutation")

    def _time(self, say: Callable[[float], None]) -> int:
        for item in self.items:
            start = time.process_time()
            failed = fails(item)
            say(time.process_time() - start)
            if failed:
                return 1
        return 0

    def in_order(self) -> list[int]:
        """The tests' numbers, the most telling for their time first."""
        numbers = range(len(self.items))
        return sorted(numbers, key=lambda n: (self.times[n] + 0.01) / (0.1 + self.catches[n]))


class Mutants:
    """The mutants of one module."""

    def __init__(self, module: str, tests: Tests) -> None:
        self.module, self.tests = module, tests
        self.path = HOME.joinpath(*module.split(".")).with_suffix(".py")
        self.source = self.path.read_text("utf-8")
        self.name = ".".join(self.path.with_suffix("").parts).removesuffix(".__init__")
        self.live: dict[str, list[FunctionType]] = defaultdict(list)
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and thing.__module__ == self.name:
                self.live[thing.__code__.co_qualname].append(thing)

    def try_all(self, only: set[int]) -> None:
        """Try every mutant, or those numbers only, and say which were not caught."""
        start, tried, stopped = time.time(), 0, 0
        print(f"... {self.module}: {len(self.tests.items)} tests, {sum(self.tests.times):.0f} s")
        survived: list[int] = []
        for count, (function, source) in enumerate(self._mutants(), 1):
            if only and count not in only:
                continue
            tried += 1
            end = self._fate(function, source)
            stopped += end == signal.SIGXCPU
            if not end:
                survived.append(count)
                print(f"--- {self.module} {count} in {function} survived")
                lines = difflib.unified_diff(self.source.split("\n"), source.split("\n"), n=1)
                print("\n".join(list(lines)[2:]), flush=True)
        print(
            f"=== {self.module}: {tried} mutants, {tried - len(survived)} caught "
            f"({stopped} by time), {len(survived)} not, {time.time() - start:.0f} s",
            flush=True,
        )

    def _mutants(self) -> Iterator[tuple[str, str]]:
        module, mutations, _, _ = create_mutations(str(self.path), self.source)
        for mutation in mutations:
            source = deep_replace(module, mutation.original_node, mutation.mutated_node).code
            for function in _changed(self.source, source):
                yield function, source

    def _fate(self, function: str, source: str) -> int:
        """0 when no test catches the mutant."""
        numbers = self.tests.in_order()

        def child(say: Callable[[float], None]) -> int:
            for name, code in _functions(compile(source, str(self.path), "exec")):
                for live in self.live[name]:
                    live.__code__ = code
            for number in numbers:
                if fails(self.tests.items[number]):
                    say(number)
                    return 1
            return 0

        end, said = forked(child, self.tests.limit)
        self.tests.catches.update(said)
        return end


def _functions(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    """Top-level functions and methods, by qualified name."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & 1:  # CO_OPTIMIZED: a function; class bodies are not
                yield inner.co_qualname, inner
            else:
                yield from _functions(inner)


def _changed(old: str, new: str) -> Iterator[str]:
    before, after = (dict(_functions(compile(s, "", "exec"))) for s in (old, new))
    for name, code in after.items():
        if _bare(code) != _bare(before[name]):
            yield name


def _bare(code: CodeType) -> object:
    inner = [_bare(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, inner


def fails(item: pytest.Item) -> bool:
    """Whether a test fails."""
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def forked(run: Callable[[Callable[[float], None]], int], seconds: int) -> tuple[int, list[Any]]:
    """Run in a fork with a limit of CPU time; its exit status and what it said."""
    with NamedTemporaryFile("w+") as told:
        child = os.fork()
        if not child:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)

            def say(what: float) -> None:
                told.write(json.dumps(what) + "\n")
                told.flush()

            try:
                os._exit(run(say))
            except BaseException:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        told.seek(0)
        said = [json.loads(line) for line in told]
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), said


class _Instead:
    """Tries mutants where pytest would run its tests."""

    def __init__(self, modules: list[str], only: set[int]) -> None:
        self.modules, self.only = modules, only

    @pytest.hookimpl
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for module in self.modules:
            files = [f"test_{name}.py" for name in TESTS[module]]
            items = [item for item in session.items if item.path.name in files]
            Mutants(module, Tests(items)).try_all(self.only)
        return True


def main() -> None:
    """Collect the tests, then try mutants instead of running them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", choices=[*TESTS, []], default=[])
    parser.add_argument("--only", type=int, nargs="+", default=[], metavar="N")
    given = parser.parse_args()
    # The same examples for all mutants, none of them made smaller, however busy the machine.
    quick = hypothesis.settings(
        deadline=None,
        database=None,
        derandomize=True,
        max_examples=20,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.settings.register_profile("mutants", quick)
    hypothesis.settings.load_profile("mutants")
    config.__globals__["_guess_source_paths"] = lambda: [str(HOME)]
    chosen = _Instead(given.modules or list(TESTS), set(given.only))
    names = sorted({name for module in chosen.modules for name in TESTS[module]})
    files = [f"tests/game/test_{name}.py" for name in names]
    options = ["-q", "-p", "no:cacheprovider", "--noconftest", "-s"]
    pytest.main([*options, *files], plugins=[chosen])


if __name__ == "__main__":
    main()
