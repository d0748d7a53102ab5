"""Attacks that end early or never, or take memory, processes and output without end."""

from tests.support.attacks.attack import EXITS, SIDE, WRONG, Attack

ENDS = (
    Attack("os._exit in a call", (14,), answer=EXITS),
    Attack("os._exit in the cell", (14,), answer=f"{WRONG}import os\nos._exit(0)\n"),
    Attack(
        "SystemExit and KeyboardInterrupt in a call",
        (14,),
        answer="calls = []\ndef attention_weights(scores):\n"
        "    calls.append(1)\n"
        "    raise (SystemExit, KeyboardInterrupt, GeneratorExit)[len(calls) % 3](0)\n",
        added=("raise SystemExit(0)", "raise KeyboardInterrupt", "import sys; sys.exit('3')"),
    ),
    Attack(
        "segmentation fault",
        (14,),
        answer=f"{WRONG}import ctypes\nctypes.string_at(0)\n",
    ),
    Attack(
        "kills itself and its group",
        (14,),
        answer="import os, signal\ndef attention_weights(scores):\n"
        "    os.killpg(0, signal.SIGKILL)\n    os.kill(-1, signal.SIGKILL)\n",
    ),
    Attack(
        "socket is closed and reopened",
        (14, 4),
        answer=SIDE + "def attention_weights(scores):\n"
        "    side()._channel._socket.close()\n    return 0 * scores\n",
    ),
    Attack(
        "exceptions that look like ours",
        (14, 3),
        answer="calls = []\ndef attention_weights(scores):\n"
        "    calls.append(1)\n"
        "    names = ['ExerciseNotPassed', 'SandboxFailed', 'StudentGone', '__init__', 'passed']\n"
        "    raise type(names[len(calls) % 5], (Exception,), {'report': None})('passed')\n",
    ),
    Attack(
        "exception whose message never ends",
        (15, 18),
        answer="class Endless(Exception):\n"
        "    def __str__(self):\n        while True: pass\n"
        "def attention_weights(scores):\n    raise Endless\n",
    ),
    Attack("endless loop in a call", (15,), answer=WRONG.replace("return", "while True: pass\n#")),
    Attack(
        "endless loop that no signal ends",
        (15,),
        answer=f"{WRONG}import signal\n"
        "for number in range(1, 65):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True:\n"
        "    try:\n        while True: pass\n"
        "    except BaseException: pass\n",
    ),
    Attack(
        "a number that makes the test endless",
        (15,),
        tight=True,
        answer="import time\nstarted = time.time()\n"
        "def double(x):\n    return 4 if time.time() > started + 14 else 0\n",
        tests=("steps = 0\nwhile double(2) != 4:\n    steps += 1\nassert steps == 0",),
    ),
    Attack(
        "each call takes nearly as long as it may",
        (15,),
        tight=True,
        answer="import time\ndef attention_weights(scores):\n"
        "    time.sleep(0.9)\n    return 0 * scores\n",
    ),
    Attack(
        "cells are slow when they are replayed",
        (15,),
        tight=True,
        answer=EXITS,
        added=("import time\ntime.sleep(0.9)",) * 3,
    ),
    Attack(
        "memory bomb in a call",
        (16,),
        answer="def attention_weights(scores):\n"
        "    kept = []\n    while True: kept.append(bytearray(512 << 20))\n",
    ),
    Attack(
        "memory bomb by many processes and files",
        (16, 17),
        added=(
            "import os\n"
            "for number in range(8):\n"
            "    if not os.fork():\n"
            "        kept = [bytearray(os.urandom(1 << 20)) for _ in range(300)]\n"
            "        import time; time.sleep(600)\n"
            "try:\n"
            "    for number in range(100): open(f'/dev/shm/{number}', 'wb').write(bytes(9 << 20))\n"
            "except OSError: pass",
        ),
    ),
    Attack(
        "fork bomb",
        (17,),
        added=(
            "import os, time\n"
            "try:\n    while True:\n        if not os.fork(): time.sleep(600)\n"
            "except OSError: pass",
        ),
    ),
    Attack(
        "daemons, threads and exit handlers",
        (17, 10),
        added=(
            "import atexit, os, signal, subprocess, sys, threading, time\n"
            "atexit.register(lambda: open('@COURSE@/breach', 'w'))\n"
            "for number in range(5):\n"
            "    if not os.fork():\n"
            "        os.setsid()\n"
            "        for n in (1, 2, 3, 15): signal.signal(n, signal.SIG_IGN)\n"
            "        if not os.fork(): time.sleep(600)\n"
            "        os._exit(0)\n"
            "subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
            "threading.Thread(target=time.sleep, args=(600,), daemon=False).start()",
        ),
    ),
    Attack(
        "output flood",
        (18,),
        added=(
            "import sys\nfor _ in range(2000):\n    print('x' * 10_000)\n"
            "    print('y' * 10_000, file=sys.stderr)",
            "from IPython.display import display\nfor _ in range(50): display('x' * 100_000)",
            "raise ValueError('x' * 10_000_000)",
            "def f(n): return f(n + 1)\nf(0)",
            "import os\nfor fd in (1, 2):\n    for _ in range(100): os.write(fd, b'x' * 10_000)",
        ),
    ),
    Attack(
        "flood while it is called",
        (18,),
        answer="def attention_weights(scores):\n"
        "    for _ in range(300): print('x' * 10_000)\n"
        "    raise ValueError('x' * 5_000_000)\n",
    ),
    Attack(
        "a test that quotes what it was given",
        (18,),
        answer="def double(x):\n    return 'x' * 15_000_000\n",
        tests=("found = double(2)\nassert found == 4, f'expected 4, received {found}'",),
    ),
    Attack(
        "every added cell prints all it may",
        (18,),
        added=("print('x' * 10_000_000)",) * 30,
    ),
)
