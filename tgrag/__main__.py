"""The command ``tgrag``, also ``python -m tgrag``. Ctrl-C ends it quietly from the very first import on."""

import sys


def main() -> None:
    try:
        from tgrag.cli import app

        app()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
