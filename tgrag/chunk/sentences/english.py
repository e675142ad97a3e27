"""What a full stop means in English, and who says what stands in quotation marks."""

import re

from tgrag.chunk.sentences.stop import Stop
from tgrag.records import Language


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TITLES = _set(
    "Mr Mrs Ms Messrs Mme Mlle Mm Dr Drs Prof Rev Revd Hon Gen Col Maj Capt Cpt Lt Lieut Sgt Cpl Pvt Adm Cmdr Comdr "
    "Gov Sen Rep Reps Pres Supt Insp Msgr Fr Br Amb Atty"
)
_LINKS = _set("vs viz cf ca e.g i.e eg ie a.k.a approx incl resp")
_CLOSING = _set("etc esq")
_REFERENCES = _set(
    "no nos fig figs vol vols ch chs chap p pp pg pgs art arts sec secs eq eqs op lat long ex bk pt para paras ver "
    "tab app jan feb mar apr jun jul aug sep sept oct nov dec"
)
_TAILS = _set(
    "inc ltd co corp bros jr sr st ste mt ft ave blvd rd dept univ assn intl ph.d b.c a.d "
    "ala ariz ark calif colo conn fla ga ill ind kan ky mass md mich minn miss mo mont neb nev okla penn pa tenn tex "
    "va vt wash wis wyo"
)
_SMALL_TAILS = _set("al a.m p.m ed eds est")
# What is told apart by letters: no initial follows these.
_LETTERED = _set(
    "war vitamin hepatitis group class type plan grade phase point category version option level section part act book "
    "appendix block zone series vertex axis"
)
# Words that begin sentences and no names.
_OPENERS = _set(
    "the a an this that these those it he she we they you i his her its our their my your there here in on at by "
    "for from with to of and but or so yet as if when while after before since because although though however then "
    "thus once during until what who where why how which not no yes all some most many each every both one another "
    "such only also even just now still later meanwhile is are was were do does did have has had can could would "
    "should let please see today consequently finally additionally furthermore moreover nevertheless subsequently "
    "eventually recently originally initially currently unfortunately similarly instead therefore"
)
_SAID = (
    "said says asked asks replied replies answered answers exclaimed cried shouted whispered murmured muttered continued "
    "added responded called repeated inquired enquired remarked observed began demanded returned interrupted laughed "
    "sighed yelled screamed thought wondered told declared announced stammered growled groaned snapped insisted "
    "explained protested retorted agreed resumed concluded stated admitted suggested urged warned begged pleaded sobbed "
    "roared bellowed gasped hissed grumbled mumbled commented objected ventured put went shot burst broke"
)
# «“Get up!” I said», «“Well?” Captain Nemo went on»: names and «I» are written with a capital letter anyway.
_SPEAKER = re.compile(
    rf"(?:I|(?:[A-Z][\w’'-]*\.?\s+){{0,3}}[A-Z][\w’'-]*)\s+(?:\w{{2,12}}ly\s+)?(?:{'|'.join(_SAID.split())})\b"
)
_QUOTES = frozenset("”\"’'")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")


def ends_sentence(stop: Stop, language: Language) -> bool:
    """Tell whether a sentence ends at a stop that a word with a capital letter or a number follows."""
    if (
        _QUOTES.intersection(stop.closing)
        and not stop.opening
        and not _opens(stop.word, stop.after, said=True)
    ):
        return not _SPEAKER.match(stop.word + stop.after)
    return stop.mark != "." or ends_at_full_stop(stop)


def is_followed(word: str) -> bool:
    """Tell whether something always follows an abbreviation, such as a title."""
    return word in _TITLES or (word.lower() in _LINKS and not word.isupper())


def ends_at_full_stop(stop: Stop) -> bool:
    """Tell whether a sentence ends at a full stop that a word with a capital letter or a number follows."""
    previous, last = stop.last_words()
    last = re.split(r"[—–-]", last)[-1]
    if not last or not last[-1].isalpha() or "°" in previous[-1:] + last:
        return True
    lower = last.lower()
    before_number = stop.word[0].isdigit()
    if is_followed(last):
        return False
    if lower in _REFERENCES and (last.islower() or len(last) > 1):
        return not (before_number or re.fullmatch(r"[IVXLC]{2,}|[B-HJ-Z]", stop.word))
    if len(last) == 1 and previous.lower() in _LETTERED:
        return True
    if last == "I":
        return not _may_be_middle_initial(previous) or _opens(stop.word, stop.after)
    if lower in _CLOSING:
        return ")" not in stop.closing and not before_number
    is_tail = lower in _SMALL_TAILS or (lower in _TAILS and last[0].isupper())
    if len(last) == 1 or is_tail or _DOTTED.fullmatch(last):
        return ")" not in stop.closing and not before_number and _opens(stop.word, stop.after)
    return True


def _may_be_middle_initial(previous: str) -> bool:
    """Tell «John I. Smith» from «neither Ned, Conseil, nor I. The food …»."""
    return previous[:1].isupper() and previous[-1:].isalnum()


def _opens(word: str, after: str, *, said: bool = False) -> bool:
    """Tell whether a word begins a sentence rather than a name. said: «I» may be the one who speaks."""
    if len(word) == 1 and after.startswith("."):
        return False
    if said and word == "I":
        return False
    return re.split(r"['’]", word.lower())[0] in _OPENERS
