"""Attacks that waste a class's time: by what goes on when its cell is over, or is never seen."""

from tests.support.attacks.attack import Attack

_BOMB = """
import os, signal, time
def burn():
    {first}
    while True: pass
made = 0
try:
    while made < 60:
        made += 1
        if not os.fork():
            {detach}
            burn()
except OSError: pass
"""
_DETACH = (
    "os.setsid()\n"
    "            if os.fork(): os._exit(0)\n"
    "            for number in range(1, 65):\n"
    "                try: signal.signal(number, signal.SIG_IGN)\n"
    "                except (OSError, ValueError): pass"
)
EXITS_DOUBLE = "def double(x):\n    import os; os._exit(0)\n"
_LONGER = "10 ** 15 if type(x) is int else x"

WASTED = (
    Attack(
        "busy fork bomb",
        (17, 15),
        added=(_BOMB.format(first="pass", detach="pass"),),
    ),
    Attack(
        "bomb whose processes detach",
        (17, 15),
        added=(_BOMB.format(first="pass", detach=_DETACH),),
    ),
    Attack(
        "bomb that sleeps and wakes when its cell is over",
        (17, 15),
        added=(_BOMB.format(first="time.sleep(0.5)", detach=_DETACH),),
    ),
    Attack(
        "bomb in each call, each process in a session of its own",
        (17, 15),
        answer="import os\ndef attention_weights(scores):\n"
        "    for _ in range(4):\n"
        "        try:\n"
        "            if not os.fork():\n"
        "                os.setsid()\n                while True: pass\n"
        "        except OSError: pass\n"
        "    return 0 * scores\n",
    ),
    Attack(
        "swarm of processes that end before they are seen",
        (17, 15),
        added=(
            "import os, signal, time\n"
            "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
            "def burn():\n"
            "    end = time.process_time() + 0.02\n    while time.process_time() < end: pass\n"
            "    os._exit(0)\n"
            "for _ in range(8):\n"
            "    if not os.fork():\n"
            "        while True:\n"
            "            try:\n                if not os.fork(): burn()\n"
            "            except OSError: pass\n"
            "            time.sleep(0.005)\n"
            "time.sleep(600)",
        ),
    ),
    Attack(
        "pool that starts its processes anew",
        (17, 15),
        added=(
            "import multiprocessing, time\n"
            "def burn(n):\n    while True: pass\n"
            "pool = multiprocessing.Pool(4)\n"
            "found = pool.map_async(burn, range(4))\ntime.sleep(0.3)",
            *("import time; time.sleep(0.2)",) * 5,
        ),
    ),
    Attack(
        "threads that burn beside each cell",
        (17, 15),
        added=(
            "import hashlib, threading\n"
            "def burn():\n    while True: hashlib.sha256(bytes(1 << 20))\n"
            "for _ in range(4): threading.Thread(target=burn, daemon=True).start()",
        ),
    ),
    Attack(
        "many cells, each of them short",
        (15,),
        tight=True,
        added=(
            "import time\ndef burn():\n"
            "    end = time.process_time() + 0.4\n    while time.process_time() < end: pass",
            *("burn()",) * 190,
        ),
    ),
    Attack(
        "each test computes with a number without end",
        (15,),
        tight=True,
        answer=f"def double(x):\n    return {_LONGER}\n",
        tests=("assert sum(range(double(2))) == 6",) * 8,
    ),
    Attack(
        "each test waits, and computes after that",
        (15,),
        tight=True,
        answer=f"import time\ndef double(x):\n    time.sleep(0.8)\n    return {_LONGER}\n",
        tests=("assert sum(range(double(2))) == 6",) * 8,
    ),
    Attack(
        "each process is lost, and a slow cell runs anew",
        (15, 14),
        tight=True,
        answer="import time\nend = time.process_time() + 0.7\n"
        "while time.process_time() < end: pass\n" + EXITS_DOUBLE,
        tests=("assert double(2) == 4",) * 40,
    ),
)
