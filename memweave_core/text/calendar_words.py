"""Names of months, weekdays, seasons, units and relations of time in six languages, without accents.

English and Spanish are complete; German, French, Portuguese and Italian have explicit dates and the most
frequent relative ones. Left out on purpose: words that mean something else more often, such as ``sun``,
``sat``, ``set``, ``out``, ``ago`` (agosto), German ``morgen`` and Portuguese ``segunda`` without ``feira``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple


class Word(NamedTuple):
    """What a word stands for, and the languages (ISO 639-1) in which it does."""

    value: int
    languages: frozenset[str]


def _words(rows: Iterable[tuple[int, str, str]]) -> dict[str, Word]:
    """From rows of value, languages and words (separated by spaces, ``_`` for a space within)."""
    table: dict[str, Word] = {}
    for value, languages, words in rows:
        for word in (spaced.replace("_", " ") for spaced in words.split()):
            known = (
                table[word].languages if word in table and table[word].value == value else frozenset[str]()
            )
            table[word] = Word(value, known | frozenset(languages.split()))
    return table


def _counted(first: int, lists: Mapping[str, str]) -> dict[str, Word]:
    """From the words of each language in calendar order; ``|`` parts spellings, ``-`` is an empty place."""
    return _words(
        (first + place, languages, word)
        for languages, words in lists.items()
        for place, spellings in enumerate(words.split())
        for word in spellings.split("|")
        if word != "-"
    )


MONTHS: Final = _counted(
    1,
    {
        "en": "january february march april may june july august september october november december",
        "es": "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre"
        " diciembre",
        "de": "januar februar marz|maerz april mai juni juli august september oktober november dezember",
        "fr": "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
        "pt": "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
        "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    },
)
SHORT_MONTHS: Final = _counted(
    1,
    {
        "en": "jan feb mar apr - jun jul aug sep|sept oct nov dec",
        "es": "ene feb mar abr - jun jul - sept|sep oct nov dic",
        "de": "jan feb mrz apr - jun jul aug sep|sept okt nov dez",
        "fr": "janv fevr|fev - avr - - juil - sept oct nov dec",
    },
)
ALWAYS_MONTHS: Final = frozenset(
    {
        "january", "february", "july", "september", "october", "november", "december", "enero", "febrero",
        "septiembre", "octubre", "noviembre", "diciembre",
    }
)  # fmt: skip
"""Names that need no preposition: they are neither another word nor a common first name."""
VERBS: Final = frozenset({"may", "march", "mar", "mars", "marco"})
"""Names of months that are more often something else."""

WEEKDAYS: Final = _counted(
    0,
    {
        "en": "monday tuesday wednesday thursday friday saturday sunday",
        "es": "lunes martes miercoles jueves viernes sabado domingo",
        "de": "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
        "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "pt": "segunda-feira terca-feira quarta-feira quinta-feira sexta-feira sabado domingo",
        "it": "lunedi martedi mercoledi giovedi venerdi sabato domenica",
    },
) | _counted(0, {"en": "mon tue|tues wed thu|thur|thurs fri - -"})

SEASONS: Final = _words(
    [
        (3, "en", "spring"), (6, "en", "summer"), (9, "en", "autumn fall"), (12, "en de", "winter"),
        (3, "es pt", "primavera"), (6, "es", "verano"), (9, "es", "otono"), (12, "es", "invierno"),
        (3, "de", "fruhling fruhjahr"), (6, "de", "sommer"), (9, "de", "herbst"),
        (3, "fr", "printemps"), (6, "fr", "ete"), (9, "fr", "automne"), (12, "fr", "hiver"),
        (6, "pt", "verao"), (9, "pt", "outono"), (12, "pt", "inverno"),
    ]
)  # fmt: skip
"""The first month of each season in the northern hemisphere; a season has three whole months."""

DAYS: Final = _words(
    [
        (0, "en", "today tonight this_morning this_afternoon this_evening"),
        (-1, "en", "yesterday last_night last_evening"), (1, "en", "tomorrow"),
        (-2, "en", "the_day_before_yesterday day_before_yesterday"),
        (2, "en", "the_day_after_tomorrow day_after_tomorrow"),
        (0, "es", "hoy esta_manana esta_tarde esta_noche"), (-1, "es", "ayer anoche"),
        (-2, "es", "anteayer antier antes_de_ayer anteanoche antenoche"), (1, "es", "manana"),
        (2, "es", "pasado_manana"),
        (0, "de", "heute"), (-1, "de", "gestern"), (-2, "de", "vorgestern"), (2, "de", "ubermorgen"),
        (0, "fr", "aujourd'hui ce_matin ce_soir"), (-1, "fr", "hier"), (-2, "fr", "avant-hier"),
        (1, "fr", "demain"), (2, "fr", "apres-demain"),
        (0, "pt", "hoje"), (-1, "pt", "ontem"), (-2, "pt", "anteontem antes_de_ontem"), (1, "pt", "amanha"),
        (0, "it", "oggi stamattina stasera"), (-1, "it", "ieri"), (-2, "it", "l'altro_ieri avantieri"),
        (1, "it", "domani"), (2, "it", "dopodomani"),
    ]
)  # fmt: skip
"""Days from today."""

RELATIONS: Final = _words(
    [
        (-1, "en", "last past previous this_past this_last"), (0, "en", "this"),
        (1, "en", "next coming upcoming this_coming"),
        (-1, "es", "pasado pasada pasados pasadas"), (0, "es pt", "este esta"),
        (-1, "es pt", "ultimo ultima ultimos ultimas"), (1, "es pt", "proximo proxima proximos proximas"),
        (1, "es", "que_viene"), (1, "pt", "que_vem"), (-1, "pt", "passado passada"), (0, "pt", "neste nesta"),
        (-1, "de", "letzte letzten letzter letztes letztem vergangene vergangenen vergangenes vergangenem"),
        (-1, "de", "vorige vorigen voriges vorigem"), (0, "de", "diese diesen dieser dieses diesem"),
        (1, "de", "nachste nachsten nachster nachstes nachstem kommende kommenden"),
        (-1, "fr", "dernier derniere derniers dernieres passe passee"), (0, "fr", "ce cet cette"),
        (1, "fr", "prochain prochaine prochains prochaines"),
        (-1, "it", "scorso scorsa scorsi scorse"), (-1, "it", "ultimo ultima ultimi ultime"),
        (0, "it", "questo questa quest'"), (1, "it", "prossimo prossima prossimi prossime"),
    ]
)  # fmt: skip
"""-1 for last, 0 for this, 1 for next."""
POSTPOSED: Final = (
    "pasado", "pasada", "proximo", "proxima", "que viene", "que vem", "passado", "passada", "dernier",
    "derniere", "passe", "passee", "prochain", "prochaine", "scorso", "scorsa", "prossimo", "prossima",
)  # fmt: skip
"""Relations that may follow their noun."""

DAY, WEEK, WEEKEND, MONTH, QUARTER, YEAR, HOUR, FORTNIGHT = range(8)
UNITS: Final = _words(
    [
        (WEEK, "en", "week"), (WEEKEND, "en", "weekend"), (MONTH, "en", "month"), (QUARTER, "en", "quarter"),
        (YEAR, "en", "year"), (WEEK, "es pt", "semana"), (WEEKEND, "es", "fin_de_semana"),
        (MONTH, "es pt", "mes"), (QUARTER, "es pt fr it", "trimestre"), (YEAR, "es pt", "ano"),
        (WEEKEND, "pt", "fim_de_semana"), (WEEK, "de", "woche"), (WEEKEND, "de", "wochenende"),
        (MONTH, "de", "monat"), (QUARTER, "de", "quartal"), (YEAR, "de", "jahr"), (WEEK, "fr", "semaine"),
        (WEEKEND, "fr", "week-end weekend"), (MONTH, "fr", "mois"), (YEAR, "fr", "annee an"),
        (WEEK, "it", "settimana"), (WEEKEND, "it", "fine_settimana weekend"), (MONTH, "it", "mese"),
        (YEAR, "it", "anno"),
    ]
)  # fmt: skip
COUNTED_UNITS: Final = _words(
    [
        (DAY, "en", "day days"), (WEEK, "en", "week weeks"), (MONTH, "en", "month months"),
        (YEAR, "en", "year years"), (HOUR, "en", "hours"), (FORTNIGHT, "en", "fortnight fortnights"),
        (DAY, "es pt", "dia dias"), (WEEK, "es pt", "semana semanas"), (MONTH, "es pt", "mes meses"),
        (YEAR, "es pt", "ano anos"), (HOUR, "es pt", "horas"), (DAY, "de", "tag tage tagen"),
        (WEEK, "de", "woche wochen"), (MONTH, "de", "monat monate monaten"),
        (YEAR, "de", "jahr jahre jahren"),
        (HOUR, "de", "stunden"), (DAY, "fr", "jour jours"), (WEEK, "fr", "semaine semaines"),
        (MONTH, "fr", "mois"), (YEAR, "fr", "an ans annees"), (HOUR, "fr", "heures"),
        (DAY, "it", "giorno giorni"), (WEEK, "it", "settimana settimane"), (MONTH, "it", "mese mesi"),
        (YEAR, "it", "anno anni"), (HOUR, "it", "ore"),
    ]
)  # fmt: skip

NUMBERS: Final = _counted(
    1,
    {
        "en": "a|an|one two three four five six seven eight nine ten eleven twelve",
        "es": "un|una|uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "de": "ein|eine|einem|einer zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
        "fr": "un|une deux trois quatre cinq six sept huit neuf dix onze douze",
        "pt": "um|uma dois|duas tres quatro cinco seis sete oito nove dez onze doze",
        "it": "un|uno|una due tre quattro cinque sei sette otto nove dieci undici dodici",
    },
) | _words([(2, "en", "couple_of a_couple_of"), (2, "es", "par_de un_par_de")])

AGO_BEFORE: Final = _words([(0, "es", "hace"), (0, "de", "vor"), (0, "fr", "il_y_a"), (0, "pt", "ha faz")])
AGO_AFTER: Final = _words([(0, "en", "ago"), (0, "es pt", "atras"), (0, "it", "fa")])

PARTS: Final = _words(
    [
        (0, "en", "early beginning_of the_beginning_of start_of the_start_of"),
        (1, "en", "mid middle_of the_middle_of"), (2, "en", "late end_of the_end_of"),
        (0, "es", "principios_de comienzos_de inicios_de"), (1, "es pt", "mediados_de meados_de"),
        (2, "es", "finales_de fines_de"), (0, "de", "anfang"), (1, "de", "mitte"), (2, "de", "ende"),
        (0, "fr", "debut"), (1, "fr", "mi"), (2, "fr", "fin"), (0, "pt", "inicio_de"),
        (2, "pt", "final_de fim_de"),
        (0, "it", "inizio"), (1, "it", "meta"), (2, "it", "fine"),
    ]
)  # fmt: skip
"""Which third of a month or year."""

ORDINALS: Final = _words(
    [
        (1, "en", "first 1st"), (2, "en", "second 2nd"), (3, "en", "third 3rd"), (4, "en", "fourth 4th"),
        (1, "es", "primer"), (2, "es", "segundo"), (3, "es", "tercer"), (4, "es", "cuarto"),
    ]
)  # fmt: skip

_ONES: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
DAY_WORDS: Final = _counted(
    1,
    {
        "en": " ".join(_ONES)
        + " tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth"
        " eighteenth nineteenth twentieth "
        + " ".join(f"twenty-{one}|twenty_{one}" for one in _ONES)
        + " thirtieth thirty-first|thirty_first",
        "es": "primero|uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
        " dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro"
        " veinticinco veintiseis veintisiete veintiocho veintinueve treinta treinta_y_uno",
        "fr": "premier",
        "pt": "primeiro",
        "it": "primo",
    },
)
"""Days of a month in words."""
DAY_ORDINALS: Final = {word: entry for word, entry in DAY_WORDS.items() if "en" in entry.languages}

WITHIN, OF, ON, SINCE, BEFORE, UNTIL, AFTER, BETWEEN, ARTICLE = range(9)
PREPOSITIONS: Final = _words(
    [
        (WITHIN, "en", "in during throughout by"), (OF, "en", "of"), (ON, "en", "on"), (SINCE, "en", "since"),
        (BEFORE, "en", "before prior_to"), (UNTIL, "en", "until till up_to"), (AFTER, "en", "after"),
        (BETWEEN, "en", "between from"),
        (WITHIN, "es pt it", "durante"), (WITHIN, "es", "en"), (OF, "es pt", "de"), (OF, "es", "del"),
        (ON, "es", "el"), (SINCE, "es pt", "desde"), (BEFORE, "es pt", "antes_de"),
        (BEFORE, "es", "antes_del"),
        (UNTIL, "es", "hasta"), (AFTER, "es", "despues_de despues_del tras"), (BETWEEN, "es pt fr", "entre"),
        (WITHIN, "de", "in im wahrend"), (ON, "de", "am"), (SINCE, "de", "seit"), (BEFORE, "de", "vor"),
        (UNTIL, "de", "bis"), (AFTER, "de", "nach"), (BETWEEN, "de", "zwischen von vom"),
        (WITHIN, "fr", "en pendant"), (ARTICLE, "fr", "le du"), (SINCE, "fr", "depuis"),
        (BEFORE, "fr", "avant"),
        (UNTIL, "fr", "jusqu'en jusqu'a"), (AFTER, "fr", "apres"),
        (WITHIN, "pt", "em"), (ON, "pt", "na no"), (AFTER, "pt", "depois_de apos"), (UNTIL, "pt", "ate"),
        (WITHIN, "it", "in a nel"), (ARTICLE, "it", "il"), (SINCE, "it", "da dal"), (OF, "it", "di"),
        (BEFORE, "it", "prima_di prima_del"), (AFTER, "it", "dopo"), (UNTIL, "it", "fino_a fino_al"),
        (BETWEEN, "it", "tra fra"),
    ]
)  # fmt: skip

CLUES: Final = frozenset(
    token
    for table in (MONTHS, SHORT_MONTHS, WEEKDAYS, SEASONS, DAYS, UNITS, COUNTED_UNITS)
    for phrase in table
    for token in phrase.replace("-", " ").replace("'", " ").split()[-1:]
) | {"q", "t"}
"""One of these, or a number, is in every expression of time."""
