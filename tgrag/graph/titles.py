"""Words that stand before a name and say who bears it: forms of address, ranks, kin (lemmas, folded)."""

from dataclasses import dataclass

from tgrag.graph.given_names import Gender
from tgrag.records import Language


@dataclass(frozen=True, slots=True)
class Title:
    """gender: of its bearers, where it tells. rank: False for what every man or woman is called."""

    gender: Gender | None
    rank: bool


def _titles(
    men: str, women: str, both: str, men_ranks: str, women_ranks: str, ranks: str
) -> dict[str, Title]:
    rows: tuple[tuple[str, Gender | None, bool], ...] = (
        (men, "m", False), (women, "f", False), (both, None, False),
        (men_ranks, "m", True), (women_ranks, "f", True), (ranks, None, True),
    )  # fmt: skip
    return {word: Title(gender, rank) for names, gender, rank in rows for word in names.split()}


TITLES: dict[Language, dict[str, Title]] = {
    "ru": _titles(
        "господин г г-н мистер месье мсье monsieur mr сударь дядя дядюшка дед дедушка отец батюшка брат братец",
        "госпожа г-жа миссис мисс мадам мадемуазель madame mademoiselle m-me m-lle"
        " сударыня тетя тетка тетушка бабушка матушка мать сестра",
        "товарищ доктор",
        "князь граф барон царь король император капитан поручик подпоручик прапорщик майор полковник генерал"
        " адмирал урядник комендант сержант есаул хорунжий профессор маркиз герцог лорд сэр святой",
        "княгиня княжна графиня баронесса царица королева императрица капитанша генеральша маркиза герцогиня леди",
        "",
    ),
    "uk": _titles(
        "пан добродій дядько дід дідусь отець батько брат",
        "пані панна панночка добродійка тітка баба бабуся матінка мати сестра",
        "товариш лікар",
        "князь граф барон цар король імператор капітан поручник майор полковник генерал гетьман отаман сотник"
        " осавул професор святий",
        "княгиня княжна графиня цариця королева імператриця",
        "",
    ),
    "en": _titles(
        "mr monsieur m sir uncle father brother master mister herr signor señor",
        "mrs ms miss madam madame mademoiselle mme mlle lady aunt mother sister dame signora frau",
        "dr doctor prof professor cousin",
        "lord king prince emperor count duke baron pope reverend",
        "queen princess empress countess duchess baroness",
        "captain commander commodore admiral colonel general major lieutenant sergeant corporal judge bishop saint st"
        " senator governor chief inspector president",
    ),
}  # fmt: skip

WRITTEN_SHORT = {
    "capt": "captain", "col": "colonel", "gen": "general", "lt": "lieutenant", "maj": "major", "sgt": "sergeant",
    "gov": "governor", "adm": "admiral", "sen": "senator", "rev": "reverend", "st": "saint", "dr": "doctor",
    "prof": "professor", "m": "monsieur", "mme": "madame", "mlle": "mademoiselle",
    "г": "господин", "г-н": "господин", "г-жа": "госпожа",
}  # fmt: skip

LADY = frozenset({"mrs", "miss", "ms", "madam", "madame", "mademoiselle", "lady"})
