"""How is one submission graded, and on which processor?

A job is all on which a grading depends, as plain data. It is done in this process, by one of
several workers on this machine, or by a worker on another; what comes out is the same.

In the field's words: a job queue, a worker pool.

From outside: `garbage_collection`, `job`, `own_code`, `sandboxes`, `warm`, `work`, `workers`.
"""
