"""The tables behind the filters of extraction: words and phrases, English and Spanish."""

from __future__ import annotations

import re

_TAGS = (
    "system[-_ ]?(?:reminder|prompt|message)?", "(?:user|custom|project|developer)?[-_]?instructions",
    "environment[-_](?:context|details)", "(?:[a-z]+[-_])*memor(?:y|ies)(?:[-_](?:context|block))?",
    "(?:available[-_])?skills", "(?:available[-_])?tools", "local-command-stdout", "command[-_](?:output|"
    "name)",
    "function[-_]results", "tool[-_](?:results?|outputs?|calls?)", "file[-_]?contents?", "persona",
)  # fmt: skip
BLOCK_TAG = re.compile(rf"<({'|'.join(_TAGS)})(?:\s[^<>\n]{{0,200}})?>", re.I)

FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
TEMPLATE_TOKEN = re.compile(r"<\||\[/?INST\]|<</?SYS>>")
TRACEBACK = re.compile(r"^[ \t]*Traceback \(most recent call last\)|^[ \t]+at [\w.$<>]+\(.*\)[ \t]*$", re.M)
MACHINE_LINE = re.compile(
    r"^\s*(?:File \"|at \S+\(|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:INFO|WARN|WARNING|"
    r"ERROR|"
    r"DEBUG|TRACE|FATAL)\b|[{}\[\]<>|+@$/\\=]|\S+:\d+(?::|\s)|[-dlrwxs]{10}[ .+@]|\d+[ \t]*[|:]|"
    r"(?:def|class|import|from|return|const|let|var|function|public|private|#include|SELECT|INSERT)\b)"
    r"|[;{},]\s*$|^\s*[\w.\"'-]+\s?[=:]\s?\S+$"
)

_FILES = (
    r"(?:AGENTS|CLAUDE|GEMINI|SOUL|IDENTITY|TOOLS|HEARTBEAT|BOOTSTRAP|MEMORY|USER|SKILL|CONVENTIONS|"
    r"copilot-instructions)\.(?:local\.)?md|\.(?:cursor|windsurf|cline)rules"
)
BOOT_FILE = re.compile(
    rf"[\s#=>*\-`\"'\[(]*(?:(?:file|path|source|contents?|begin|from|the|of|project|context)\b[:\s]*){{0,4}}"
    rf"[\s`\"'*]*(?:[~.\w-]*/)*(?:{_FILES})[`\"'*\])]*"
    r"(?:\s*\(.*\)|\s+(?:instructions|rules|file|for|-|–|—).*)?[\s:=*-]*$",
    re.I,
)
PERSONA = re.compile(
    r"[\s#>*\"]*(?:you are|you're|act as|your (?:role|task|job) is|eres|actúa como|tu (?:rol|tarea) es)\b"
    r".{0,120}\b(?:assistant|agent|ai|model|bot|chatbot|expert|engineer|asistente|agente|modelo|experto)\b",
    re.I,
)

SMALL_TALK = frozenset(
    """
    a again ah aha alright all and appreciate awesome bye cheers cool day do done evening everything excellent
    fine for good goodbye got great ha haha hahaha hello help hey hi how i is it job k later lol makes morning
    much nice night no nope now ok okay okey perfect please really right see sense so sorry sounds sure thank
    thanks that thats the then there thing this to today tomorrow u understood very welcome well what whats
    wonderful wow yeah yep yes you your youre
    adiós adios acuerdo bien bueno buen buenas buenos chao claro como cómo de días dias día estás estas
    excelente favor genial gracias hasta hola jaja jajaja listo luego mañana más mas muchas mucho muy noches
    nos ok perdón perfecto por pronto qué que sí si tal tardes todo vale va vemos ya
    """.split()  # noqa: SIM905  a table of words reads best as text
)

INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|all|"
    r"any|"
    r"your|the|these|those)\b.{0,20}\b(?:instructions?|prompts?|rules|messages?|guidelines|safety|"
    r"restrictions)\b"
    r"|\b(?:ignora|olvida|omite)\b.{0,30}\b(?:instrucciones|reglas|mensajes)\b"
    r"|(?:^|\n)\s*(?:system|assistant|developer|sistema|tool)\s*:|< ?\||\[ ?/?INST\]|<</?SYS>>|</?system"
    r"|\bsystem prompt\b|\byou are now\b|\bnew instructions?\b|\bjailbr[eo]ak\w*"
    r"|\b(?:do not|don't|never) (?:tell|reveal|inform|mention (?:this|it) to) the user\b",
    re.I,
)

REFUSAL = re.compile(
    r"(?:(?:i(?:'|’)m|i am|we(?:'|’)re) (?:very |really |so )?(?:sorry|afraid|unable|not able)\b"
    r"|sorry,? (?:but )?i\b|i apologi[sz]e\b|(?:unfortunately,? )?i (?:cannot|can(?:'|’)?t|can not|won(?:'|"
    r"’)?t|"
    r"could not|couldn(?:'|’)?t) (?:help|assist|comply|fulfil|provide|extract|do (?:that|this)|continue|"
    r"share|"
    r"process|access|discuss|generate|create|answer|engage|find|identify|store|remember)"
    r"|(?:unfortunately|sorry|however),? (?:as|i)\b|as an? (?:ai|artificial|large|language model|assistant)\b"
    r"|i(?:'|’)m (?:just )?an? (?:ai|language model)|lo siento\b|lo lamento\b"
    r"|no puedo (?:ayudar|cumplir|hacer|proporcionar|extraer|responder|continuar|compartir)|como (?:una? "
    r")?(?:ia|"
    r"modelo de lenguaje|asistente|inteligencia artificial)\b)",
    re.I,
)

_USER = r"(?:the |this )?(?:user|human|person|customer|speaker)(?:'s)?"
_USUARIO = r"(?:el |la )?(?:usuari[oa]|persona)"
NOT_FACTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (REFUSAL, "a refusal"),
    (re.compile(r"\bas an ai\b|\bas a (?:large )?language model\b", re.I), "a refusal"),
    (
        re.compile(
            rf"^{_USER} (?:has |have |just |then |also |is |was |briefly |simply )*(?:ask(?:s|ed|ing)? "
            rf"(?:me |the "
            r"assistant |us )?(?:about|for (?:a|an|the|help|information|advice|assistance|clarification|"
            r"more)\b|how|"
            r"what|why|whether|if|when|where|who|which|a question|another)|inquir\w+|greet\w*|thank\w*|said "
            r"(?:hi|"
            r"hello|hey|thanks|thank|ok|okay|goodbye|bye|yes|no)\b|want(?:s|ed)? to know|acknowledg\w+|"
            r"(?:sent|pasted|posted|uploaded|attached|provided|submitted|gave|shared) (?:me )?(?:a|an|the|"
            r"some|his|her|"
            r"their|this|no)\b|(?:reply|replied|replies|respond\w*) |request(?:s|ed)? (?:a|an|the|help|"
            r"information|"
            r"assistance|clarification)\b|did not\b|didn(?:'|’)t (?:share|provide|mention|give)|interact\w*|"
            r"start\w* (?:a|the) (?:conversation|chat))",
            re.I,
        ),
        "about the conversation",
    ),
    (
        re.compile(
            rf"^{_USUARIO} (?:ha |me |le |nos )*(?:pregunt\w+|salud\w+|agradec\w+|dijo (?:hola|gracias|"
            rf"adiós)|"
            r"quiere saber|respond\w+|solicit\w+ (?:ayuda|información|un|una)|pidió (?:ayuda|información|un|"
            r"una)|"
            r"comparti(?:ó|do) (?:un|una|el|la)|envi(?:ó|ado))",
            re.I,
        ),
        "about the conversation",
    ),
    (
        re.compile(
            r"^(?:this|the|current|our|esta|la) (?:current |previous |whole )?(?:conversation|chat|session|"
            r"discussion|"
            r"message|transcript|dialogue|exchange|context|prompt|conversación|sesión|mensaje)\b"
            r"|^(?:there (?:is|are|was|were) )?no (?:new |other |durable |relevant |personal |memorable |"
            r"additional |"
            r"specific |significant )*(?:facts?|information|memor(?:y|ies)|details?|preferences?|data)\b"
            r"|^no hay (?:hechos|información|datos)|^(?:here (?:is|are)|below are|the following|extracted "
            r"facts)\b"
            r"|^nothing\b.{0,40}\b(?:remember|store|note|extract|worth)",
            re.I,
        ),
        "about the conversation",
    ),
    (
        re.compile(
            r"^(?:the |this |your |an? )?(?:ai |virtual )?(?:assistant|chatbot|bot|language model|llm|model|"
            r"agent|ai|"
            r"asistente|el asistente|el modelo)\b(?! (?:should|must|needs? to|is to|has to|shall|debe|tiene "
            r"que))"
            r"(?:'s)? |^i (?:am|can|will|was) (?:an? )?(?:ai|assistant|language|help|assist|happy to)\b"
            r"|^(?:my|mi) (?:name is|knowledge cutoff|training)\b.{0,40}\b(?:claude|chatgpt|gpt|gemini|"
            r"assistant)\b",
            re.I,
        ),
        "about the assistant",
    ),
    (
        re.compile(
            r"^\s*(?:\$|>>>|sudo |git |pip |npm |cd |ls |curl |docker |kubectl )\S?|status: \w+ [-–] "
            r"confidence"
            r"|\bconfidence: ?0?\.\d+|^#{1,6}\s|^\s*\{|^<\w+|\btraceback\b.*\bcall\b",
            re.I,
        ),
        "output of a program",
    ),
)
"""Statements that are no facts about a person, with the reason that is counted."""
