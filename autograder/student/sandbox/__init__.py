"""Where does student code run?

Walls are built once, with a warm process inside; a fork of it, walled again, runs one submission.

In the field's words: namespaces, a system-call filter (seccomp), control of resources, fork server.

From outside: `confine`, `control`, `own_fork`, `processor_time`, `sandbox`, `student_process`.
"""
