"""Processes that read photos, with limits of memory and time, replaced when they die.

`process` is one of them, seen by who asks; `serve` is its inside; `frames` is how its answers
travel; `pool` is several. What they do says a module of whoever starts them: the batch's tasks, the
page's requests, decoding of files that might cost too much.
"""
