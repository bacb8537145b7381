"""The words with which people ask that something be remembered or forgotten, by language.

All are regular expressions without groups that capture; case does not matter, and an apostrophe is "'".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TriggerTable:
    """How one language asks.

    `remember` and `forget` are imperatives; `to_remember` and `to_forget` follow the words of `asking`
    ("could you", "I want you to"), with which a question is a request too. `links` come between verb and
    statement ("that"). `openers` may stand before ("please"); `joints` join a request to the clause before
    it. `standing` opens or ends a lasting wish ("from now on"). `reported` are verbs before which a
    request is somebody else's, or words to be worked on. `nothing` are continuations that make it no
    request ("remember when we …"); `references` are all that follows when the statement came before
    ("remember that."); `orders` are what may not be forgotten on demand. `spoken_of` are verbs
    before which the words of a request are its subject ("from now on means …"). `hints` are plain strings
    in lower case, one of which stands in every sentence that asks, so that others need no closer look;
    without any, all are looked at.
    """

    language: str
    remember: tuple[str, ...]
    to_remember: tuple[str, ...]
    forget: tuple[str, ...]
    to_forget: tuple[str, ...]
    asking: tuple[str, ...]
    links: tuple[str, ...]
    openers: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()
    nothing: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    spoken_of: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


_WORK_ON_TEXT: Final = (
    "translate", "translation of", "rephrase", "rewrite", "proofread", "traduce", "traduzca", "traducir",
    "traducción de", "corrige", "reescribe",
)  # fmt: skip
"""Orders after which words are to be worked on, in either language, and are nothing that is asked for."""

_KEEP: Final = (
    "remember", "memori[sz]e", "keep in mind", "bear in mind", "keep in memory", "make a (?:mental )?note",
    "take (?:a )?note", "(?:add|save|store|commit|write|put)(?: (?:this|that|it|the following))?"
    " (?:to|in|into) (?:your |the )?(?:long-term )?memory",
)  # fmt: skip
_DROP: Final = (
    "forget", "stop remembering", "(?:delete|remove|erase|clear)(?: it)? from (?:your |the )?memory",
)  # fmt: skip

_REMIND: Final = r"remind me(?= that (?:i|my|we|our|the|he|she|they|it|there)\b)"

ENGLISH: Final = TriggerTable(
    "en",
    remember=(
        *_KEEP,
        "(?:do not|don't|dont|never|let's not) (?:ever )?forget",
        "note to self",
        "note for (?:the future|later)",
        "note(?= that (?:i|my|we|our)\\b)",
        _REMIND,
    ),
    to_remember=(
        *_KEEP,
        _REMIND,
        "remembering",
        "not (?:to )?forget",
        "never forget",
        "keeping in mind",
        "bearing in mind",
    ),
    forget=_DROP,
    to_forget=(*_DROP, "forgetting"),
    asking=(
        "(?:can|could|would|will) you",
        "(?:i|we) (?:want|need|would like|'d like|ask|expect) you to",
        "(?:i|we)'d like you to",
        "you (?:should|must|need to|have to|ought to|can|may|could|might want to)",
        "(?:be sure|make sure|try|do|always)(?: to| that you)?",
        "would you mind",
        "it is important (?:to|that you)",
        "it's important (?:to|that you)",
        "help me",
    ),
    links=(
        "that",
        "to",
        "about",
        "of the fact that",
        "of",
        "the fact that",
        "for (?:the future|later|next time)(?: that)?",
        "this",
        "the following",
        "these(?: things| facts| points)?",
    ),
    openers=(
        "please",
        "pls",
        "plz",
        "kindly",
        "also",
        "and",
        "but",
        "so",
        "oh",
        "ok",
        "okay",
        "hey",
        "hi",
        "hello",
        "well",
        "yes",
        "no(?=,)",
        "now",
        "then",
        "just",
        "always",
        "by the way",
        "btw",
        "one more thing",
        "in the future",
        "important",
        "thanks",
        "thank you",
        "alright",
        "right",
        "great",
        "perfect",
        "actually",
        "again",
        "for (?:the future|next time|future reference)",
    ),
    joints=("and", "so", "but", "then", "please"),
    standing=(
        "from now on(?:wards?)?",
        "from this (?:point|moment)(?: on(?:wards?)?)?",
        "going forward",
        "henceforth",
        "for future reference",
        "from here on(?: out)?",
    ),
    reported=(
        "said",
        "says",
        "say",
        "saying",
        "told",
        "tells",
        "tell",
        "asked",
        "asks",
        "wrote",
        "writes",
        "reads",
        "quote",
        *_WORK_ON_TEXT,
        "can't",
        "cannot",
        "couldn't",
        "don't",
        "didn't",
        "never",
        "if",
        "whether",
    ),
    nothing=(
        "when",
        "how",
        "what",
        "where",
        "who",
        "whom",
        "which",
        "why",
        "if",
        "whether",
        "me",
        "us",
        "him",
        "her",
        "them",
        "the (?:time|day|days|night|one|ones|last|other|old)",
        "(?:that|those) (?:time|day|night|days|one)",
        "it",
        "(?:the )?(?:past|good old)",
        "correctly",
        "rightly",
        "everything",
        "anything",
        "something",
    ),
    references=(
        "that",
        "this",
        "it",
        "these",
        "those",
        "them",
        "all (?:of )?(?:that|this)",
        "the following",
        "(?:that|this|it) (?:please|for (?:me|later|next time|the future))",
        "please",
        "for (?:later|next time|the future)",
        "these (?:things|facts|points)",
        "(?:the following|these) (?:things|facts|points)",
    ),
    orders=(r"\b(?:instructions?|prompts?|rules|guidelines|system)\b",),
    spoken_of=("is", "was", "are", "were", "means?", "meant"),
    hints=(
        "rememb",
        "remind",
        "memor",
        "mind",
        "note",
        "forget",
        "from now on",
        "from this",
        "going forward",
        "henceforth",
        "for future reference",
        "from here on",
    ),
)

_RECUERDA: Final = (
    "recu[eé]rd(?:a|e|en|ad|alo|elo)", "recu[eé]rdame(?= que\\b)",
    "acu[eé]rda(?:te|d)", "acu[eé]rdese", "acordaos",
    "memori(?:za|ce|zad|cen)",
    "(?:ten|tenga|tened|tengan) (?:muy )?(?:en cuenta|presente)", "toma(?:d)? nota", "tome nota",
    "ap[uú]nta(?:te|d)?",
    "ap[uú]nte", "an[oó]ta(?:te|d)?", "anote",
    "(?:guarda|guarde|guardad|a[nñ]ade|mete)(?: (?:esto|eso|lo siguiente))?"
    " en (?:tu |su |la )?memoria",
)  # fmt: skip
_RECORDAR: Final = (
    "recordar(?:lo)?", "recuerdes", "recuerde", "recordaras", "te acuerdes", "acordarte",
    "tener en cuenta", "tengas en cuenta",
    "tomar nota", "tomes nota", "apuntar", "apuntes", "anotar", "anotes", "memorizar", "memorices",
    "no olvid(?:ar|es)",
    "no te olvides", "guardar en (?:tu |la )?memoria", "guardes en (?:tu |la )?memoria",
)  # fmt: skip

SPANISH: Final = TriggerTable(
    "es",
    remember=(
        *_RECUERDA, "(?:no|nunca|jam[aá]s) (?:(?:te|se|os|lo) )?(?:olvides|olvide|olvid[eé]is|olviden)",
        "(?:que )?no se (?:te|le|os) olvide", "nota mental",
        "nota para (?:mi mismo|m[ií]|el futuro|despu[eé]s)",
    ),
    to_remember=_RECORDAR,
    forget=("olv[ií]da(?:te|d)?", "olvide", "olv[ií]dese", "deja de recordar",
            "(?:borra|elimina|quita) de (?:tu |la )?memoria"),
    to_forget=("olvidar", "olvides", "olvidarte", "te olvides", "dejar de recordar", "dejes de recordar"),
    asking=(
        "(?:me )?(?:puedes|podr[ií]as|puede|podr[ií]a|pod[eé]is)",
        "(?:quiero|necesito|quisiera|me gustar[ií]a|te pido|espero|"
        "deseo|es importante|hace falta) que",
        "(?:debes|deber[ií]as|tienes que|has de|es importante|hay que|"
        "aseg[uú]rate de|procura|intenta)",
    ),
    links=("de que", "que", "de", "lo siguiente", "esto", "estos? (?:datos?|puntos?|hechos?)"),
    openers=(
        "por favor", "porfa", "porfavor", "tambi[eé]n", "y", "pero", "ah", "oye", "hola", "vale",
        "bueno", "ok", "sí", "si(?=,)", "no(?=,)",
        "ahora", "entonces", "adem[aá]s", "por cierto", "importante", "siempre", "gracias",
        "perfecto", "as[ií] que", "solo",
        "una cosa m[aá]s", "para la pr[oó]xima",
    ),
    joints=("y", "as[ií] que", "pero", "por favor", "entonces"),
    standing=("de ahora en adelante", "a partir de (?:ahora|hoy|este momento)", "desde ahora",
    "de aqu[ií] en adelante",
              "en lo sucesivo", "en adelante", "para el futuro"),
    reported=(
        "dijo", "dice", "dicen", "dije", "digo", "dijeron", "cuenta", "cont[oó]", "pidi[oó]", "pide",
        "escribi[oó]", "pone", *_WORK_ON_TEXT,
        "nunca", "si",
    ),
    nothing=(
        "cuando", "cu[aá]ndo", "c[oó]mo", "qué", "d[oó]nde", "qui[eé]n(?:es)?", "cu[aá]l(?:es)?",
        "por qu[eé]", "si",
        "aquella?(?:s)?", "aquellos", "la (?:vez|noche|[uú]ltima)", "el d[ií]a", "me", "todo", "algo",
        "nada",
    ),
    references=("esto", "eso", "ello", "lo", "todo (?:esto|eso)", "lo siguiente", "por favor",
    "estos? (?:datos?|puntos?|hechos?)",
                "(?:esto|eso) por favor", "para (?:la pr[oó]xima|luego|despu[eé]s|el futuro)"),
    orders=(r"\b(?:instrucci(?:[oó]n|ones)|reglas|normas|sistema|prompt)\b",),
    spoken_of=("es (?:una?|el|la)", "era", "significa", "quiere decir"),
    hints=(
        "record", "recuerd", "recuérd", "acord", "acuerd", "acuérd", "memori", "en cuenta", "presente",
        "nota", "apunt", "apúnt", "anot", "anót", "olvid", "olvíd", "en adelante", "a partir de",
        "desde ahora", "en lo sucesivo", "para el futuro",
    ),
)  # fmt: skip
