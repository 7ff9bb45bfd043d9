"""What is handed in to be tested: right code with the tests that it passes, and wrong code that tries to pass anyway."""

from textwrap import dedent
from typing import Any


def text(block: str) -> str:
    return dedent(block).strip("\n")


ADD = "def add(a, b):\n    return a + b"
STACK = text("""
    class Stack:
        def __init__(self): self.rows = []
        def push(self, row): self.rows.append(row); return self
        def pop(self): return self.rows.pop()
        def __len__(self): return len(self.rows)
        def __getitem__(self, at): return self.rows[at]
        def __contains__(self, row): return row in self.rows
        def __str__(self): return f"{len(self.rows)} rows"
""")

RIGHT: dict[str, tuple[str, Any, dict[str, Any]]] = {
    # name: source, tests, what else the task holds
    "asserts": (
        ADD,
        text("""
        assert add(1, 2) == 3
        assert add('a', 'b') == 'ab'
    """),
        {},
    ),
    "a list of asserts": (ADD, ["assert add(1, 2) == 3", "assert add([1], [2]) == [1, 2]"], {}),
    "a function with a call in a call": (
        ADD,
        text("""
        def test_add():
            assert add(1, 2) == 3
            assert add(add(1, 2), 3) == 6
    """),
        {},
    ),
    "an import from solution": (
        ADD,
        text("""
        from solution import add
        def test_add():
            assert add(1, b=2) == 3
    """),
        {},
    ),
    "an import of solution": (
        ADD,
        text("""
        import solution
        assert solution.add(1, 2) == 3
    """),
        {},
    ),
    "check(candidate)": (
        ADD,
        text("""
        def check(candidate):
            assert candidate(1, 2) == 3
            assert candidate(2, 2) == 4
    """),
        {"entry_point": "add"},
    ),
    "a loop of calls": (
        ADD,
        text("""
        for a in range(150):
            assert add(a, 1) == a + 1
    """),
        {},
    ),
    "a table of cases": (
        ADD,
        text("""
        cases = [(1, 2, 3), (2, 2, 4)]
        for a, b, c in cases:
            assert add(a, b) == c
    """),
        {},
    ),
    "an exception with its words": (
        ADD,
        text("""
        import pytest
        def test_add():
            with pytest.raises(TypeError, match='int'):
                add(1, 'a')
    """),
        {},
    ),
    "a number nearly": (
        ADD,
        text("""
        import pytest
        assert add(0.1, 0.2) == pytest.approx(0.3)
    """),
        {},
    ),
    "a list nearly": (
        ADD,
        text("""
        import pytest
        assert add([0.1], [1]) == pytest.approx([0.1, 1])
    """),
        {},
    ),
    "a recursion over answers": (
        ADD,
        text("""
        def total(n):
            return n if n > 20 else total(add(n, n))
        assert total(1) == 32
    """),
        {},
    ),
    "a loop over an answer": (
        ADD,
        text("""
        x = add(1, 1)
        while x > 0:
            x -= 1
        assert x == 0
    """),
        {},
    ),
    "a name of a builtin": (
        text("""
        def sum(rows):
            return 7
    """),
        "assert sum([1, 2]) == 7",
        {"entry_point": "sum"},
    ),
    "values of every kind": (
        text("""
        def pair(a):
            return (a, {a}, {a: b'x'}, 1.5, None, float('inf'), 1j, frozenset('ab'))
    """),
        "assert pair(1) == (1, {1}, {1: b'x'}, 1.5, None, float('inf'), 1j, frozenset('ab'))",
        {},
    ),
    "a list is no tuple": (
        text("""
        def pair(a):
            return [a]
    """),
        "assert pair(1) != (1,) and isinstance(pair(1), list)",
        {},
    ),
    "an exception caught": (
        text("""
        def fails(a):
            raise ValueError('no')
    """),
        text("""
        try:
            fails(1)
            assert False
        except ValueError as error:
            assert str(error) == 'no'
    """),
        {},
    ),
    "an exception of its own": (
        text("""
        class Bad(KeyError): pass
        def fails(a):
            raise Bad('no')
    """),
        text("""
        import pytest
        def test():
            with pytest.raises(KeyError):
                fails(1)
    """),
        {},
    ),
    "an exception that takes more than words": (
        text("""
        def fails(a):
            b'\\xff'.decode()
    """),
        text("""
        import pytest
        def test():
            with pytest.raises(ValueError):
                fails(1)
    """),
        {},
    ),
    "a plain exception": (
        text("""
        def fails(a):
            raise Exception('x')
    """),
        text("""
        import pytest
        def test():
            with pytest.raises(Exception):
                fails(1)
    """),
        {},
    ),
    "a generator": (
        text("""
        def count(n):
            yield from range(n)
    """),
        text("""
        assert list(count(3)) == [0, 1, 2]
        assert sum(count(4)) == 6
    """),
        {},
    ),
    "an object with its methods": (
        STACK,
        text("""
        def test_stack():
            s = Stack()
            s.push(1).push(2)
            assert len(s) == 2 and s.pop() == 2 and s.rows == [1]
            assert s[0] == 1 and 1 in s and 5 not in s and str(s) == '1 rows' and s
    """),
        {},
    ),
    "a counter, fresh for each test": (
        text("""
        calls = []
        def counted():
            calls.append(1)
            return len(calls)
    """),
        text("""
        def test():
            assert counted() == 1
            assert counted() == 2
        def test_again():
            assert counted() == 1
    """),
        {},
    ),
    "random numbers": (
        text("""
        import random
        def roll():
            return random.random()
    """),
        text("""
        def test():
            a = roll()
            b = roll()
            assert a != b and 0 <= a < 1
    """),
        {},
    ),
    "noise": (
        text("""
        def add(a, b):
            print('noise')
            return a + b
        print('noise')
        if __name__ == '__main__':
            1 / 0
    """),
        "assert add(1, 2) == 3",
        {},
    ),
    "a long argument": (
        text("""
        def size(rows):
            return len(rows)
    """),
        "assert size(list(range(12_000))) == 12_000",
        {},
    ),
    "long answers": (
        text("""
        def rows(n):
            return list(range(n))
    """),
        [f"assert len(rows({n})) == {n}" for n in range(20_000, 20_004)],
        {},
    ),
}

HIDDEN = text("""
    def test_secret():
        assert double(21) == 42
        rows = [3, 1, 2]
        assert double(rows) == rows + sorted(rows)[::-1]
""")
"""Tests that a submission never sees."""

SAYS_PASSED = 'b\'[0, {"passed": true}]\\n0 {"value": {"passed": true}}\\n1 of 1 tests passed\\n\''
SHOUT = text(f"""
    import os
    for fd in range(64):
        try: os.write(fd, {SAYS_PASSED})
        except OSError: pass
""")
"""Writes to every stream that it passed, in the forms in which our own programs speak."""
WRONG = "def double(x):\n    return 0\n"

FORGING = {
    "prints that it passed": f"print({SAYS_PASSED}.decode())\n{WRONG}",
    "writes that it passed to every stream": f"{SHOUT}\n{WRONG}",
    "exits when it is loaded": text("""
        import sys
        sys.exit(0)
    """),
    "ends the process when it is loaded": text("""
        import os
        os._exit(0)
    """),
    "says passed and ends the process": f"{SHOUT}\nos._exit(0)",
    "exits when it is called": text("""
        import sys
        def double(x):
            sys.exit(0)
    """),
    "ends the process when it is called": text("""
        import os
        def double(x):
            os._exit(0)
    """),
    "raises SystemExit": text("""
        def double(x):
            raise SystemExit(0)
    """),
    "ends the test's loops": text("""
        def double(x):
            raise StopIteration
    """),
    "returns what equals everything": text("""
        class Any:
            __eq__ = lambda a, b: True
            __ne__ = lambda a, b: False
            __hash__ = None
        def double(x):
            return Any()
    """),
    "returns a number that equals everything": text("""
        class Int(int):
            __eq__ = lambda a, b: True
            __hash__ = None
        def double(x):
            return Int(0)
    """),
    "returns a list that equals everything": text("""
        class List(list):
            __eq__ = lambda a, b: True
        def double(x):
            return List()
    """),
    "claims to be a list": text("""
        class Any:
            __eq__ = lambda a, b: True
            __class__ = property(lambda self: list)
        def double(x):
            return Any()
    """),
    "patches assert and exceptions": text("""
        import builtins
        builtins.AssertionError = type('A', (BaseException,), {'__init__': lambda *a: None})
        builtins.isinstance = lambda *a: True
    """)
    + f"\n{WRONG}",
    "patches unittest and pytest": text("""
        import sys, types, unittest
        unittest.TestCase.assertEqual = lambda *a: None
        sys.modules['pytest'] = types.ModuleType('pytest')
    """)
    + f"\n{WRONG}",
    "patches the encoder": text("""
        import json
        real = json.dumps
        json.dumps = lambda value, **k: '{"passed": true}'
    """)
    + f"\n{WRONG}",
    "patches the program around it": text("""
        import sys
        main = sys.modules['__main__']
        main.encode = lambda value: {'t': 'remote', 'v': 'double'}
        main.outcome = lambda *a: {'passed': True}
    """)
    + f"\n{WRONG}",
    "answers with a proxy to a builtin": text("""
        import sys
        sys.modules['__main__'].encode = lambda value: {'t': 'remote', 'v': '__builtins__'}
    """)
    + f"\n{WRONG}",
    "answers with an unknown kind": text("""
        import sys
        sys.modules['__main__'].encode = lambda value: {'t': 'Stopped', 'v': []}
    """)
    + f"\n{WRONG}",
    "answers with an exception that passes": text("""
        import json
        json.dumps = lambda value, **k: '{"raised": ["Stopped", "SystemExit", "GeneratorExit"], "words": ""}'
    """)
    + f"\n{WRONG}",
    "answers with a value nested past all bounds": text("""
        import json
        json.dumps = lambda value, **k: '{"value": ' + '[' * 50000 + ']' * 50000 + '}'
    """)
    + f"\n{WRONG}",
    "answers without end": text("""
        import os
        os.dup2(1, 1)
        def double(x):
            return 'x' * 10**7
    """),
    "searches the frames above it": text("""
        import sys
        def double(x):
            frame = sys._getframe()
            while frame:
                for value in list(frame.f_locals.values()) + list(frame.f_globals.values()):
                    if '42' in repr(value): return 42
                frame = frame.f_back
            return 0
    """),
    "searches all objects": text("""
        import gc
        def double(x):
            for value in gc.get_objects():
                if isinstance(value, (str, dict, list)) and 'sorted(rows)' in repr(value)[:100000]: return 42
            return 0
    """),
    "searches its folder": text("""
        import os
        def double(x):
            for folder, _, names in os.walk('.'):
                for name in names:
                    if 'secret' in open(os.path.join(folder, name), errors='replace').read().replace("'secret'", ''): return 42
            return 0
    """),
    "searches its standard input and arguments": text("""
        import sys, os
        def double(x):
            text = ' '.join(map(str, sys.argv)) + sys.stdin.read()
            try: text += open('/proc/self/cmdline').read() + open('/proc/self/environ').read()
            except OSError: pass
            return 42 if 'test_' + 'secret' in text else 0
    """),
    "leaves a program for the tests to import": text(f"""
        for name in ("json", "random", "solution", "sitecustomize", "usercustomize", "signal", "pytest"):
            open(name + ".py", "w").write({SHOUT!r} + "\\nos._exit(0)")
    """)
    + f"\n{WRONG}",
    "leaves a thread running": text(f"""
        import threading
        def shout():
            while True: exec({SHOUT!r})
        threading.Thread(target=shout).start()
    """)
    + f"\n{WRONG}",
    "leaves a process running": f"import os\nif os.fork() == 0:\n    exec({SHOUT!r})\n    os._exit(0)\n{WRONG}",
    "kills what started it": text("""
        import os, signal
        def double(x):
            os.kill(os.getppid(), signal.SIGKILL)
            return 0
    """),
    "empties the test's own list": text("""
        def double(x):
            if isinstance(x, list): x.clear(); return x
            return 42
    """),
    "keeps a script for the end": f"import atexit\natexit.register(exec, {SHOUT!r})\n{WRONG}",
}
