"""The shapes of secrets that announce themselves: keys and tokens with a prefix of their provider.

Every pattern is read in linear time: it begins with a literal, each part of it is a class of characters of
which the next part's first character is no member or which nothing follows, and what comes before the
literal is checked last. `hint` is a string without which a text cannot hold the shape.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LEFT = r"(?<![A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of secret, how it is written, and whether a plain word could be written so (`dense` decides)."""

    kind: str
    hint: str
    pattern: re.Pattern[str]
    dense: bool = False


def _shape(kind: str, hint: str, rest: str, *, dense: bool = False) -> Shape:
    # The literal first: a pattern that begins with what must not stand before is tried at every character.
    before = f"(?<![A-Za-z0-9]{re.escape(hint)})"
    return Shape(kind, hint, re.compile(re.escape(hint) + before + rest, re.ASCII), dense)


SHAPES: tuple[Shape, ...] = (
    _shape("anthropic key", "sk-ant-", r"[\w-]{16,}"),
    _shape("openrouter key", "sk-or-", r"[\w-]{16,}"),
    _shape("openai key", "sk-proj-", r"[\w-]{16,}"),
    _shape("openai key", "sk-", r"[\w-]{16,}", dense=True),
    _shape("github token", "github_pat_", r"\w{22,}"),
    *(_shape("github token", f"gh{letter}_", r"\w{30,}") for letter in "pousr"),
    *(
        _shape("gitlab token", f"{name}-", r"[\w.-]{18,}")
        for name in ("glpat", "gldt", "glrt", "glptt", "glcbt", "glft", "glsoat", "glimt", "gloas", "glagent")
    ),
    *(_shape("slack token", f"xox{letter}-", r"[\w.-]{10,}") for letter in "abceoprs"),
    _shape("slack token", "xoxe.xox", r"[bp]-[\w-]{10,}"),
    _shape("slack token", "xapp-", r"\d-[\w-]{16,}"),
    _shape("slack webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/T\w{6,}/[\w/-]{16,}"),
    _shape("discord webhook", "discord.com/api/webhooks/", r"\d{10,}/[\w-]{30,}"),
    *(
        _shape("stripe key", f"{name}_{mode}_", r"[A-Za-z0-9]{12,}")
        for name in ("sk", "rk")
        for mode in ("live", "test")
    ),
    _shape("stripe secret", "whsec_", r"[A-Za-z0-9+/]{24,}={0,2}"),
    _shape("google key", "AIza", r"[\w-]{30,}"),
    _shape("google secret", "GOCSPX-", r"[\w-]{20,}"),
    _shape("google token", "ya29.", r"[\w.-]{30,}"),
    *(
        _shape("aws access key", name, r"[A-Z0-9]{16}(?![A-Za-z0-9])")
        for name in ("AKIA", "ASIA", "ABIA", "ACCA")
    ),
    _shape("hugging face token", "hf_", r"[A-Za-z0-9]{30,}"),
    _shape("hugging face token", "api_org_", r"[A-Za-z0-9]{30,}"),
    _shape("npm token", "npm_", r"[A-Za-z0-9]{30,}"),
    _shape("pypi token", "pypi-", r"[\w-]{50,}"),
    _shape("sendgrid key", "SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    _shape("twilio key", "SK", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("digitalocean token", "dop_v1_", r"[0-9a-f]{40,}"),
    _shape("digitalocean token", "doo_v1_", r"[0-9a-f]{40,}"),
    _shape("databricks token", "dapi", r"[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"),
    *(_shape("shopify token", f"shp{name}_", r"[0-9a-fA-F]{32,}") for name in ("at", "ca", "pa", "ss")),
    _shape("linear key", "lin_api_", r"[A-Za-z0-9]{32,}"),
    _shape("notion token", "ntn_", r"[A-Za-z0-9]{40,}"),
    _shape("notion token", "secret_", r"[A-Za-z0-9]{40,}"),
    _shape("groq key", "gsk_", r"[A-Za-z0-9]{32,}"),
    _shape("xai key", "xai-", r"[A-Za-z0-9]{40,}"),
    _shape("replicate token", "r8_", r"[A-Za-z0-9]{32,}"),
    _shape("perplexity key", "pplx-", r"[A-Za-z0-9]{32,}"),
    _shape("tavily key", "tvly-", r"[\w-]{20,}", dense=True),
    _shape("langsmith key", "lsv2_", r"(?:pt|sk)_[0-9a-f]{24,}\w*"),
    _shape("supabase token", "sbp_", r"[0-9a-f]{32,}"),
    _shape("sentry token", "sntrys_", r"[\w+/=-]{40,}"),
    _shape("postman key", "PMAK-", r"[0-9a-f]{20,}-[0-9a-f]{30,}"),
    _shape("new relic key", "NRAK-", r"[A-Z0-9]{24,}"),
    _shape("mailgun key", "key-", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("figma token", "figd_", r"[\w-]{30,}"),
    _shape("atlassian token", "ATATT3", r"[\w=-]{60,}"),
    _shape("vault token", "hvs.", r"[\w-]{24,}"),
    _shape("grafana token", "glsa_", r"[A-Za-z0-9]{24,}_[0-9a-f]{8}"),
    _shape("rubygems key", "rubygems_", r"[0-9a-f]{40,}"),
    _shape("docker token", "dckr_pat_", r"[\w-]{20,}"),
    _shape("planetscale token", "pscale_", r"(?:tkn|pw|oauth)_[\w.-]{30,}"),
    _shape("age key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
)
"""In order of precedence: where two overlap, the first names what was masked."""

TELEGRAM = re.compile(r":AA[\w-]{32,36}(?![\w-])", re.ASCII)
"""The second half of a bot token; the number of the bot stands before it."""

DISCORD = re.compile(r"\.[\w-]{6}\.[\w-]{27,45}(?![\w-])", re.ASCII)
"""The second and last part of a bot token; the number of the bot stands before them in base64."""

JWT = re.compile(r"eyJ(?<![\w-]eyJ)[\w-]{6,}\.eyJ[\w-]{6,}(?:\.[\w-]*)?", re.ASCII)
"""Header and claims, with or without a signature."""

AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
"""Means a secret only in a text that also holds an access key."""

TWILIO_ACCOUNT = re.compile(_LEFT + r"AC[0-9a-f]{32}(?![A-Za-z0-9])")
TWILIO_SECRET = re.compile(_LEFT + r"[0-9a-f]{32}(?![A-Za-z0-9])")
"""Means a secret only in a text that also holds an account."""

CARD = re.compile(
    r"\d\d{3}(?<![\w.+-]\d{4})(?P<gap>[ -]?)"
    r"(?:\d{4}(?P=gap)\d{4}(?P=gap)\d{4}|\d{6}(?P=gap)\d{4,5})(?![\w-])",
    re.ASCII,
)
"""Card numbers of 14 to 16 digits in their printed groups, or in one piece."""


def is_card(digits: str) -> bool:
    """Whether a string of digits has the prefix and the length of a card and a right check digit (Luhn)."""
    two, four = int(digits[:2]), int(digits[:4])
    known = {
        14: two in (36, 38, 39) or 300 <= int(digits[:3]) <= 305,
        15: two in (34, 37),
        16: digits[0] == "4" or 51 <= two <= 55 or 2221 <= four <= 2720 or two in (62, 64, 65)
        or four == 6011 or 3528 <= four <= 3589,
    }  # fmt: skip
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2]]
    luhn = (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0
    return luhn and known.get(len(digits), False)
