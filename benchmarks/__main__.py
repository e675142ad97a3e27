"""scripts/bench: runs one of the benchmarks by its name."""

import argparse

from benchmarks import extraction, observing, overload, parse, query, resolve, sentences, strong


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures tgrag on this machine.")
    commands = parser.add_subparsers(required=True, metavar="BENCHMARK")
    parse.add_command(commands)
    sentences.add_command(commands)
    extraction.add_command(commands)
    resolve.add_command(commands)
    query.add_command(commands)
    overload.add_command(commands)
    strong.add_command(commands)
    observing.add_command(commands)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
