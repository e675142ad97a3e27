"""The words of a question by which texts are looked up."""

from collections.abc import Iterable
from functools import cache

from tgrag.language import fold, lemma, words
from tgrag.records import Language
from tgrag.store.lexical import Term

# Function and question words, as folded lemmas or forms; what carries no subject in a question.
_STOP_WORDS: dict[Language, str] = {
    "ru": """
        а без бы быть в ведь весь во вот вы где да для до его ее если есть еще ж же за зачем здесь знать и из
        из-за или именно иметь их к как какой какая какие каков ко когда который кто куда ли либо мой мочь мы на
        над наш не него нее нет ни них но ну о об однако он она они оно от откуда отчего очень перед по под
        после потом потому почему при про произойти происходить рассказать с сам самый свой себя сказать сколько
        случиться со стать так также такой там твой то тогда тоже только тот ты у уже хотеть чей чем что чтобы
        чье чья эта эти это этот я
    """,
    "uk": """
        а або аби адже але б без би бо бути в вже ви відбутися відбуватися від він вона вони воно все всі втім
        в'ється для до деякий де ж же за задля зі з із звідки й його її їх і інший як яка яке який які якщо коли
        котрий куди ледве лише мій могти ми на над наш не немає ні ніж о об один от ось перед під після по при
        про розповісти сам свій себе сказати скільки стати статися трапитися та так також такий там твій те ти
        тільки то тобто тоді той тому у увесь усе усі хто хотіти хіба це цей ця ці чи чий чого чому що щоб щодо
        я
    """,
    "en": """
        a about after all also am an and any are as at be been before being but by can could did do does during
        each for from had happen has have he her hers him his how i if in into is it its just me more most must
        my no nor not of on only or other our out over own say she should so some such tell than that the their
        them then there these they this those through to too under until up upon very was we were what when
        where which while who whom whose why will with would you your
    """,
}
STOP_WORDS = frozenset(word for listed in _STOP_WORDS.values() for word in listed.split())


def question_terms(question: str, languages: Iterable[Language]) -> list[Term]:
    """Return the content words of a question, each once, as its lemmas under the languages of the text.

    A word written in another script than a language's own is read in its script's language, so a question in
    any language can be asked of any text; where no lemma is shared, nothing is found and nothing breaks.
    """
    ordered = sorted(set(languages))
    return list(dict.fromkeys(_term(word, ordered) for word in words(question) if not is_stop_word(word)))


def _term(word: str, languages: Iterable[Language]) -> Term:
    return tuple(sorted({lemma(word, language) for language in languages}))


@cache
def is_stop_word(word: str) -> bool:
    """Tell whether a word has no subject of its own, in any inflection, in one of the three languages."""
    return bool(STOP_WORDS & {fold(word), *(lemma(word, language) for language in _STOP_WORDS)})
