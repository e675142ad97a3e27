"""What a full stop means in Russian and Ukrainian."""

import re
from dataclasses import dataclass

from tgrag.chunk.sentences import english
from tgrag.chunk.sentences.stop import LEFT, Stop
from tgrag.language import lemma, may_be_name, parses
from tgrag.records import Language


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """Abbreviations by what may follow them.

    years: stand after a number and close a date («в 1799 г.»). units: stand after a number and may close a sentence,
    but not before another number. tails: close an enumeration. heads: something always follows them. sure: heads that
    are to be read so even where the dictionary has a word of the same letters.
    """

    years: frozenset[str]
    units: frozenset[str]
    tails: frozenset[str]
    heads: frozenset[str]
    sure: frozenset[str]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ABBREVIATIONS: dict[Language, Abbreviations] = {
    "ru": Abbreviations(
        years=_set("г гг в вв"),
        units=_set(
            "тыс млн млрд трлн руб коп р дол долл проц чел экз шт кг г мг ц т мм см м км га мл л куб кв час ч мин сек с"
        ),
        tails=_set("др инк лтд пр проч т.д т.п т.пр н.э р.х с.г"),
        heads=_set(
            "акад англ авг апр арх архиеп архим букв бул бульв внутр вып ген гл гор гос гр греч дер дек докт доп "
            "доц ед епископ еп зав зам зап изд илл им инж исп ит кан канд кап кв кит кн комн кор корп корр лат лейт "
            "митр наб нар нач нем нояб обл обр оз ок окт отв офиц пер подполк полк пом пос пп преп прил прим "
            "примеч просп прот проф разд ред рис род рос рук русск сб св сев сен сент слав соавт собр "
            "сокр соч сост ст станц стр табл тел тов тт ук укр ул усл устар февр физ франц фр цит чл шт эл юж юр "
            "яз янв яп"
        ),
        sure=_set("см ср напр т.е т.к т.н т.о т.ч т.наз и.о p.s"),
    ),
    "uk": Abbreviations(
        years=_set("р рр ст"),
        units=_set(
            "тис млн млрд трлн грн коп дол крб відс чол осіб прим шт кг г мг ц т мм см м км га мл л куб кв год хв сек с"
        ),
        tails=_set("ін інк лтд т.д т.п н.е р.х"),
        heads=_set(
            "абз акад англ архиєп бл буд букв бул бульв верес вид вип вн вул гол грец груд дод докт доц ел "
            "єп жовт зав зам заст зб зокр ісп ім інж іт канд кап кв квіт кит кн кор корп лат лист листоп лип лют "
            "мал митр наб нар нач нім оз обл пер перекл підп пл полк пом пп преп прим пров просп проф ред рис розд "
            "рос св сел серп сер січ смт ст стор табл тел тов трав твор укл укр упоряд факс фр франц цит чл черв яп"
        ),
        sure=_set("див пор напр т.зв т.ч т.я в.о p.s"),
    ),
}
_NUMBER = re.compile(r"(?:\d(?:[\d.,:/–—-]*\d)?(?:-[а-яіїє]{1,3})?|[IVXLCХІ]+(?:[–—-][IVXLCХІ]+)?)")
_GLUED = re.compile(r"\d[\d.,–—-]*(?=[^\W\d_]+$)")
_CLOSED = frozenset({"NPRO", "CONJ", "PREP", "PRCL"})  # classes of words that no name belongs to
_OPENING = frozenset({"VERB", "ADVB", "INFN", "GRND", "PRED", "INTJ"})
_GOVERNING = frozenset({"VERB", "INFN", "GRND", "PREP"})
_VERBS = frozenset({"VERB", "PRTS", "ADJS"})
# What is told apart by letters: no initial follows these.
_LETTERED = _set(
    "группа класс тип витамин гепатит категория вариант пункт план корпус зона версия точка серия блок подъезд "
    "разряд уровень литера буква вершина модель форма фаза штамм сорт ось множество матрица "
    "група клас вітамін категорія варіант точка зона версія серія під'їзд розряд рівень літера вершина модель фаза "
    "вісь множина матриця"
)
_SCALES = _set("тыс млн млрд трлн тис кв куб")  # a unit follows these as it follows a number
_COUNTED_ON = _set("руб р дол долл тыс млн млрд трлн грн тис час ч мин год хв м")  # «5 руб. 50 коп.»
_WORDS = frozenset("яєбж")  # of one letter, that may end a sentence
_SHORT = 5  # letters: what is longer is no abbreviation, but for those in the lists
_VOWEL = re.compile(r"[аеёиоуыэюяіїє]", re.IGNORECASE)
_EDGES = "«»“”„\"'()[]$€₴≈~<>≤≥+"


def ends_sentence(stop: Stop, language: Language) -> bool:
    """Tell whether a sentence ends at a stop that a word with a capital letter or a number follows."""
    if stop.mark != ".":
        return True
    previous, last = stop.last_words()
    if not last or not last[-1].isalpha() or "°" in last:
        return not _is_in_date(stop, last)
    if glued := _GLUED.match(last):
        previous, last = glued.group(), last[glued.end() :]
    stem, _, short = last.rsplit(".", 1)[-1].rpartition("-")
    if stem and len(short) == 1:
        return True  # «никогда-с»
    if short.isascii() and len(last) > 1:
        return english.ends_at_full_stop(stop) or not (stop.word.isascii() or english.is_followed(last))
    return _ends_at_short_word(stop, previous.strip(_EDGES), last, short, language)


def _ends_at_short_word(stop: Stop, previous: str, last: str, short: str, language: Language) -> bool:
    """Judge a full stop after what may be an abbreviation. short: its last part («е» of «т.е»)."""
    known, key = _ABBREVIATIONS[language], short.lower()
    whole = (previous + last if previous.endswith(".") and len(previous) <= 4 else last).lower()
    if found := {key, whole} & (known.sure | known.tails):
        return bool(found & known.tails) and not _is_in_brackets(stop)
    if len(short) > _SHORT and key not in known.heads:
        return True
    is_counted = bool(_NUMBER.fullmatch(previous)) or previous.rstrip(".") in _SCALES
    is_consonants = len(short) > 1 and not short.isupper() and not _VOWEL.search(short)
    if is_counted and key in known.years and short.islower():
        return not _is_in_brackets(stop) and _ends_year(stop, language)
    if is_counted and (key in known.units or is_consonants):
        return not (_is_in_brackets(stop) or (stop.word[0].isdigit() and key in _COUNTED_ON))
    if len(short) == 1:
        return _ends_at_letter(stop, previous, short, is_counted, language)
    if key in known.heads or is_consonants:
        return _ends_at_head(stop, previous, short, language)
    return True


def _is_in_date(stop: Stop, last: str) -> bool:
    """Tell whether a stop is one of those inside «12. 05. 2020»."""
    return (
        last.isdigit()
        and len(last) <= 2
        and stop.word.isdigit()
        and stop.after[:1] == "."
        and len(stop.word) == 2
    )


def _is_in_brackets(stop: Stop) -> bool:
    """Tell whether an abbreviation ends a remark in brackets, or one follows it: the sentence goes on."""
    return ")" in stop.closing or "]" in stop.closing or "(" in stop.opening


def _is_closed(stop: Stop, language: Language) -> bool:
    """Tell whether the next word is a pronoun, a conjunction, a preposition or a particle, hence no name."""
    if stop.is_before_initial:
        return False
    return any(parse.tag.POS in _CLOSED for parse in parses(stop.word.lower(), language))


def _may_be_name(stop: Stop, language: Language) -> bool:
    word = stop.word
    return word[0].isdigit() or (len(word) > 1 and word.isupper()) or may_be_name(word, language)


def _ends_year(stop: Stop, language: Language) -> bool:
    """Tell «родился в 1799 г. Умер он рано» from «в 1799 г. Пушкин родился» and «В 1917 г. Октябрьская …»."""
    if "№" in stop.opening:
        return False
    if stop.word[0].isdigit():
        return True
    words = stop.before.split()
    is_whole = len(stop.before) < LEFT
    if (
        is_whole
        and len(words) <= 6
        and not any(parses(w.strip(_EDGES), language)[0].tag.POS in _VERBS for w in words)
    ):
        return False
    return _is_closed(stop, language) or not _may_be_name(stop, language)


def _ends_at_letter(stop: Stop, previous: str, letter: str, is_counted: bool, language: Language) -> bool:
    """Judge a full stop after one letter: an initial, «витамин С», «г. Москва», or the pronoun «я»."""
    if letter.islower():
        return letter in _WORDS or ((is_counted or letter.isascii()) and not stop.word[0].isdigit())
    if stop.word[0].isdigit():
        return not _is_in_brackets(stop)
    if letter == "Я":
        return _is_closed(stop, language) or not (stop.is_before_initial or _may_be_name(stop, language))
    if _is_closed(stop, language) or (letter.isascii() and not stop.word.isascii()):
        return True
    if stop.is_before_initial or _may_be_name(stop, language):
        return False
    return parses(stop.word, language)[0].tag.POS in _OPENING or _is_lettered(previous, language)


def _is_lettered(word: str, language: Language) -> bool:
    return word.isalpha() and lemma(word, language) in _LETTERED


def _ends_at_head(stop: Stop, previous: str, word: str, language: Language) -> bool:
    """Judge a full stop after what may be an abbreviation, and may be a word («овладело им. Карета подъехала»)."""
    if _is_in_brackets(stop) or stop.word[0].isdigit():
        return False
    if _is_closed(stop, language):
        return True
    is_word = any(p.is_known and "Abbr" not in p.tag.grammemes for p in parses(word, language)[:1])
    if not is_word or stop.is_before_initial or stop.word.isascii():
        return False
    # «помог им. Иван ушел», «о нем. Иван ушел», but «завод им. Ленина»
    return not _may_be_name(stop, language) or parses(previous, language)[0].tag.POS in _GOVERNING
