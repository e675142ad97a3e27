"""Little books of very different make, written down in short, and laid out as plain texts are.

A book is lines: "= title" is a heading, "+ title" the second line of the one before, "..." a page of text, anything
else stands as it is; an empty line is an empty line in every layout.
"""

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle

_TEXT = {
    "ru": (
        "Дорога шла берегом, и лошади, почуяв жилье, пошли скорее. Старик дремал, прислонясь к кожаному верху коляски,"
        " и только изредка открывал глаза, чтобы взглянуть на реку. Никто не говорил ни слова; слышно было лишь, как"
        " скрипят колеса.",
        "— Далеко ли еще? — спросил он наконец.",
        "— Версты три, не более, — отвечал ямщик. В прошлом году, в 1832, эта дорога была совсем плоха, а теперь ничего,"
        " ездить можно. За рощей показалась колокольня, потом крыши, потом сад, спускавшийся к самой воде.",
    ),
    "uk": (
        "Дорога йшла берегом, і коні, почувши житло, пішли швидше. Старий дрімав, притулившись до шкіряного верху брички,"
        " і тільки зрідка розплющував очі, щоб глянути на річку. Ніхто не казав ані слова; чути було лише, як"
        " скриплять колеса.",
        "— Чи далеко ще? — спитав він нарешті.",
        "— Версти зо три, не більше, — відповів візник. Торік, у 1832-му, ця дорога була зовсім погана, а тепер нічого,"
        " їздити можна. За гаєм показалася дзвіниця, потім стріхи, потім сад, що спускався до самої води.",
    ),
    "en": (
        "The road ran along the shore, and the horses, which smelt the stable, went on faster. The old man slept against"
        " the leather of the carriage, and only now and then he opened his eyes to look at the river. Nobody said a word;"
        " one heard nothing but the creaking of the wheels.",
        '"Is it far?" he asked at last.',
        '"Three miles, no more," said the driver. In the year before, in 1832, the road had been very bad indeed, and now'
        " one could drive on it. Behind the wood a steeple came in sight, then roofs, then a garden that went down to the"
        " water.",
    ),
}


@dataclass(frozen=True, slots=True)
class Book:
    name: str
    language: str
    lines: tuple[str, ...]

    @property
    def headings(self) -> list[str]:
        titles: list[str] = []
        for line in self.lines:
            if line.startswith("= "):
                titles.append(line[2:])
            elif line.startswith("+ "):
                titles[-1] = f"{titles[-1]} {line[2:]}"
        return titles


def _rows(
    book: Book, paragraph: Callable[[str], list[str]], around: list[str], length: int = 6
) -> Iterator[str]:
    texts = cycle(_TEXT[book.language])
    for line in book.lines:
        if line == "...":
            for _ in range(length):
                yield from paragraph(next(texts))
        elif line.startswith(("= ", "+ ")):
            yield from (*around, line[2:], *around)
        else:
            yield line


def spaced(book: Book) -> str:
    """A paragraph a line, with an empty line after it and around each heading."""
    return "\n".join(_rows(book, lambda text: [text, ""], [""]))


def wrapped(book: Book) -> str:
    """Printed lines of 72 characters, indented at paragraphs, headings between empty lines."""
    indent = "    "
    return "\n".join(_rows(book, lambda text: textwrap.wrap(text, 72, initial_indent=indent), ["", ""]))


def dense(book: Book) -> str:
    """A paragraph a line and no empty lines at all but those of the book's own."""
    return "\n".join(_rows(book, lambda text: [text], []))


def unlined(book: Book) -> str:
    """One enormous line."""
    return " ".join(" ".join(_rows(book, lambda text: [text], [], length=30)).split())


def _book(name: str, language: str, text: str) -> Book:
    return Book(name, language, tuple(line.strip() for line in text.strip("\n").split("\n")))


NUMBERED = (
    _book("roman chapters", "ru", """
        Иван Петров
        ПОВЕСТЬ
        = I
        ...
        = II
        ...
        = III
        ...
        = IV
        ..."""),
    _book("parts that begin their chapters anew", "ru", """
        = ЧАСТЬ ПЕРВАЯ
        = Глава первая
        ...
        = Глава вторая
        ...
        = ЧАСТЬ ВТОРАЯ
        = Глава первая
        ...
        = Глава вторая
        ...
        = ЭПИЛОГ
        ..."""),
    _book("frame of prologue and epilogue", "uk", """
        = ПРОЛОГ
        ...
        = Частина перша
        = Розділ 1
        ...
        = Розділ 2
        ...
        = Частина друга
        = Розділ 1
        ...
        = Розділ 2
        ...
        = ЕПІЛОГ
        ..."""),
    _book("chapters the first", "en", """
        = PREFACE
        ...
        = BOOK I
        = Chapter the First
        ...
        = Chapter the Second
        ...
        = BOOK II
        = Chapter the First
        ...
        = Chapter the Second
        ..."""),
    _book("novel in letters", "en", """
        = Letter 1
        To Mrs. Saville, England.
        St. Petersburgh, Dec. 11th, 17--.
        ...
        Your affectionate brother,
        R. Walton
        = Letter 2
        To Mrs. Saville, England.
        ...
        = Letter 3
        ...
        = CHAPTER I
        ...
        = CHAPTER II
        ..."""),
    _book("letters of a Russian novel", "ru", """
        = ПИСЬМО ПЕРВОЕ
        Милостивый государь!
        ...
        Ваш покорный слуга
        12 мая 1825 года.
        = ПИСЬМО ВТОРОЕ
        ...
        = ПИСЬМО ТРЕТЬЕ
        ..."""),
    _book("play", "ru", """
        ДЕЙСТВУЮЩИЕ ЛИЦА
        ИВАН, купец.
        = ДЕЙСТВИЕ ПЕРВОЕ
        = ЯВЛЕНИЕ I
        ИВАН
        ...
        МАРЬЯ
        ...
        = ЯВЛЕНИЕ II
        ИВАН
        ...
        = ДЕЙСТВИЕ ВТОРОЕ
        = ЯВЛЕНИЕ I
        МАРЬЯ
        ...
        ИВАН
        ...
        МАРЬЯ
        ..."""),
    _book("play in English", "en", """
        = ACT I
        = SCENE I. A street in the city.
        ...
        = SCENE II. The same.
        ...
        = ACT II
        = SCENE I. A room in the castle.
        ..."""),
    _book("cantos", "en", """
        = CANTO I
        ...
        = CANTO II
        ...
        = CANTO III
        ..."""),
    _book("law", "uk", """
        = Розділ I. Загальні положення
        = Стаття 1. Сфера дії
        ...
        = Стаття 2. Основні терміни
        ...
        = Розділ II. Права та обов'язки
        = Стаття 3. Права сторін
        ...
        1. Сторона має право на відшкодування.
        2. Сторона зобов'язана повідомити іншу сторону.
        = Стаття 4. Обов'язки сторін
        ..."""),
    _book("regulation by paragraphs", "ru", """
        = Глава 1. Общие положения
        = § 1. Предмет
        ...
        = § 2. Определения
        ...
        = Глава 2. Порядок
        = § 3. Заявление
        ..."""),
    _book("titles below and verse inside", "ru", """
        = ГЛАВА I
        + ДОРОГА
        ...
        Мчатся тучи, вьются тучи;
        Невидимкою луна
        Освещает снег летучий;
        Мутно небо, ночь мутна.
        ...
        = ГЛАВА II
        + ВСТРЕЧА
        ...
        = ГЛАВА III
        + РАЗЛУКА
        ..."""),
)  # fmt: skip

LINED = (
    _book("bare Arabic numbers", "ru", """
        = 1
        ...
        = 2
        ...
        = 3
        ...
        = 4
        ..."""),
    _book("Arabic numbers with titles", "uk", """
        = 1. Дорога
        ...
        = 2. Зустріч
        ...
        = 3. Розлука
        ...
        = 4. Повернення
        ..."""),
    _book("manual", "en", """
        = 1 Installation
        = 1.1 Requirements
        ...
        = 1.2 Download
        ...
        1. Open the page.
        2. Choose a file.
        3. Save it.
        = 1.2.1 On Windows
        ...
        = 2 Use
        = 2.1 First steps
        ..."""),
    _book("words for numbers", "en", """
        = One
        ...
        = Two
        ...
        = Three
        ...
        = Four
        ..."""),
    _book("nights", "ru", """
        = НОЧЬ ПЕРВАЯ
        ...
        = НОЧЬ ВТОРАЯ
        ...
        = НОЧЬ ТРЕТЬЯ
        ..."""),
    _book("notes at the ends of chapters", "ru", """
        = Глава 1
        ...
        1
        по-французски.
        2
        по-немецки.
        = Глава 2
        ...
        3
        по-латыни.
        = Глава 3
        ...
        4
        по-английски.
        = Глава 4
        ..."""),
    _book("capitals only", "en", """
        = THE ROAD
        ...
        = THE MEETING
        ...
        = THE PARTING
        ...
        = THE RETURN
        ..."""),
    _book("contents first", "ru", """
        Иван Петров
        РАССКАЗЫ
        Содержание
        Глава I. Дорога
        Глава II. Встреча
        Глава III. Разлука
        = Глава I. Дорога
        ...
        = Глава II. Встреча
        ...
        = Глава III. Разлука
        ..."""),
    _book("contents with pages last", "uk", """
        = Розділ 1. Дорога
        ...
        = Розділ 2. Зустріч
        ...
        = Розділ 3. Розлука
        ...
        ЗМІСТ
        Розділ 1. Дорога ........ 3
        Розділ 2. Зустріч ....... 17
        Розділ 3. Розлука ....... 42"""),
    _book("contents name what nothing else tells", "en", """
        Contents
        The Fox and the Crow 3
        The Lion and the Mouse 11
        The Ant and the Grasshopper 19
        = The Fox and the Crow
        ...
        = The Lion and the Mouse
        ...
        = The Ant and the Grasshopper
        ..."""),
    _book("contents of parts", "en", """
        CONTENTS

        PART ONE
        I. The Road
        II. The Meeting
        PART TWO
        I. The Parting
        II. The Return

        = PART ONE
        = I. The Road
        ...
        = II. The Meeting
        ...
        = PART TWO
        = I. The Parting
        ...
        = II. The Return
        ..."""),
    _book("tales in sections", "ru", """
        ПОВЕСТИ
        = ВЫСТРЕЛ
        = I
        ...
        = II
        ...
        = МЕТЕЛЬ
        ...
        = БАРЫШНЯ
        = I
        ...
        = II
        ..."""),
    _book("diary", "uk", """
        = 12 травня

        ...
        = 14 травня

        ...
        = 3 червня

        ...
        = 5 липня

        ..."""),
    _book("Roman numbers with titles and stops", "en", """
        = I.--The Road
        ...
        = II.--The Meeting
        ...
        = III.--The Parting
        ...
        As King Louis XIV. said, so it was.
        = IV.--The Return
        ..."""),
    _book("scene breaks and mentions", "ru", """
        = Глава первая
        ...
        * * *
        ...
        Смотри главу вторую и часть третью.
        Глава семьи вышел.
        = Глава вторая
        ...
        ***
        ...
        КОНЕЦ"""),
    _book("contents of Arabic chapters", "ru", """
        СТЕПЬ
        
        Содержание
        Глава 1
        Глава 2
        Глава 3
        Глава 4
        = Глава 1
        ...
        = Глава 2
        ...
        = Глава 3
        ...
        = Глава 4
        ..."""),
    _book("contents of Arabic chapters with pages", "en", """
        THE MILL
        
        Contents
        Chapter 1  11
        Chapter 2  22
        Chapter 3  33
        Chapter 4  44
        = Chapter 1
        ...
        = Chapter 2
        ...
        = Chapter 3
        ...
        = Chapter 4
        ..."""),
    _book("contents whose chapters begin anew", "ru", """
        СТЕПЬ
        
        Содержание
        Часть первая
        Глава 1
        Глава 2
        Глава 3
        Часть вторая
        Глава 1
        Глава 2
        Глава 3
        = Часть первая
        = Глава 1
        ...
        = Глава 2
        ...
        = Глава 3
        ...
        = Часть вторая
        = Глава 1
        ...
        = Глава 2
        ...
        = Глава 3
        ..."""),
    _book("chapters named by years", "ru", """
        ВОЙНА
        
        Содержание
        Зима 1941
        Весна 1942
        Лето 1942
        Осень 1943
        = Зима 1941
        ...
        = Весна 1942
        ...
        = Лето 1942
        ...
        = Осень 1943
        ..."""),
    _book("words alone below a title", "en", """
        THE RIVER
        = ONE
        ...
        = TWO
        ...
        = THREE
        ...
        = FOUR
        ..."""),
    _book("diary with a title", "uk", """
        Щоденник
        = 1 січня, понеділок

        ...
        = 5 січня, п’ятниця

        ...
        = 11 лютого, середа

        ...
        = 2 березня

        ..."""),
    _book("manual with lists before its sections", "en", """
        Pump Manual
        = 1 Introduction
        = 1.1 Overview
        ...
        = 1.1.1 Before you start
        ...
        
        - Close the valve
        - Open the lid
        
        = 1.1.2 Steps
        ...
        
        - Close the valve
        - Open the lid
        
        = 1.2 Safety
        ...
        = 1.2.1 Before you start
        ...
        
        - Close the valve
        - Open the lid
        
        = 1.2.2 Steps
        ...
        
        - Close the valve
        - Open the lid
        
        = 2 Installation
        = 2.1 Overview
        ...
        = 2.1.1 Before you start
        ...
        
        - Close the valve
        - Open the lid
        
        = 2.1.2 Steps
        ...
        
        - Close the valve
        - Open the lid
        
        = 2.2 Safety
        ...
        = 2.2.1 Before you start
        ...
        
        - Close the valve
        - Open the lid
        
        = 2.2.2 Steps
        ...
        
        - Close the valve
        - Open the lid
        """),
)  # fmt: skip
"""Books whose headings nothing but their own lines or the whole text shows."""
