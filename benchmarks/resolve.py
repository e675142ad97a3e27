"""How long resolution takes: made-up people under several names each, in story order.

python benchmarks/resolve.py [10000 30000 100000]
"""

import argparse
import random
import time

from tgrag.graph.clusters import Node
from tgrag.graph.given_names import known_forms
from tgrag.graph.merging import Merging
from tgrag.graph.naming import person_name

STEMS = (
    "бел",
    "гор",
    "зем",
    "ков",
    "лес",
    "мир",
    "нов",
    "пет",
    "руд",
    "сав",
    "тих",
    "черн",
    "шум",
    "яр",
    "вер",
)


def story(n_names: int) -> list[str]:
    """Return names: a full one, first name and surname, initials, a diminutive, a surname, person after person."""
    rng = random.Random(0)
    forms = known_forms("ru")
    names: dict[str, None] = {}
    while len(names) < n_names:
        given = rng.choice(forms)
        surname = "".join(rng.choice(STEMS) for _ in range(rng.randint(2, 3))) + rng.choice(
            ("ов", "ин", "ский")
        )
        father = "".join(rng.choice(STEMS) for _ in range(2)) + "ович"
        for name in (
            f"{given} {father} {surname}",
            f"{given} {surname}",
            f"{given[0]} {surname}",
            given,
            surname,
        ):
            names[name] = None
    return list(names)[:n_names]


def seconds(n_names: int) -> tuple[float, int]:
    names = story(n_names)
    begun = time.process_time()
    merging = Merging("s")
    for ordinal, name in enumerate(names):
        merging.add(Node(name, name, "PERSON", person_name(name, "PERSON", "ru")), ordinal)
        merging.mentioned(name, 1, ordinal)
    return time.process_time() - begun, len(merging.merges())


def add_command(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("resolve", help="resolution of 10k, 30k and 100k names on one core")
    parser.add_argument("--sizes", default="10000,30000,100000", help="numbers of names, by commas")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    for size in map(int, arguments.sizes.split(",")):
        spent, found = seconds(size)
        print(
            f"{size:>8} names {spent:7.2f} s  {1e6 * spent / size:6.0f} µs a name  {found} merges and near misses"
        )
