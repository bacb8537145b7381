"""Tables for the comparison of facts: what words and phrases do to a statement, English and Spanish."""

from __future__ import annotations

import re
from typing import Final


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _rewrites(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rf"(?<!\w)(?:{old})(?!\w)", re.IGNORECASE), new) for old, new in pairs)


SUBJECT: Final = re.compile(
    r"\s*(?:(?P<user>(?:the |this |our )?user(?:'s)?|(?:el |la )?usuari[oa])|i'm|i've|i|yo)(?:\s+|"
    r"(?=\s*:))(?:that\s+)?",
    re.IGNORECASE,
)
"""The user as the subject, or as the owner of the subject, at the beginning of a fact."""

REWRITES: Final = _rewrites(
    (r"(?:actually|en realidad)[, ]+(?:my|mi)", "my"), (r"(?:my|mi) (?:new|nuev[oa])", "my"),
    (r"can't|cannot", "can not"), (r"won't", "will not"), (r"(\w+)n't", r"\1 not"), (r"dont", "do not"),
    (r"doesnt", "does not"), (r"(it|that|he|she|there|who)'s", r"\1 is"), (r"(\w+)'re", r"\1 are"),
    (r"(?:do|does) not", "not"), (r"i am", "am"), (r"any more", "anymore"), (r"favorite", "favourite"),
    (r"a (few|little|lot)", r"a_\1"),
)  # fmt: skip

REWRITES_BY_LANGUAGE: Final = {
    "en": _rewrites(
        (r"(?:has|have|suffers? from|with) an? allerg(?:y|ies) to", "allergic to"),
        (r"(?:is|am|are) (?:called|named)|names? (?:is|are)", "name"),
        (r"(?:is|am) (?:employed|working) (?:by|at|for)|works? (?:for|at)", "work at"),
        (r"(?:is|am) (?:based|living) in|resides? in|lives? in", "live in"),
        (r"(?:is|am) (?:a (?:big |huge )?fan of|fond of|into)|enjoys?|likes?", "like"),
        (r"(?:can not stand|detests?|hates?)", "hate"),
        (r"dislikes?", "dislike"),
        (r"loves?|adores?", "love"),
        (r"prefers?", "prefer"),
        (r"comes? from", "from"),
        (r"works? as(?: an?)?|(?:job|profession|occupation) is(?: an?)?", "job"),
        (r"birthday is(?: on)?", "birthday"),
        (r"(?:is|am) (\d{1,3}) years? old|age is (\d{1,3})", r"age \1\2"),
    ),
    "es": _rewrites(
        (r"al", "a el"), (r"del", "de el"),
        (r"(?:tiene|tengo) alergia a|(?:es|soy) alérgic[oa] a", "alérgico a"),
        (r"(?:se llama|me llamo|(?:su|mi) nombre es|nombre es)", "nombre"),
        (r"(?:vivo|vive|resido|reside) en", "vive en"),
        (r"(?:a mí |a él |a ella )?(?:me|le) gustan?", "gusta"),
        (r"(?:a mí |a él |a ella )?(?:me|le) encantan?", "encanta"),
        (r"(?:trabaja|trabajo) (?:de|como)(?: una?)?|(?:profesión|oficio|ocupación) es", "oficio"),
        (r"cumpleaños es(?: el)?", "cumpleaños"),
        (r"(?:tengo|tiene) (\d{1,3}) años|edad es (?:de )?(\d{1,3})(?: años)?", r"edad \1\2"),
    ),
}  # fmt: skip
"""Phrases that mean the same, each turned into one of them."""

FORMS: Final = {
    "am": "is", "are": "is", "i'm": "is", "has": "have", "does": "do", "soy": "es", "tengo": "tiene",
    "estoy": "está", "prefiero": "prefiere", "trabajo": "trabaja", "odio": "odia", "detesto": "odia",
    "detesta": "odia", "uso": "usa", "bebo": "bebe", "tomo": "toma", "como": "como", "juego": "juega",
    "toco": "toca",
    "hablo": "habla", "estudio": "estudia", "quiero": "quiere", "necesito": "necesita", "vivo": "vive",
    "conduzco": "conduce", "viajo": "viaja", "leo": "lee", "mido": "mide", "peso": "pesa",
    "colecciono": "colecciona",
}  # fmt: skip
"""Forms of a word that differ only in who speaks."""

SKIPPED: Final = {"en": _set("the a an is"), "es": _set("el la los las un una es")}
ONE: Final = _set("a an un una")
POSSESSIVE: Final = _set("my mi mis")
USERS: Final = _set("their his her its su sus")
"""Possessives that mean the user's when the user is the subject."""

POSSESSION: Final = "my"
SENTIMENTS: Final = _set("like love hate dislike prefer")
NEGATIONS: Final = _set(
    "not no never none nothing nobody neither nor without cannot hardly barely longer anymore"
    " nunca jamás ni nada nadie ningún ninguna ninguno sin tampoco apenas"
)
STRESS: Final = _set(
    "really very truly strongly deeply definitely absolutely highly muy realmente mucho muchísimo"
    " sinceramente"
)
PRESENT: Final = _set("now currently nowadays presently still ahora actualmente todavía aún")
ALSO: Final = _set(
    "also too both another second additionally sometimes también además otro otra segundo segunda"
)

CONTINUES: Final = _set(
    "with in at on named called name since because for and to over near by as about who which that every"
    " especially particularly including from than rather con en llamado llamada nombre desde porque para y e"
    " cerca que cada sobre especialmente incluido incluida a de antes"
)
"""Words with which a statement can go on and still say what it said before."""

REVERSES: Final = NEGATIONS | _set(
    "until till but except only if unless when instead before after was were former formerly ex maybe"
    " perhaps might"
    " could would used stopped quit unlike almost nearly hasta pero excepto salvo solo sólo si cuando"
    " antes después"
    " era fue quizá quizás casi dejó dejé menos less fewer"
)
"""Words that may turn a statement into another; what goes on with one is not the same and more."""

LIMITS: Final = _set(
    "winter summer spring autumn weekends weekdays weekend during when while part half temporarily invierno"
    " verano primavera otoño durante cuando mientras temporalmente mitad"
)

SPANISH: Final = _set(
    "vive vivo gusta gustan odia odio prefiere prefiero trabaja trabajo tiene tengo bebe bebo toma usa"
    " uso llama"
    " llamo alérgico alérgica favorito favorita años edad nombre teléfono correo cumpleaños ahora"
    " también nunca"
)
"""Words that tell Spanish where a short fact has no function word."""

LIGHT: Final = _set(
    "like love prefer drink eat use have live in work at play drive favourite have gusta encanta"
    " prefiere bebe"
    " toma come usa vive en trabaja tiene conduce juega favorito favorita was era es"
)
"""Words before what a fact is about, when only that is named in a change."""

ONE_AT_A_TIME: Final = _set(
    "drink use prefer drive attend study weigh live work bebe toma usa prefiere conduce estudia pesa"
    " vive trabaja"
)
"""Verbs of which "now" tells that what was before is over."""

OPPOSITES: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("like", "hate"), ("love", "hate"), ("like", "dislike"), ("love", "dislike"), ("gusta", "odia"),
        ("encanta", "odia"),
    )
)  # fmt: skip
"""Verbs of which only one can hold of the same thing."""

_OWN: Final = (
    "name|age|phone|phone number|mobile|mobile number|email|e-mail|email address|address|birthday|time"
    " zone|timezone"
    "|job|profession|job title|employer|boss|manager|nickname|native language|mother tongue"
    "|nombre|edad|teléfono|número de teléfono|móvil|correo|correo electrónico|dirección|cumpleaños|zona"
    " horaria"
    "|oficio|jefe|jefa|apodo|lengua materna"
)
_LONGEST_FIRST: Final = "|".join(sorted(_OWN.split("|"), key=len, reverse=True))
_WAS: Final = (
    r"(?:(?:was|used to be|era|fue) .{1,60}?[,;]? (?:but |and |pero |y )?(?:now|ahora)(?: it is| it's|"
    r" is| es)?"
    r"|(?:now |ahora )?(?:is|are|es|son)(?: now| ahora)?|:)"
)
ATTRIBUTES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<key>(?:my |mi |su )?(?:favou?rite|preferred) [\w' ]{{1,40}}?) {_WAS} (?P<value>.+)",
        rf"(?P<key>(?:mi |su |el |la )?[\w ]{{1,40}}? (?:favorit[oa]|preferid[oa])) {_WAS} (?P<value>.+)",
        rf"(?P<key>(?:[\w']+ ){{0,3}}(?:{_LONGEST_FIRST}))(?:: | {_WAS} | (?:is |es )?(?:now |ahora"
        rf" )?)(?P<value>.+)",
        r"(?:now |currently |ahora )?(?P<key>live|vive) (?:in|en) (?P<value>.+)",
        r"(?:has |have |recently |just |now )*(?P<key>moved|relocated) (?:from .{1,40}? )?to (?P<value>.+)",
        r"(?:se |me )?(?:ha |he )?(?P<key>mudad[oa]|mudó|mudé|trasladó|trasladé) (?:de .{1,40}? )?a"
        r" (?P<value>.+)",
        r"(?:now |currently )?(?P<key>work at) (?P<value>.+)",
        r"(?:has |have |recently |just )*(?P<key>joined) (?P<value>.+)",
        r"(?:has |have |just )*turned (?P<value>\d{1,3})(?P<key>)(?: .*)?",
    )
)  # fmt: skip
"""What has one value at a time: `key` names it, `value` is what it is now."""

KEYS: Final = {
    "vive": "live", "moved": "live", "relocated": "live", "mudado": "live", "mudada": "live", "mudó": "live",
    "mudé": "live", "trasladó": "live", "trasladé": "live", "joined": "work at", "": "age", "e-mail": "email",
    "email address": "email", "correo electrónico": "correo", "phone number": "phone",
    "número de teléfono": "teléfono",
    "timezone": "time zone", "job title": "job",
}  # fmt: skip

VALUE_ENDS: Final = _set(
    "in at on with since because for and from near by as who which that near en con desde porque para y"
    " e cerca que"
    " instead rather"
)
"""Words before which the value itself ends."""

OVER: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:is |am )?no longer (?P<gone>.+)",
        r"(?:is |am )?not (?P<gone>.+?) anymore\b.*",
        r"(?:has |have |recently |just )*(?:stopped|quit|gave up|given up) (?P<gone>.+)",
        r"used to (?P<gone>.+)",
        r"ya no (?P<gone>.+)",
        r"(?:ha |he )?(?:dejó|dejé|dejado) de (?P<gone>.+)",
        r"antes (?P<gone>.+?),? (?:pero |y )?ahora .+",
    )
)
"""Statements that something is over: `gone` is what held before."""

SWITCHED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r".*?\b(?:switched|changed|went|moved|migrated) from (?P<gone>.+?) to .+",
        r".*?\breplaced (?P<gone>.+?) (?:with|by) .+",
        r".*?\btraded (?P<gone>.+?) for .+",
        r".+? (?:instead of|in place of) (?P<gone>.+)",
        r"(?:it |that )?(?:was|used to be) (?P<gone>.+?)[,;]? (?:but |and )?(?:is )?now .+",
        r".*?\b(?:cambió|cambié|pasó|pasé|migró) de (?P<gone>.+?) a .+",
        r".+? (?:en vez de|en lugar de) (?P<gone>.+)",
        r"(?:era|antes era) (?P<gone>.+?)[,;]? (?:pero |y )?ahora .+",
    )
)
"""Statements that one thing took the place of another: `gone` is the other."""
