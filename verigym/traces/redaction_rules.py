r"""The built-in redaction rules: patterns of secrets and personal data. `redaction.py` applies them.

The patterns leave dates, times, amounts, ids and version numbers alone. If the pattern alone is not enough, a rule also
checks a checksum (cards, IBAN) or the keyword before the value (passwords, local phone numbers). No pattern backtracks
without end: it can match a run of letters only from its first letter.
"""

import ipaddress
import re
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct


class RedactionRule(Struct, frozen=True, kw_only=True):
    name: str
    """`email` replaces values with `[EMAIL 1]`."""
    about: str
    """What it finds, for people."""
    pattern: Any
    """Compiled. The group `secret` is redacted, or the whole match if the pattern has no such group."""
    hints: tuple[str, ...] = ()
    """The rule applies only if the text's `shape` contains one of these. Empty for any text."""
    needs: Any = None
    """The rule applies only if this compiled pattern matches in the shape."""
    accept: Callable[[str], str] | None = None
    """Returns the part of a match, from its start, that is a value. Empty to reject the match."""
    by_keyword: bool = False
    """A keyword identifies the value. Once found, the value is redacted everywhere in the trajectory."""
    loose: bool = False
    """Values that differ only in spaces, dots and dashes are the same: `+44 20 7946 0958` is `+442079460958`."""


_DIGITS = {ord(digit): "0" for digit in "123456789"}


def shape(text: str) -> str:
    """The text in lower case with every digit replaced by 0. Searching it for hints is faster than running the rule."""
    return text.lower().translate(_DIGITS)


# -- checks --------------------------------------------------------------------------------------------------------------


def _luhn(text: str) -> str:
    digits = [int(letter) for letter in text if letter.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return text if (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 else ""


_IBAN_LENGTHS = {
    each[:2]: int(each[2:])
    for each in (  # noqa: SIM905
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 "
        "FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 "
        "LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 "
        "RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
    ).split()
}


def _iban(text: str) -> str:
    """Checks the length for the country and the checksum (remainder 1 modulo 97)."""
    length, taken = _IBAN_LENGTHS.get(text[:2], 0), ""
    for index, letter in enumerate(text):
        taken += letter if letter != " " else ""
        if len(taken) == length:
            number = "".join(str(int(letter, 36)) for letter in taken[4:] + taken[:4])
            return text[: index + 1] if int(number) % 97 == 1 else ""
    return ""


def _address(text: str) -> str:
    """Accepts public internet addresses. Private ones identify no person, and `3.2.1.4` may be a chapter number."""
    bare = text.rstrip(":.")
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return ""
    section = address.version == 4 and all(len(part) == 1 for part in bare.split("."))
    return bare if address.is_global and not section else ""


def _phone(text: str) -> str:
    bare = text.rstrip(" .-(")
    return bare if 7 <= sum(letter.isdigit() for letter in bare) <= 15 else ""


_NOT_SECRET = re.compile(
    r"(?i)(?:none|null|nil|true|false|undefined|required|optional|string|str|text|empty|unset|missing|invalid|incorrect|wrong|"
    r"\W*|[*x•.]+|(?:your|my|the)[-_ ].*|.*[$<{(\[%].*)"
)


def is_secret(text: str) -> bool:
    """Whether the value of a key such as `password` is a secret, not a stand-in (`none`, `${PASSWORD}`, `****`)."""
    return _NOT_SECRET.fullmatch(text) is None


def _value(text: str) -> str:
    return text if is_secret(text) else ""


def is_odd(text: str) -> bool:
    """Whether the text differs from an ordinary word: it contains a digit or a sign."""
    return len(text) >= 6 and any(not letter.isalpha() for letter in text)


def _odd_value(text: str) -> str:
    """Ordinary words also follow `password is` and `password:`, so this accepts only odd values."""
    bare = text.rstrip(".,;:!?")
    return bare if is_odd(bare) and "://" not in bare and is_secret(bare) else ""


def literal(name: str, values: Iterable[str]) -> RedactionRule:
    """The rule that finds only these values."""
    words = "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True))
    return RedactionRule(
        name=name,
        about="values known from elsewhere in the trajectory",
        pattern=re.compile(rf"(?<!\w)(?:{words})(?!\w)"),
    )


# -- the rules -----------------------------------------------------------------------------------------------------------

_SECRET_NAME = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|api[_ -]?key|(?:access|auth|account|private|signing|encryption|master|"
    r"subscription)[_-]?key|(?:access|auth|refresh|session|id|api|bot|csrf|security)[_-]?token)"
)
_NAMED = rf"(?i){_SECRET_NAME}(?:[_-](?:value|\d{{1,3}}))?"
SECRET_KEY = re.compile(
    rf"(?i)(?:[\w.-]{{0,80}}?[_.-])?{_SECRET_NAME}(?:[_-](?:value|\d{{1,3}}))?|authorization|clientsecret"
)
"""Keys of an object whose value is a secret, whatever it looks like."""
SECRET_HINTS = ("passw", "passphrase", "passcode", "pwd", "secret", "key", "token", "authorization")
"""One of these is in every key that `SECRET_KEY` matches."""

_KEY_SHAPES = (
    r"sk-(?:[a-z]{2,12}-)?[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,}|glpat-[\w-]{20,}|"
    r"(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])|AIza[\w-]{35}|ya29\.[\w-]{20,}|"
    r"xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|[srp]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,}|"
    r"hf_[A-Za-z0-9]{30,}|nvapi-[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|npm_[A-Za-z0-9]{36}|pypi-[\w-]{16,}|gsk_[A-Za-z0-9]{30,}|"
    r"xai-[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|dapi[0-9a-f]{32}|do[opr]_v1_[0-9a-f]{40,}|shp(?:at|ca|pa|ss)_[0-9a-f]{32}|"
    r"lin_api_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|hvs\.[\w-]{24,}|\d{8,10}:AA[\w-]{33}"
)
_KEY_HINTS = tuple(
    (  # noqa: SIM905
        "sk- ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- akia asia aroa aida abia acca aiza ya00. xox xapp- k_live_ k_test_ "
        "whsec_ hf_ nvapi- sg. npm_ pypi- gsk_ xai- pplx- r0_ dapi _v0_ shpat_ shpca_ shppa_ shpss_ lin_api_ ntn_ hvs. 0:aa"
    ).split()
)

_CARDS = (
    r"4\d{3}(?:([ -]?)\d{4}\1\d{4}\1\d{4}|\d{9}|\d{15})|"
    r"(?:5[1-5]\d\d|2[2-7]\d\d|6011|65\d\d|64[4-9]\d|35\d\d)([ -]?)\d{4}\2\d{4}\2\d{4}|"
    r"3[47]\d\d([ -]?)\d{6}\3\d{5}|3(?:0[0-5]|[68]\d)\d([ -]?)\d{6}\4\d{4}|62\d\d([ -]?)\d{4}\5\d{4}\5\d{4}(?:\5\d{3})?"
)
_LONG_NUMBER = ("00000000", "0000 0000", "0000-0000", "0000 00000", "0000-00000")
_PHONE_WORDS = ("tel", "phone", "mobile", "cell", "fax", "whatsapp", "call me", "reach me")
_PHONES = (
    r"(?<![\w+])\+\d(?:[ ./()-]{0,2}\d){6,14}|"  # with its country
    r"(?<![\w+(./-])(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[.-])[2-9]\d\d[ .-]\d{4}|"  # North America
    rf"(?i:(?<![A-Za-z])(?:{'|'.join(_PHONE_WORDS)}|telephone|cellphone)"
    r"(?:[\"'\s:.#]|number|no\b|at|on|is){1,6})"
    r"(?P<secret>\(?\d(?:[ ./()-]{0,2}\d){6,14})"
)

BUILT_IN = [
    RedactionRule(
        name="private_key",
        about="private keys in PEM or PGP armour",
        pattern=re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)[\s\S])*"
            r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
        hints=("private key",),
    ),
    RedactionRule(
        name="url_password",
        about="the password in scheme://user:password@host",
        pattern=re.compile(r"://[^\s/:@\"'<>]{0,128}:(?P<secret>[^\s/@\"'<>]{1,256})@"),
        hints=("://",),
        accept=_value,
        by_keyword=True,
    ),
    RedactionRule(
        name="jwt",
        about="JSON web tokens",
        pattern=re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}"),
        hints=("eyj",),
    ),
    RedactionRule(
        name="api_key",
        about="API keys with a known prefix: OpenAI, Anthropic, GitHub, GitLab, AWS, Google, Slack, Stripe, Hugging Face, "
        "NVIDIA, SendGrid, npm, PyPI, Groq, xAI, Perplexity, Replicate, Databricks, DigitalOcean, Shopify, Linear, Notion, "
        "Vault, Telegram",
        pattern=re.compile(rf"(?<![A-Za-z0-9_-])(?:{_KEY_SHAPES})"),
        hints=_KEY_HINTS,
    ),
    RedactionRule(
        name="bearer",
        about="credentials after Bearer or Authorization: Basic",
        pattern=re.compile(
            r"(?i)(?<![a-z])(?:bearer|authorization[\"'\\]{0,3} ?[:=] ?[\"'\\]{0,3}(?:basic|token|digest)) {1,3}"
            r"(?P<secret>[A-Za-z0-9._~+/-]{16,}={0,2})"
        ),
        hints=("bearer", "authorization"),
        by_keyword=True,
    ),
    RedactionRule(
        name="password",
        about="values of password, passwd, pwd, secret, api_key, access_token, client_secret and similar names, after =, : or is",
        pattern=re.compile(
            rf"{_NAMED}[\"'\\]{{0,3}}\s{{0,3}}(?:=>|:=|=|:)\s{{0,3}}\\?([\"'])(?P<secret>(?:(?!\1)[^\\\n]){{1,512}})"
        ),
        hints=SECRET_HINTS,
        accept=_value,
        by_keyword=True,
    ),
    RedactionRule(
        name="password",
        about="the same without quotes",
        pattern=re.compile(rf"{_NAMED}[\"'\\]{{0,3}} ?(?:=>|:=|=)\s{{0,3}}(?P<secret>[^\s\"'`,;&|<>\\]{{4,512}})"),
        hints=SECRET_HINTS,
        accept=_value,
        by_keyword=True,
    ),
    RedactionRule(
        name="password",
        about="the same in a sentence",
        pattern=re.compile(rf"{_NAMED} ?(?::| is)\s{{1,3}}(?P<secret>[^\s\"'`,;&|<>\\]{{6,512}})"),
        hints=SECRET_HINTS,
        accept=_odd_value,
        by_keyword=True,
    ),
    RedactionRule(
        name="email",
        about="e-mail addresses",
        pattern=re.compile(
            r"(?<![\w.+%-])[\w.+%-]{1,64}(?:'[\w.+%-]{1,64})?@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w-])"
        ),
        hints=("@",),
    ),
    RedactionRule(
        name="iban",
        about="international bank account numbers with a valid length and checksum",
        pattern=re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}"),
        hints=_LONG_NUMBER,
        accept=_iban,
        loose=True,
    ),
    RedactionRule(
        name="card",
        about="payment card numbers of common issuers with a valid checksum (Luhn)",
        pattern=re.compile(rf"(?<![\w.+-])(?:{_CARDS})(?![\w-]|\.\d)"),
        hints=_LONG_NUMBER,
        accept=_luhn,
        loose=True,
    ),
    RedactionRule(
        name="ssn",
        about="US social security numbers, as 123-45-6789",
        pattern=re.compile(r"(?<![\w.+-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-]|\.\d)"),
        hints=("000-00-0000",),
    ),
    RedactionRule(
        name="phone",
        about="phone numbers: +49 30 1234567, (415) 555-0132, 415-555-0132, and others after a word such as phone or tel",
        pattern=re.compile(rf"(?:{_PHONES})(?![\w-]|\.\d)"),
        hints=("+0", "000-0000", "000.0000", "000 0000", *_PHONE_WORDS),
        accept=_phone,
        loose=True,
    ),
    RedactionRule(
        name="ip",
        about="public internet addresses, IPv4 and IPv6",
        pattern=re.compile(
            r"(?<![\w.:-])(?:(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)|(?=[0-9a-fA-F]*:[0-9a-fA-F:]*:)[0-9a-fA-F:]{6,39}(?![\w]))"
        ),
        hints=("0.0", ":"),
        needs=re.compile(r"[.:][0a-f]{0,4}[.:][0a-f:]"),
        accept=_address,
    ),
]
"""In the order in which they are tried. A rule does not see what an earlier one matched."""
