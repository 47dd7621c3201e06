"""Boards as text, for tests of the commands."""

LAWFUL = """\
.  .  l+ l  .  .  .
.  .  l  dd++ .  .  .
.  .  f  ## .  .  .
.  .  f  .  .  .  .
.  .  .  .  .  .  .
"""
ALONE = ". . . . . . f\n. . . . . . .\n. . . ## . . .\n. . . . . . .\n. . . . . . .\n"
KINGDOM = "w+ w\n## f\nf+ f\n"
