from autograder.checks.exam.report import Report, Verdict


def test_verdicts_are_those_of_kept_records_and_notebooks() -> None:
    """Records have the names, graded notebooks the values and the names of errors."""
    assert {(one.name.lower(), one.value, one.ename) for one in Verdict} == {
        ("passed", "passed", "Passed"),
        ("wrong", "wrong", "Wrong"),
        ("exception", "exception", "Exception"),
        ("not_implemented", "not implemented yet", "NotImplemented"),
        ("timeout", "stopped: it ran for too long", "Timeout"),
        ("memory", "took too much memory", "Memory"),
        ("killed", "ended its own process", "Killed"),
        ("missing", "missing", "Missing"),
        ("not_run", "not run", "NotRun"),
        ("not_gradable", "not gradable", "NotGradable"),
    }


def test_each_verdict_has_its_own_headline() -> None:
    headlines = {Report("mix", one).headline for one in Verdict}
    assert len(headlines) == len(Verdict)
    assert all(headline.startswith("mix: ") for headline in headlines)
