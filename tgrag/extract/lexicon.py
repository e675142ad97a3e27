"""Closed word lists of the fast extraction: what is not a name, what says the kind of one, what is no concept."""

from tgrag.records import Language


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# --- Russian and Ukrainian ----------------------------------------------------------------------------

PARTICLES = _set("де д дю ван фон фан дер ла ля ле да ди дель бен ибн оглы")

# Pronouns and the like that the dictionaries lack: older and colloquial spellings.
MORE_FUNCTION_WORDS: dict[Language, frozenset[str]] = {
    "ru": _set("оне ея оной коей токмо дабы ежели покамест"),
    "uk": _set(
        "него нему меня тебе тодї тимже тож отож отсе нема нехто нїхто нїщо сей сього сьому сим ся собою"
    ),
    "en": frozenset(),
}

# Head nouns (lemmas) that make a place or an organisation of a capitalised adjective: «Белогорская крепость».
PLACE_HEADS: dict[Language, frozenset[str]] = {
    "ru": _set(
        "крепость море океан озеро река гора город городок село деревня слобода губерния область край округ уезд"
        " район остров полуостров залив пролив улица площадь проспект переулок бульвар мост дорога дворец собор"
        " монастырь долина степь пустыня ущелье хребет канал вокзал парк"
    ),
    "uk": _set(
        "фортеця море океан озеро річка гора місто містечко село слобода губернія область край округ повіт район"
        " острів півострів затока протока вулиця площа проспект провулок бульвар міст дорога палац собор монастир"
        " долина степ пустеля ущелина хребет канал вокзал парк"
    ),
    "en": _set(
        "sea ocean bay gulf strait straits island islands isle isles lake river mount mountain mountains cape coast"
        " street road avenue square bridge city town county valley desert park peninsula archipelago channel canal"
        " harbor harbour port point hill hills castle palace forest"
    ),
}
ORGANIZATION_HEADS: dict[Language, frozenset[str]] = {
    "ru": _set(
        "полк университет академия институт школа гимназия театр музей банк компания общество комитет министерство"
        " завод фабрика партия совет суд церковь армия флот"
    ),
    "uk": _set(
        "полк університет академія інститут школа гімназія театр музей банк компанія товариство комітет"
        " міністерство завод фабрика партія рада суд церква армія флот"
    ),
    "en": _set(
        "company university college school museum society academy institute navy army ministry department"
        " committee council court church party club association corporation inc ltd co press office bureau"
    ),
}

# Nouns (lemmas) too general to be a concept: measure, time, and people as such.
GENERAL_NOUNS: dict[Language, frozenset[str]] = {
    "ru": _set(
        "человек люди раз время день ночь утро вечер год месяц неделя час минута секунда век дело вещь род сорт"
        " образ часть половина пара сторона место случай слово рука глаз нога голова кто-то нечто бог господь черт"
        " конец начало ряд число множество мир свет мера лицо сто тысяча миллион"
    ),
    "uk": _set(
        "людина люди чоловік раз час день ніч ранок вечір рік місяць тиждень година хвилина секунда вік діло річ"
        " рід образ частина половина пара сторона місце випадок слово рука око нога голова хтось щось бог господь"
        " чорт кінець початок ряд число безліч світ міра обличчя лице сто тисяча мільйон"
    ),
    "en": frozenset(),
}
GENERAL_ADJECTIVES: dict[Language, frozenset[str]] = {
    "ru": _set(
        "другой иной последний прошлый целый новый разный многий немногий остальной подобный следующий должный"
        " большой великий малый небольшой настоящий собственный некоторый обыкновенный возможный известный первый"
        " второй третий один хороший добрый бедный старый молодой"
    ),
    "uk": _set(
        "інший останній минулий цілий новий різний багатий решта подібний наступний великий малий невеликий"
        " справжній власний деякий звичайний можливий відомий перший другий третій один добрий бідний старий"
        " молодий сам увесь весь кожний кожен"
    ),
    "en": frozenset(),
}

# --- English ------------------------------------------------------------------------------------------

EN_PARTICLES = _set("of de du von van der den la le da di del della bin ibn al")
EN_TITLES = _set(
    "mr mrs ms miss dr prof st sir madam madame mademoiselle monsieur lord lady captain commander commodore admiral"
    " colonel general major lieutenant sergeant corporal professor doctor father mother brother sister uncle aunt"
    " king queen prince princess emperor empress president count countess duke duchess baron baroness judge bishop"
    " pope saint senator governor chief inspector capt col gen lt maj sgt gov adm rev"
)
EN_NAME_OPENERS = _set(
    "mt mount new old north south east west northern southern eastern western great saint upper lower central united"
)
EN_NOT_NAMES = _set(
    "i i'm i'll i've i'd oh ah o ok yes no god heaven heavens english french german american spanish italian russian"
    " ukrainian polish portuguese dutch greek turkish chinese japanese indian african european asian british irish"
    " scottish scotch welsh canadian mexican australian roman latin christian catholic jewish jew jews englishman"
    " englishmen frenchman frenchmen americans germans russians ukrainians europeans indians monday tuesday wednesday"
    " thursday friday saturday sunday january february march april may june july august september october november"
    " december chapter part book volume section figure table page note christmas easter good bless"
)
EN_STOP = _set(
    "a about above across after again against ago all almost alone along already also although always am among an"
    " and another any anybody anyone anything anywhere are around as aside at away back be became because become been"
    " before began behind being below beneath beside besides best better between beyond both but by came can cannot"
    " come could did do does doing done down during each either else enough even ever every everybody everyone"
    " everything everywhere except far few first for former from further get give given go goes gone good got great had"
    " half has have having he hence her here hers herself him himself his how however i if in indeed inside instead"
    " into is it its itself just kept knew know known last latter least less let like little long look looked made make"
    " many may me meanwhile might mine more moreover most much must my myself near nearly neither never nevertheless"
    " new next no nobody none nor not nothing now nowhere of off often old on once one only onto or other others"
    " otherwise ought our ours ourselves out over own perhaps put quite rather really right said same saw say second"
    " seem seemed seen several shall she should since so some somebody someone something sometimes somewhere soon still"
    " such take taken than that the their theirs them themselves then thence there therefore these they third this"
    " those though thought three through throughout thus till to together too took toward towards two under unless"
    " until up upon us very was way we well went were what whatever when whence where whereas wherever whether which"
    " while whither who whoever whole whom whose why will with within without would yet you your yours yourself"
    " yourselves thing things time times day days year years man men people part kind sort order hand hands eye eyes"
    " word words moment hour hours minute minutes place course case matter four five six seven eight nine ten"
    " hundred thousand accordingly consequently example examples certain different whose main full true"
)
EN_DETERMINERS = _set(
    "a an the this that these those his her their its my our your of in on with by for from no any some"
)
