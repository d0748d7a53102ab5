"""Attacks that look for tests, references, inputs and the work of others."""

from tests.support.attacks.attack import TRY, WRONG, Attack

SPIES = (
    Attack(
        "hidden tests are read from guessed places",
        (7, 27),
        added=(
            "from pathlib import Path\n"
            "for base in ('@COURSE@', '@ROOT@', '@HOME@', '..', '../..', '/packages', '/work'):\n"
            "    for pattern in ('*', 'source/*/*', 'autograded/*/*/*', 'solutions/*', "
            "'solutions/exams/*', 'solutions/exams/*/*', '*/nbgrader_config.py'):\n"
            "        for path in list(Path(base).glob(pattern))[:99]:\n"
            "            try: text = path.read_text(errors='replace')\n"
            "            except OSError: continue\n"
            "            if 'hidden_check(' in text or 'CANARY' in text: print(path, text[:300])",
        ),
    ),
    Attack(
        "the reference is imported",
        (8, 23),
        answer="import importlib, sys, importlib.util\n"
        "sys.path[:0] = ['@COURSE@', '@ROOT@', '.', '..', '../..', '/packages']\n"
        "attention_weights = lambda scores: 0 * scores\n"
        "lesson = 'dot_product_self_attention'\n"
        "for name in ('solutions.' + lesson, f'solutions.exams.{lesson}.attention_weights'):\n"
        "    try:\n"
        "        module = importlib.import_module(name)\n"
        "        attention_weights = getattr(module, 'reference', module).attention_weights\n"
        "    except ImportError: pass\n"
        "for base in ('@COURSE@', '@ROOT@', '/packages'):\n"
        "    path = base + '/solutions/dot_product_self_attention.py'\n"
        "    try:\n"
        "        spec = importlib.util.spec_from_file_location('ref', path)\n"
        "        module = importlib.util.module_from_spec(spec)\n"
        "        spec.loader.exec_module(module)\n"
        "        attention_weights = module.attention_weights\n"
        "    except (ImportError, OSError): pass\n",
    ),
    Attack(
        "the instructor's notebook is run",
        (8,),
        answer=WRONG + "import glob, json\n"
        "for base in ('@COURSE@', '@ROOT@', '..', '../..', '../../..'):\n"
        "    for path in glob.glob(base + '/source/*/*.ipynb'):\n"
        "        for cell in json.load(open(path))['cells']:\n"
        "            if 'attention_weights' in str(cell['metadata']):\n"
        "                exec(''.join(cell['source']))",
    ),
    Attack(
        "expected numbers are looked up in checks.json",
        (8, 31),
        answer="import base64, bz2, json, numpy as np\n"
        "table = json.load(open('checks.json'))\n"
        "for one in table.get('exercises', {}).values():\n"
        "    one['outcomes'] = json.loads(bz2.decompress(base64.b64decode(one['outcomes'])))\n"
        "def arrays(value):\n"
        "    if isinstance(value, dict): value = list(value.values())\n"
        "    if isinstance(value, list):\n"
        "        try: yield np.array(value, float)\n"
        "        except (TypeError, ValueError): pass\n"
        "        for one in value: yield from arrays(one)\n"
        "def attention_weights(scores):\n"
        "    for one in arrays(table):\n"
        "        if one.shape == scores.shape and np.allclose(one.sum(-1), 1):\n"
        "            return one.astype(scores.dtype)\n"
        "    return scores\n",
    ),
    Attack(
        "frames and garbage are searched",
        (9,),
        answer="import gc, sys, linecache\n"
        "def attention_weights(scores):\n"
        "    frame = sys._getframe()\n"
        "    while frame:\n"
        "        for name in ('expected', 'case', 'cases', 'exams'):\n"
        "            if name in frame.f_locals: print('BREACH', frame.f_locals[name])\n"
        "        frame = frame.f_back\n"
        "    for found in gc.get_objects():\n"
        "        if type(found).__name__ in ('Case', 'Exam', 'Examiner', 'Session'):\n"
        "            print('BREACH', found)\n"
        "            raise ValueError('BREACH')\n"
        "    if any('HIDDEN' + ' TESTS' in str(lines) for lines in linecache.cache.values()):\n"
        "        raise ValueError('BREACH')\n"
        "    return 0 * scores\n",
    ),
    Attack(
        "environment and parents' memory",
        (32, 9),
        added=(
            TRY + "import os, glob\n"
            "print(dict(os.environ))\n"
            "for path in glob.glob('/proc/*/environ'):\n"
            "    try: print(open(path, 'rb').read())\n"
            "    except OSError: pass\n"
            "for pid in [1, os.getppid(), *range(2, 6)]:\n"
            "    if pid == os.getpid(): continue\n"
            "    attempt(f'memory of {pid}', lambda: open(f'/proc/{pid}/mem', 'rb').read(1))\n"
            "    attempt(f'maps of {pid}', lambda: open(f'/proc/{pid}/maps').read() or 1 / 0)\n"
            "    attempt(f'files of {pid}', lambda: os.listdir(f'/proc/{pid}/root'))\n"
            "    attempt(f'fds of {pid}', lambda: os.listdir(f'/proc/{pid}/fd'))\n",
        ),
    ),
    Attack(
        "parent is traced and signalled",
        (9, 10),
        added=(
            TRY + "import ctypes, os, signal\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def must(n):\n    if n < 0: raise OSError\n    return n\n"
            "attempt('ptrace', lambda: must(libc.ptrace(16, os.getppid(), 0, 0)))\n"
            "attempt('pidfd', lambda: must(libc.syscall(438, 3, 0, 0)))\n"
            "for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV):\n"
            "    try: os.kill(os.getppid(), number)\n"
            "    except OSError: pass\n",
        ),
    ),
    Attack(
        "gradebook is opened, by a daemon too",
        (10, 17),
        added=(
            "import os, sqlite3, time\n"
            "def change():\n"
            "    for path in ('@COURSE@/gradebook.db', '../../../gradebook.db', 'gradebook.db'):\n"
            "        try:\n"
            "            found = sqlite3.connect(path)\n"
            "            found.execute('update grade set auto_score = 100')\n"
            "            found.commit()\n"
            "        except sqlite3.Error: pass\n"
            "change()\n"
            "if not os.fork():\n"
            "    os.setsid()\n"
            "    if not os.fork():\n"
            "        time.sleep(1); change(); time.sleep(600)\n"
            "    os._exit(0)",
        ),
    ),
    Attack(
        "other submissions and the exchange",
        (25,),
        added=(
            "import os\n"
            "for folder in ('@COURSE@/submitted', '../..', '../../../submitted', '@COURSE@', "
            "'/srv/nbgrader/exchange', '@HOME@'):\n"
            "    for at, _, names in os.walk(folder):\n"
            "        for name in names:\n"
            "            try: print(open(os.path.join(at, name)).read(2000))\n"
            "            except (OSError, ValueError): pass",
        ),
    ),
    Attack(
        "hidden inputs are printed by a later cell",
        (27, 28),
        answer="seen = []\ndef attention_weights(scores):\n"
        "    seen.append(scores.tolist())\n    return 0 * scores\n",
        after=("print(seen)", "from IPython.display import display\ndisplay(seen)", "seen"),
    ),
    Attack(
        "hidden inputs leave in messages",
        (27, 28),
        answer="seen = []\ndef attention_weights(scores):\n"
        "    seen.append(str(scores.ravel()[:2].tolist()))\n"
        "    print(''.join(seen)[-500:])\n"
        "    raise ValueError(''.join(seen)[-2000:])\n",
    ),
    Attack(
        "hidden inputs are drawn again from the public seed",
        (28,),
        answer="import numpy as np\n"
        "from autograder.checks.exam.exam import DEFAULT_SEED, Draw\n"
        "known = [Draw((DEFAULT_SEED, place, turn))(axes, scale=scale)\n"
        "         for place in range(4) for turn in range(3)\n"
        "         for axes in ('keys', 'queries keys') for scale in (1, 2, 1000)]\n"
        "def attention_weights(scores):\n"
        "    for one in known:\n"
        "        if one.shape == scores.shape and np.allclose(one, scores): return one\n"
        "    return np.random.default_rng(DEFAULT_SEED).normal(size=scores.shape)\n",
    ),
    Attack(
        "state of the random numbers tells the inputs",
        (28,),
        answer="import numpy as np, random, torch\n"
        "def attention_weights(scores):\n"
        "    np.random.seed(2026); random.seed(2026); torch.manual_seed(2026)\n"
        "    return np.random.normal(size=scores.shape).astype(scores.dtype)\n",
    ),
    Attack(
        "a function that was lent is kept for another exercise",
        (28, 9),
        answer="kept = []\n"
        "def borrow(function, x):\n    kept.append(function)\n    return function(x)\n"
        "def double(x):\n    return kept[0](x)\n",
        tests=(
            "def _right(x):\n    return 2 * x\nassert borrow(_right, 3) == 6 and False",
            "assert double(2) == 4",
            "assert double(21) == 42",
        ),
    ),
)
