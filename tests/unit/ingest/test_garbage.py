import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.ingest.broken_texts import breaks, shifted
from tgrag.ingest.garbage import fault, fault_of_document
from tgrag.ingest.parse import parse
from tgrag.ingest.text import clean
from tgrag.records import LANGUAGES, Language

PASSAGES = Path(__file__).parents[2] / "fixtures" / "passages"
TEXTS: dict[Language, str] = {
    language: (PASSAGES / f"{language}.txt").read_text(encoding="utf-8") for language in LANGUAGES
}
PAGE = 1_500

GOOD = {
    "German": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt"
    " und sollen einander im Geist der Brüderlichkeit begegnen.",
    "French": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de"
    " conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "Polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem"
    " i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "Vietnamese": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con người đều được"
    " tạo hoá ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình anh em.",
    "Welsh": "Genir pawb yn rhydd ac yn gydradd â'i gilydd mewn urddas a hawliau. Fe'u cynysgaeddir â rheswm a chydwybod,"
    " a dylai pawb ymddwyn y naill at y llall mewn ysbryd cymodlon.",
    "Kazakh": "Барлық адамдар тумысынан азат және қадір-қасиеті мен құқықтары тең болып дүниеге келеді. Адамдарға"
    " ақыл-парасат, ар-ождан берілген, сондықтан олар бір-бірімен қарым-қатынас жасаулары тиіс.",
    "Mongolian": "Хүн бүр төрж мэндлэхэд эрх чөлөөтэй, адилхан нэр төртэй, ижил эрхтэй байдаг. Оюун ухаан нандин чанар"
    " заяасан хүн гэгч өөр хоорондоо ахан дүүгийн үзэл санаагаар харьцах учиртай.",
    "Serbian": "Сва људска бића рађају се слободна и једнака у достојанству и правима. Она су обдарена разумом и свешћу"
    " и треба једни према другима да поступају у духу братства.",
    "old Russian": "Въ тотъ-же день, въ восемь часовъ вечера, Вѣра Павловна сидѣла одна въ своей комнатѣ; она ждала его,"
    " и сердце ея билось всё сильнѣе и сильнѣе. Онъ обѣщалъ придти, но былъ боленъ.",
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με"
    " λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
    "Chinese": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
    "Arabic": "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن يعامل بعضهم بعضاً",
    "numbers": "\n".join(f"{n:>6} {n * 17.5:>10.2f} {n * 1000:>12,} {n / 7:>8.3%}" for n in range(1, 60)),
    "prices": "\n".join(f"Арт. {n:05} | Болт М{n % 20}х{n} | шт. | {n * 3},50 ₽ | {n}%" for n in range(1, 60)),
    "contents": "\n".join(f"Глава {n} {'.' * 60} {n * 12}" for n in range(1, 30)),
    "a form": "Фамилия ____________________ Имя ______________ □ да □ нет\n" * 10,
    "code": 'def read(path: str) -> list[dict[str, int]]:\n    with open(path) as f:\n        return [{"id": int(x[0])} for'
    " x in map(str.split, f) if x and x[0] != '#']\n\n\nclass Reader(Base[T]):\n    _x: int = 0xFF & ~(1 << 3)\n",
    "formulas": "f(x) = ∑ aₙxⁿ, n ∈ ℕ; ∫₀¹ f(x) dx = ∑ aₙ/(n+1); x² + y² = z²; ∀ε > 0 ∃δ > 0: |x − a| < δ ⇒ |f| < ε\n" * 3,
    "payload": '{"id": 14, "name": "My shelf", "slug": "my-shelf", "created_by": {"id": 1}, "tags": [{"order": 0}]}\n' * 5,
    "dialogue": "— Да?\n— Нет!\n— Что?!\n— Ну… Кто там?\n— Я.\n— Ты?\n— А кто ещё? Кто ж ещё?\n" * 4,
    "a title page": "А. С. ПУШКИН\nПИКОВАЯ ДАМА\n1834",
    "nothing": "",
}  # fmt: skip


def windows(language: Language) -> st.SearchStrategy[str]:
    """Stretches of a good text, a short page or a long one."""
    text = TEXTS[language]
    return st.tuples(st.integers(0, len(text) - 400), st.integers(300, PAGE)).map(
        lambda window: text[window[0] : window[0] + window[1]]
    )


@pytest.mark.parametrize("kind", GOOD)
def test_good_text_is_no_garbage(kind: str) -> None:
    assert fault(clean(GOOD[kind])) is None


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
def test_prose_is_no_garbage(language: Language, data: st.DataObject) -> None:
    text = data.draw(windows(language))
    assert fault(text) is None
    assert fault(text.upper()) is None


@pytest.mark.parametrize(
    ("language", "way"), [(language, way) for language in LANGUAGES for way in breaks(language)]
)
def test_broken_pages_are_found(language: Language, way: str) -> None:
    text, broken = TEXTS[language], breaks(language)[way]
    pages = [text[start : start + PAGE] for start in range(0, len(text) - PAGE, PAGE)]
    assert [page for page in pages if fault(clean(broken(page))) is None] == []


@pytest.mark.parametrize("language", ["ru", "uk"])
def test_letters_that_became_ascii_signs_are_found(language: Language) -> None:
    assert fault(shifted(31)(TEXTS[language]))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("?????? ????? ? ????? ? ????????????? ????????. ?????? ?????? ???? ??????", "question marks"),
        ("□□□□□□ □□□□□ □ □□□□□ □ □□□□□□□□□□□□□ □□□□□□□□. □□□□□□ □□□□□□ □□□□ □□□□□□", "boxes"),
        ("\ue012\ue013\ue014 \ue015\ue016 \ue017\ue018 " * 20, "unknown"),
        (". ' , i ~ ; - . , ' ` : . _ ' l . , ; - ' . ~ ^ , . ' - ; : . , ' ` . - ~ " * 4, "stray"),
        (TEXTS["ru"][:600].encode("cp1251").decode("latin-1"), "wrong encoding: it shows «[À-ÿ]"),
        (
            "".join(map("{}x".format, TEXTS["uk"][:600])).replace("x ", " "),
            "Latin letters stand for Cyrillic",
        ),
    ],
)
def test_the_reason_says_what_is_wrong(text: str, says: str) -> None:
    reason = fault(text)
    assert reason and re.search(says, reason)


def test_a_document_is_judged_by_most_of_it() -> None:
    good, broken = TEXTS["ru"], TEXTS["ru"].encode("koi8-r", "ignore").decode("cp1251")
    assert fault_of_document([good, good, broken]) is None
    assert fault_of_document([broken, broken, good])
    assert fault_of_document([good]) is None
    assert fault_of_document([]) is None


def test_a_file_that_is_no_language_is_refused() -> None:
    broken = TEXTS["ru"].encode("koi8-r", "ignore").decode("cp1251")
    refused = parse("a.txt", broken.encode())
    assert refused.status == "failed"
    assert (refused.reason or "").startswith("its text is not language: its letters spell no words")
