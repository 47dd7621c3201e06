"""`python -m kdscan` runs `kdscan`."""

from kdscan.cli.main import run

if __name__ == "__main__":
    run()
