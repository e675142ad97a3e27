"""What a name says of its bearer: parts, patronymic, titles and gender, read from the name alone."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

from simplemma import is_known, lemmatize

from tgrag.extract.lexicon import EN_NAME_OPENERS, EN_PARTICLES
from tgrag.graph.given_names import Gender, full_names, given_gender
from tgrag.graph.titles import LADY, TITLES, WRITTEN_SHORT
from tgrag.language import fold, parses, words
from tgrag.records import Language

MOST_PARTS = 4  # a longer name is the title of something
_MOST_SUBSETS = 60  # of a name with several readings of each part
_PATRONYMIC = re.compile(r"(?:вич|ьич|[её]вна|овна|инична|ївна|івна)$")
_COARSE = re.compile(r"(?<!\w\w[еоаи]нь)(?<!оч)(?<!еч)ка$")
_FEMININE_SURNAME = re.compile(r"(?:[оеєёії]ва|ина|іна|ська|цька|ская|цкая|зька)$")
_MASCULINE_SURNAME = re.compile(r"(?:[оеєё]в|ін|їн|ин|ський|цький|ский|цкий|зький)$")
_NOBLE = frozenset({"van", "von", "de", "da", "di", "du", "del", "della", "der", "den", "la", "le"})

Atoms = tuple[str, ...]  # parts of a name, sorted


@dataclass(frozen=True, slots=True)
class PersonName:
    """parts: for each word the forms under which it is compared (a diminutive has its full names).

    An initial is a part of one letter. words: the parts as written. patronymic, gender: None when the name does
    not tell. titles: without those that every man or woman bears. lady: called Mrs or the like, or "Aunt" with
    her whole name.
    """

    parts: tuple[frozenset[str], ...]
    words: tuple[str, ...]
    patronymic: str | None
    surname: str | None
    gender: Gender | None
    titles: frozenset[str]
    titled: bool
    lady: bool
    coarse: bool
    byname: bool

    def whole_keys(self) -> frozenset[Atoms]:
        """Return the whole name, once for each way to read it."""
        return _keys(self.parts, len(self.parts))

    def partial_keys(self) -> frozenset[Atoms]:
        """Return all names that some but not all parts of this one make, also with initials for its given names."""
        return _partial(self)


@lru_cache(maxsize=100_000)
def person_name(lemma_key: str, type: str, language: Language) -> PersonName | None:
    """Read a lemma key as the name of a person; None when it is none, or a title alone."""
    if type not in ("PERSON", "NAME"):
        return None
    tokens = lemma_key.split()
    titles: list[str] = []
    while tokens and (title := WRITTEN_SHORT.get(tokens[0], tokens[0])) in TITLES[language]:
        titles.append(title)
        tokens.pop(0)
    if not tokens or len(tokens) > MOST_PARTS or not all(words(token) for token in tokens):
        return None
    if language == "en":
        tokens = _with_particles(tokens)
    known = len(tokens) == 1 or _is_person(tokens, type, bool(titles), language)
    if not known and not _may_be_person(tokens, language):
        return None
    tokens = _surname_last(tokens, language) if known else _epithet_last(tokens, language)
    patronymic = next((t for t in tokens if language != "en" and _PATRONYMIC.search(t)), None)
    byname = (
        language != "en"
        and len(tokens) == 2
        and (
            all(full_names(token, language) for token in tokens)
            or (not known and _is_adjective(tokens[1], language))
        )
    )
    return PersonName(
        parts=tuple(_forms(token, language) for token in tokens),
        words=tuple(tokens),
        patronymic=patronymic,
        surname=_surname(tokens, patronymic, language),
        gender=_gender(tokens, titles, patronymic, language),
        titles=frozenset(title for title in titles if TITLES[language][title].rank),
        titled=bool(titles),
        lady=not LADY.isdisjoint(titles)
        or (len(tokens) > 1 and any(_is_womans(t, language) for t in titles)),
        coarse=len(tokens) == 1 and _is_coarse(tokens[0], language),
        byname=byname,
    )


def is_of_another(name: str, language: Language) -> bool:
    """Tell whether a name says whose somebody is («отец Германна», "Martha's husband"), so that it names another."""
    spoken = words(name)
    if language == "en":
        return any(re.search(r"['’ʼ]s$|s['’ʼ]$", word) for word in spoken[:-1])
    if len(spoken) < 2 or not spoken[0][0].islower() or not spoken[1][0].isupper():
        return False
    nouns = [
        p
        for p in parses(spoken[0], language)
        if p.tag.POS == "NOUN" and (p.tag.case == "nomn" or p.normal_form == fold(spoken[0]))
    ]
    owners = [p for p in parses(spoken[1], language) if "Geox" not in p.tag.grammemes]
    if not nouns or not any(p.tag.case == "gent" for p in owners):
        return False
    genders = {p.tag.gender for p in nouns}
    return not any(
        "Fixd" in p.tag.grammemes
        or (p.tag.case == "nomn" and p.tag.number != "plur" and p.tag.gender in genders)
        for p in owners
    )


def _is_womans(title: str, language: Language) -> bool:
    return TITLES[language][title].gender == "f"


def _forms(token: str, language: Language) -> frozenset[str]:
    """Return the forms under which a part is compared: full names of a diminutive, a surname without «van»."""
    return full_names(token, language) | {token, token.split()[-1]}


def _surname_last(tokens: list[str], language: Language) -> list[str]:
    """«Швабрин Алексей Иванович»: the patronymic stands last, so what is before the given name is the surname."""
    if language == "en" or len(tokens) < 3 or not _PATRONYMIC.search(tokens[-1]):
        return tokens
    return [*tokens[-2:], *tokens[:-2]]


def _epithet_last(tokens: list[str], language: Language) -> list[str]:
    """«Понтийський Пилат»: it is the name by which he is called alone."""
    return sorted(tokens, key=lambda token: language != "en" and _is_adjective(token, language))


def _is_adjective(word: str, language: Language) -> bool:
    return bool(parses(word, language)[0].tag.POS == "ADJF")


def _surname(tokens: list[str], patronymic: str | None, language: Language) -> str | None:
    if language == "en":
        return tokens[-1] if len(tokens) > 1 else None
    return tokens[2] if patronymic and len(tokens) == 3 and len(tokens[2]) > 1 else None


def _is_coarse(word: str, language: Language) -> bool:
    return language == "ru" and bool(_COARSE.search(word)) and bool(full_names(word, language) - {word})


def _is_person(tokens: list[str], type: str, titled: bool, language: Language) -> bool:
    if language != "en":
        return titled or any(
            _PATRONYMIC.search(t) or full_names(t, language) or len(t) == 1 or _is_given(t, language)
            for t in tokens
        )
    if any(token in EN_PARTICLES for token in tokens[:2]):
        return titled and len(tokens) == 1
    return titled or bool(full_names(tokens[0], "en")) or len(tokens[0]) == 1 or type == "PERSON"


def _may_be_person(tokens: list[str], language: Language) -> bool:
    """Tell whether a name of two words may be a given name and a surname, or an epithet, though no table has it."""
    if len(tokens) != 2:
        return False
    if language == "en":
        return not any(token in EN_PARTICLES | EN_NAME_OPENERS or _is_english_word(token) for token in tokens)
    first = [parses(token, language)[0] for token in tokens]
    names = [parse for parse in first if parse.tag.POS != "ADJF"]
    return bool(names) and not any(
        "Geox" in parse.tag.grammemes
        or (parse.is_known and not {"Name", "Surn", "Patr"} & parse.tag.grammemes)
        for parse in names
    )


def _is_english_word(word: str) -> bool:
    return bool(is_known(word, lang="en")) and lemmatize(word, lang="en")[0].islower()


def _with_particles(tokens: list[str]) -> list[str]:
    """«Earl», «Van Dorn»: a particle of nobility is a piece of the surname."""
    joined: list[str] = []
    for token in reversed(tokens):
        if joined and token in _NOBLE:
            joined[-1] = f"{token} {joined[-1]}"
        else:
            joined.append(token)
    return joined[::-1]


def _is_given(word: str, language: Language) -> bool:
    return any({"Name", "nomn"} <= parse.tag.grammemes for parse in parses(word, language))


def _gender(
    tokens: list[str], titles: list[str], patronymic: str | None, language: Language
) -> Gender | None:
    if patronymic:
        return "m" if patronymic.endswith("ч") else "f"
    for title in titles:
        if gender := TITLES[language][title].gender:
            return gender
    for token in tokens if len(tokens) > 1 or language != "en" else tokens[:1]:
        if gender := given_gender(token, language):
            return gender
    if language == "en":
        return None
    return _by_grammar(tokens[-1], language)


def _by_grammar(word: str, language: Language) -> Gender | None:
    if _FEMININE_SURNAME.search(word):
        return "f"
    if _MASCULINE_SURNAME.search(word):
        return "m"
    found = {
        str(parse.tag.gender)
        for parse in parses(word, language)
        if parse.is_known and parse.tag.case == "nomn" and {"Name", "Surn"} & parse.tag.grammemes
    }
    if found == {"masc"}:
        return "m"
    return "f" if found == {"femn"} else None


def _keys(parts: Sequence[frozenset[str]], size: int) -> frozenset[Atoms]:
    found: set[Atoms] = set()
    for chosen in combinations(parts, size):
        for atoms in product(*map(sorted, chosen)):
            found.add(tuple(sorted(atoms)))
            if len(found) >= _MOST_SUBSETS:
                return frozenset(found)
    return frozenset(found)


@lru_cache(maxsize=20_000)
def _partial(name: PersonName) -> frozenset[Atoms]:
    found: set[Atoms] = set()
    if name.byname:
        return frozenset((form,) for form in name.parts[0])
    for size in range(1, len(name.parts)):
        found |= _keys(name.parts, size)
    if len(name.parts) > 1:
        surnames, given = name.parts[-1], name.parts[:-1]
        for n_initials in range(1, len(given) + 1):
            for atoms in product(
                sorted(surnames), *(sorted({form[0] for form in g}) for g in given[:n_initials])
            ):
                found.add(tuple(sorted(atoms)))
    return frozenset(atoms for atoms in found if any(len(atom) > 1 for atom in atoms))
