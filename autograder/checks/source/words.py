"""Words by which code does more than its names show, each in one list for all who look for them.

A reader of code only sees words. Who asks, and how much is at stake, decides which of these lists
it takes: what is left out when grading, what is tried with small changes, what a rule reads.
"""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


# Text that is run as Python: by Python itself, and by what IPython makes of its own lines.
RUNS_TEXT = words("exec eval compile")
RUNS_LINES = words(
    "run_cell ex ev run_line_magic run_cell_magic system getoutput run_string runcode timeit"
)
# All names of a place at once.
ALL_NAMES = words("globals locals vars")
IMPORTS = words("__import__ import_module reload")
# The end of a program, and questions to whoever sits before it.
STOPS = words("input breakpoint exit quit")
# Methods and functions that write to the disk, whatever they belong to.
WRITES_FILES = words(
    "write writelines write_text write_bytes save savez savez_compressed savetxt savefig tofile "
    "memmap dump to_csv to_json to_excel to_pickle to_parquet mkdir makedirs unlink rmdir rmtree "
    "rename touch symlink_to chmod copyfile copytree extractall"
)
OTHER_PROGRAMS = words("system popen run Popen check_call check_output")
# How random numbers go on. A generator of the notebook's own is a value with a name.
SEEDS = words("seed manual_seed manual_seed_all set_rng_state setstate set_state")
