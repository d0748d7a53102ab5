"""Attacks on what the examiner and the student's process say to each other."""

from tests.support.attacks.attack import FORGE, SIDE, WRONG, Attack

PROTOCOL = (
    Attack(
        "codec and serving are replaced",
        (4, 13),
        added=(
            SIDE + "import autograder.student.rpc.channel, autograder.student.rpc.codec.writer\n"
            "it = side()\n"
            "type(it)._call = lambda self, *a, **k: ('returned', True, (), '')\n"
            "type(it)._find = lambda self, name: ('found', True)\n"
            "autograder.student.rpc.codec.writer.encode = lambda *a, **k: b'T'\n"
            "autograder.student.rpc.channel.encode = lambda *a, **k: b'T'",
        ),
    ),
    Attack(
        "replies in advance",
        (4,),
        answer=FORGE + WRONG,
        added=(
            FORGE + "for _ in range(200): send(('returned', True, (), ''), ('found', 3), "
            "('passed',), ('ran', []))",
        ),
    ),
    Attack(
        "a call is answered with a verdict",
        (4, 11),
        answer=FORGE + "def attention_weights(scores):\n"
        "    send(('passed', 3.0))\n    return 0 * scores\n",
    ),
    Attack(
        "functions are asked for that do not exist",
        (4,),
        answer=FORGE + "def attention_weights(scores):\n"
        "    for number in (0, 7, -1, 10**30):\n"
        "        send(('callback', number, (scores,), {}))\n"
        "    return hear()\n",
    ),
    Attack(
        "a function of the examiner's is returned",
        (4, 5),
        answer=FORGE + "def attention_weights(scores):\n"
        "    send(('returned', Reference('callback', 0), (), ''))\n",
    ),
    Attack(
        "a length of four gigabytes",
        (4, 16),
        answer=FORGE + "def attention_weights(scores):\n"
        "    side()._channel._socket.sendall(b'\\xff' * 400)\n    import time; time.sleep(9)\n",
    ),
    Attack(
        "counts and shapes beyond all memory",
        (4, 16),
        answer=FORGE + "def attention_weights(scores):\n"
        "    send(b'[' + b'\\xff' * 4, b'a\\x12\\x02' + b'\\xff' * 16, b'[\\0\\0\\0\\1' * 99_999,\n"
        "         b'I' + b'\\x7f' * 5, b'r\\0\\0\\0\\1<' + b'\\0' * 8, b'')\n"
        "    return 0 * scores\n",
    ),
    Attack(
        "random bytes",
        (4,),
        answer=FORGE + "def attention_weights(scores):\n"
        "    import random\n"
        "    send(*[random.randbytes(random.randrange(200)) for _ in range(50)])\n"
        "    return 0 * scores\n",
    ),
    Attack(
        "a byte now and then",
        (15, 4),
        answer=FORGE + "def attention_weights(scores):\n"
        "    import time\n"
        "    sock = side()._channel._socket\n"
        "    sock.sendall(b'\\0\\1\\0\\0')\n"
        "    while True: sock.sendall(b'N'); time.sleep(0.2)\n",
    ),
    Attack(
        "endless questions",
        (15, 4),
        others={
            "is_permutation_equivariant": FORGE
            + "def is_permutation_equivariant(attention, inputs, permutation):\n"
            "    while True: attention(inputs)\n",
        },
    ),
    Attack(
        "questions within questions",
        (15, 4),
        tight=True,
        answer=FORGE + "import time\n"
        "class Slow: pass\n"
        "def double(x):\n"
        "    it = side()\n"
        "    me = it._keep(Slow())\n"
        "    end = time.time() + 14\n"
        "    while time.time() < end:\n"
        "        time.sleep(0.8)\n"
        "        send(('callback', 0, (me,), {}))\n"
        "        hear()\n"
        "    raise SystemExit\n",
        tests=("def _value(x):\n    return x.value\nassert double(_value) == 4",),
    ),
    Attack(
        "a small question whose answer takes all memory",
        (16,),
        others={
            "is_permutation_equivariant": "import numpy as np\n"
            "def is_permutation_equivariant(attention, inputs, permutation):\n"
            "    try: attention(np.ones(12_000))\n"
            "    except RuntimeError: pass\n"
            "    return True\n",
        },
    ),
    Attack(
        "a question with a large number",
        (16,),
        answer="def double(lend):\n"
        "    try: lend(100_000_000)\n"
        "    except RuntimeError: pass\n"
        "    return 7\n",
        tests=("def _row(n):\n    return [0.0] * n\nassert double(_row) == 4",),
    ),
    Attack(
        "many numbers where three were expected",
        (15, 16),
        tight=True,
        others={
            "shiny_by_hand": "import numpy as np\ndef shiny_by_hand():\n"
            "    return dict.fromkeys(('scores', 'weights', 'context'), "
            "np.zeros(5_000_000, np.uint8))\n",
        },
    ),
    Attack(
        "an int that is no float",
        (14,),
        others={
            "shiny_by_hand": "def shiny_by_hand():\n"
            "    return dict.fromkeys(('scores', 'weights', 'context'), [10**4000] * 3)\n",
        },
    ),
    Attack(
        "long names of what was returned",
        (18, 24),
        others={
            "shiny_by_hand": "def shiny_by_hand():\n    return {'<b>x</b>' * 1_000_000: 1}\n",
        },
    ),
    Attack(
        "outputs that the shell did not limit",
        (18,),
        added=(
            SIDE + "import types\n"
            "many = [{'output_type': 'stream', 'name': 'stdout', 'text': 'x' * 14_000_000}]\n"
            "side()._shell.__dict__['run'] = lambda source: many",
            *["pass"] * 6,
        ),
    ),
    Attack(
        "thirty thousand outputs",
        (18,),
        added=(
            SIDE + "one = {'output_type': 'stream', 'text': '.'}\n"
            "side()._shell.__dict__['run'] = lambda source: [one] * 30_000",
            "pass",
        ),
    ),
    Attack(
        "printed text that the call did not limit",
        (18,),
        answer=SIDE + "type(side())._call = lambda self, target, args, kwargs: (\n"
        "    'returned', 2 * args[0], (), 'x' * 15_000_000)\n"
        "def double(x): pass\n",
        tests=("assert all([double(n) == 2 * n for n in range(25)]) and False",),
    ),
    Attack(
        "a name with markup",
        (24, 5),
        answer=FORGE + "def attention_weights(scores):\n"
        "    send(('returned', Unsupported('<script>alert(1)</script>'), (), '<script>'))\n",
    ),
    Attack(
        "pickles in every form",
        (13,),
        answer="import numpy as np, pickle, os\n"
        "class Bomb:\n"
        "    def __reduce__(self): return os.system, ('touch @COURSE@/breach',)\n"
        "    def __reduce_ex__(self, n): return os.system, ('touch @COURSE@/breach',)\n"
        "    __getstate__ = __deepcopy__ = __copy__ = __reduce__\n"
        "def attention_weights(scores):\n"
        "    return np.array([Bomb(), pickle.dumps(Bomb())], dtype=object)\n",
        after=("open('log.pkl', 'wb').write(pickle.dumps(Bomb())); Bomb()",),
        files={".OTTER_LOG": b"cos\nsystem\n(S'touch @COURSE@/breach'\ntR."},
    ),
)
