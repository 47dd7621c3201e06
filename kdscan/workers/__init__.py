"""Processes that read photos, with limits of memory and time, replaced when they die.

`process` is one of them as its caller sees it, `serve` the program that it runs, `frames` the
format of its answers, `pool` several of them. A module of the caller defines their work: the tasks
of a batch, the page's requests, decoding of files that might cost too much.
"""
