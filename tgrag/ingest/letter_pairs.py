"""How odd it is that one letter follows another, in languages of the Latin, Cyrillic and Greek scripts.

A row is a first letter, a column a second one in the same order, ``_`` the edge of a word. A digit (hexadecimal) is
the pair's cost in bits: -log2 of the share of the second letter after the first, over frequent words of 27 languages
of the Latin script, four of the Cyrillic and one of the Greek. ``python -m tests.fixtures.letter_pairs`` makes them.
"""

import unicodedata
from itertools import pairwise

EDGE = "_"


def without_accents(text: str) -> str:
    return "".join(
        letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter)
    )


def _costs(table: str) -> dict[tuple[str, str], int]:
    rows = dict(line.split() for line in table.strip().splitlines())
    return {
        (first, second): int(cost, 16)
        for first, row in rows.items()
        for second, cost in zip(rows, row, strict=True)
    }


def bits(word: str, costs: dict[tuple[str, str], int]) -> tuple[int, int]:
    """Return the cost of a word in small letters and the number of its pairs; others than the table's do not count."""
    known = [costs[pair] for pair in pairwise(EDGE + word + EDGE) if pair in costs]
    return sum(known), len(known)


LATIN = _costs("""
_ f44445555564545548534656976
a 36655876747544386a344667a77
b 5269829a537949748d367399d5a
c 43b6a3ac23855a83ba5754bbf76
d 33995288538878639c567478e66
e 257556767575453769334768787
f 4399934853994a83bd4554b8c6b
g 2397829644785864ae4664a7e5a
h 329873799386676389574487e6b
i 347554757665443569534768986
j 42996299b4a677639c86638ac89
k 329893ba63a65873ae544379e6b
l 33786377827746748ba65479e5a
m 32598289639875744e8674a9d7a
n 2395447363767955aa953679b68
o 37555765766544365a345556987
p 42a89399549949835d3654abe8b
q 66aaa4aaa5879a87aaa8909aa6a
r 33765386838666648a654578c67
s 24959388539567755a953578f76
t 2399b3a943977874ae455488d69
u 34655576756544365b334678877
v 52aa82bab2896a63ae67959ce69
w 4296739953b878448d5577cad39
x 2384838a53998a9539b7357977b
y 23654456767655447b545776c88
z 436753c7728666547b775567d56
""")

CYRILLIC = _costs("""
_ f6545e47fa7457aa4644434355667679eff897
а 28646f56e7659f865453a64438866668fffc77
б 53a7aca3b8ba34ee74852b3694d7bc9665ad87
в 32989f73be8834df6584385566c9979a759fb6
г 53a9ae74eeed45ee84a61b3a85eedbbe9edbce
ґ 66666666666666666666662666666666666666
д 43758f83bd6835fd6674365684d9989c777bb6
е 27656f47cb669fa5544387344a877668efff99
ё 28887868888588868334884638868868888888
є 1bb48b5bbbaabb5b6b35b7652b8b8b6bbbbb4b
ж 536a9d42cd9d36dd66a35ca8a4dd97dd9d9dba
з 52546e45ecac46bb6653465885eaaaad967eb6
и 27756f65fa856f95445467543b956578effe85
і 26736e3de775ea54546468545ba77669eeee65
ї 1ba5bb7bbb76bb77b863bbb78bb4bbbbbbbbbb
й 1a78ad5bdca9dddd67645ba35dcb786dcddddb
к 42b6bfc6ffaa35ffa5a72a4644dc7eba8ffcdf
л 439b8f93cd7a25ff68953bb785bcbacd973e55
м 2388bfc3dbfc34cf77853687b4ae99ef869bb7
н 42aa8f64cbb924ff6bd43c95558c699ab56f85
о 3a434f46c9667f75544485444a878679fffb77
п 64dbefc3ecfd45ff85d7282885cd8a9f88afa8
р 52876f73dc7935eb7865289654a8997c868c96
с 5595cf94bddd46ff446544762598889f784d94
т 3394bf93dcdd36ff6895394685abb9ee874e97
у 27545f47f6569fc84555b5444ea68467effc59
ф 538c8cc3ccca33cc85bb2a37646ccbaca89baa
х 13d6bdd6dddb55ddc7752d5875cadcddadbcbd
ц 54a7bdc3dddd22dd7ba87b7966dcbddd965d65
ч 53d7ddd29dcd26dd57a35c9b64dcb87dbd7dc9
ш 43d6ddd28ddd36dd4494498b44ddadddad5ddd
щ 63bbbbb27bbb26bbbbb53bbb95bbbbbbbb7bb9
ъ 9b556b45bb54bbb9535465243ba866a5bbbb85
ы 2d647d73dd988dd36546d6655bd3a75dddddd8
ь 1e788e96bce79ee93e635cc36eac8959eeee66
э 7aa68a6aaaa7aaa62354a5461a478aaaaaaaaa
ю 19558c4cc676bccc7776cc652ccb74c5cccc6c
я 1e757e57e786bed85655e8663ee676a7eeee79
""")

GREEK = _costs("""
_ f35543776636467537f4465588
α 2c75676b5454537954f3465799
β 727563d5d4d4ddd3d3ddd7ddd6
γ a3e5a3e4e34655a3e4ebe5e6e4
δ 84eee3e3e1eebae3e4ebe4eee5
ε 3776699c7254646753f3456687
ζ 53ccc2c3c4caacc2ccccc6ccc3
η 2fa58bff5c55358f74f24f778f
θ 83ddd1d3d5d556d4d4ddd4ddd5
ι 237755687c36547466f35f9695
κ 62df73f3948599f274fa559ff5
λ 6399f2f3938479c28ff9758fc5
μ 726ff2f4f4cf57f34ffaf66fb6
ν 23d963b474abd7f3dcf737cdf4
ξ 63ccc1c3c3ccccc49ccc64ccc5
ο 3a7568a78464449954f352668a
π 72fdf3f5c3f4d7f293fc57fcf6
ρ 629583f4726a669298f96675f4
ς 55555555555555555555555555
σ 159ca4f4845a5df56cf73476f6
τ 72fef373f3d99cf3f4f695cff5
υ 367576785865337744f34d7578
φ 73dad3d463b7b8d2a5dd44ddd4
χ 83ddd3d463d884d3d3dd55ddd4
ψ b3bbb2b2b5bbbbb4bbbb74bbb5
ω 378679a76897429953e24c88e9
""")
