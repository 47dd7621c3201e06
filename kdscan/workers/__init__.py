"""Processes that read photos, with limits of memory and time, replaced when they die.

`process` is one of them as its caller sees it, `serve` the program that it runs, `frames` the
format of its answers, `pool` several of them. What they do is defined by a module of the caller:
the tasks of a batch, the page's requests, decoding of files that might cost too much.
"""
