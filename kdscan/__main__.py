"""`python -m kdscan` is `kdscan`."""

from kdscan.cli.main import run

if __name__ == "__main__":
    run()
