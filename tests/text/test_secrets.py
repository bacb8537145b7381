"""What is masked and what is left. Keys are put together, so that no scanner takes this file for a leak."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memweave_core.text.secret_shapes import is_card
from memweave_core.text.secrets import mask

A36 = "a1B2c3D4e5F6" * 3
A48 = "a1B2c3D4e5F6" * 4
HEX32 = "0f1e2d3c" * 4
HEX40 = "0f1e2d3c" * 5
AWS_ID = "AK" + "IA" + "Q3EGRZ7XKJ2M5T4W"
AWS_SECRET = "wJalrXUtnFEMI/" + "K7MDENG+bPxRfiCYzq1Lw8aB2c"
JWT = "ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0." + "dBjftJeZ4CVPmB92K27uhbUJU1p1r"
BODY = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"] * 3)
ESCAPED = BODY.replace("\n", "\\n")
BEGIN, END = "-----BEGIN " + "{}PRIVATE KEY-----", "-----END " + "{}PRIVATE KEY-----"

SECRETS = [
    ("openai key", "sk" + "-" + A48),
    ("openai key", "sk" + "-proj-" + A36 + "_" + A36),
    ("openai key", "sk" + "-svcacct-" + A36),
    ("anthropic key", "sk" + "-ant-api03-" + A48 + "-AA"),
    ("openrouter key", "sk" + "-or-v1-" + HEX32 * 2),
    ("aws access key", AWS_ID),
    ("aws access key", "AS" + "IA" + "Q3EGRZ7XKJ2M5T4W"),
    ("github token", "gh" + "p_" + A36),
    ("github token", "gh" + "o_" + A36),
    ("github token", "gh" + "s_" + A36),
    ("github token", "github" + "_pat_" + "11ABCDEFG0" + A48),
    ("gitlab token", "gl" + "pat-" + "x9Y8z7W6v5U4t3S2r1Q0"),
    ("gitlab token", "gl" + "rt-" + "x9Y8z7W6v5U4t3S2r1Q0"),
    ("slack token", "xo" + "xb-" + "123456789012-1234567890123-" + "AbCdEfGhIjKl"),
    ("slack token", "xo" + "xp-" + "123456789012-123456789012-" + HEX32),
    ("slack token", "xa" + "pp-" + "1-A0123456789-1234567890123-" + HEX32),
    ("slack webhook", "https://hooks.slack.com/" + "services/T01234567/B01234567/" + "AbCdEfGh12345678"),
    ("stripe key", "sk" + "_live_" + A36),
    ("stripe key", "rk" + "_live_" + A36),
    ("stripe key", "sk" + "_test_" + A36),
    ("stripe secret", "wh" + "sec_" + A36),
    ("google key", "AI" + "za" + "SyD-a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P"),
    ("google secret", "GOC" + "SPX-" + "a1B2c3D4e5F6g7H8i9J0k1L2"),
    ("google token", "ya" + "29." + "a0AfH6SMB" + A48),
    ("hugging face token", "h" + "f_" + "AbCdEfGhIjKlMnOpQrStUvWxYz12345678"),
    ("npm token", "np" + "m_" + A36),
    ("pypi token", "pyp" + "i-" + "AgEIcHlwaS5vcmc" + A48),
    ("sendgrid key", "S" + "G." + "a1B2c3D4e5F6g7H8i9J0k1" + "." + A36 + "a1B2c3D"),
    ("twilio key", "S" + "K" + HEX32),
    ("telegram token", "123456789:" + "AA" + "HdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"),
    ("discord token", "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + "ZnCjm1XVW7vRze4b7Cq4se7kKWs"),
    ("jwt", JWT),
    ("jwt", JWT.rpartition(".")[0] + "."),
    ("databricks token", "da" + "pi" + HEX32),
    ("digitalocean token", "do" + "p_v1_" + HEX32 * 2),
    ("shopify token", "sh" + "pat_" + HEX32),
    ("groq key", "gs" + "k_" + A48),
    ("langsmith key", "ls" + "v2_pt_" + HEX32 + "_" + "0f1e2d3c4b"),
    ("vault token", "hv" + "s." + A36),
    ("private key", BEGIN.format("") + "\n" + BODY + "\n" + END.format("")),
    ("private key", BEGIN.format("RSA ") + "\nProc-Type: 4,ENCRYPTED\n\n" + BODY + "\n" + END.format("RSA ")),
    ("private key", BEGIN.format("OPENSSH ") + "\\n" + ESCAPED + "\\n" + END.format("OPENSSH ")),
    ("private key", BEGIN.format("EC ") + "\n" + BODY),
    ("card number", "4111 1111" + " 1111 1111"),
    ("card number", "5555-5555" + "-5555-4444"),
    ("card number", "3782 822463" + " 10005"),
    ("card number", "60111111" + "11111117"),
]  # fmt: skip

NAMED = [
    ("password", "password: ", "hunter" + "2x", ""),
    ("password", "DB_PASSWORD=", "s3cr" + "3t!pw", ""),
    ("password", '{"password": "', "p4ss" + "word, x", '"}'),
    ("password", "{'passwd': '", "it is 2 " + "late!", "'}"),
    ("password", '\\"password\\": \\"', "hunter" + "22", '\\"'),
    ("password", 'password: str = "', "hunter" + "22", '"'),
    ("password", "My password is ", "Tr0ub4d" + "or&3", "."),
    ("password", "La contraseña es ", "Gato" + "2024", ", gracias"),
    ("password", "Passwort: ", "Kat" + "ze99!", ""),
    ("password", "mysql --password ", "hunter" + "22", " -e x"),
    ("password", "postgres://bob:", "p4ss" + "x", "@db.example.com/app"),
    ("password", "redis://:", "p@ss" + "w1", "@cache:6379/0"),
    ("password", "https://deploy:", "a:b" + "c1d2", "@host/path"),
    ("token", "https://", "a1b2c3d4" * 5, ":x-oauth-basic@host/x.git"),
    ("key", 'api_key = "', "abcd1234" + "efgh5678", '"'),
    ("key", "apiKey: '", "abcd1234" + "efgh5678", "',"),
    ("key", "X_API-KEY=", HEX32, ""),
    ("key", "client_secret=", "Zx9" + "yW8vU7tS6", "&state=1"),
    ("key", "AccountKey=", "Zx9yW8vU7tS6" + "rQ5pO4==", ";EndpointSuffix=core"),
    ("token", "access_token: ", HEX40, ""),
    ("token", "curl --token ", "Zx9yW8" + "vU7tS6", ""),
    ("token", "https://x.example/cb?token=", "Zx9yW8" + "vU7tS6", "&next=/home"),
    ("bearer token", "Authorization: Bearer ", "Zx9yW8vU" + "7tS6rQ5p", ""),
    ("authorization", '"Authorization": "Basic ', "dXNlcjpwYXNz" + "MQ==", '"'),
    ("api key", "x-api-key: ", "Zx9yW8vU" + "7tS6", ""),
    ("aws secret key", AWS_ID + " ", AWS_SECRET, ""),
    ("password", "curl -u ana:", "S3cr3t" + "pw", " https://x.example"),
    ("password", "curl x; " + "echo hello; " * 1_000 + "curl -u ana:", "S3cr3t" + "pw", ""),
    ("password", "curl https://x.example \\\n  --user 'ana:", "S3cr3t" + "pw", "'"),
    ("pin", "my PIN is ", "48" + "21", "."),
    ("pin", "mi PIN es ", "48" + "21", ""),
    ("pin", "mi pin de la tarjeta es ", "48" + "21", ""),
    ("pin", "PIN: ", "4821" + "77", ""),
    ("pin", "The PIN is: ", "48" + "21", ""),
    ("seed phrase", "my seed phrase is: ", "zoo " * 11 + "wrong", ""),
    ("seed phrase", "Seed phrase: ", "zoo " * 11 + "wrong", ""),
    ("seed phrase", "mi frase de recuperación es ", "zoo " * 11 + "wrong", "."),
    ("twilio token", "A" + "C" + "9" * 32 + " ", HEX32, ""),
]

KEPT = [
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "integrity sha512-" + "z" * 86 + "==",
    "apiKey: import.meta.env.KEY",
    "apiKey: import.meta.env.VITE_API_KEY_2",
    "api_key=settings.openai.key1",
    "password: str",
    "password: str = None",
    "password: string;",
    "def login(user: str, password: str, token: int = 0) -> None:",
    'os.environ["TOKEN"]',
    'token = os.environ["API_TOKEN2"]',
    "token = os.getenv('TOKEN_1')",
    "secret: process.env.SECRET1",
    "api_key: ${API_KEY_1}",
    "password: {{ vault_pw1 }}",
    "password=$DB_PASS1",
    "token=%TOKEN1%",
    "OPENAI_API_KEY=sk-...",
    "api_key = '<your key 1>'",
    "password: xxxxxxxx",
    "password: ********",
    "token: YOUR_TOKEN_123",
    "api_key: your-api-key-1",
    "password: changeme1",
    "ghp_" + "x" * 36,
    "sk-" + "x" * 40,
    "sk-learn-is-a-nice-package-name",
    "class sk-loading-indicator-container-2",
    "password hashing: use argon2id",
    "password: bcrypt",
    "The password is required.",
    "Her password is wrong again, says the secretary: Anna.",
    "the secret: be kind to everyone",
    "no API key in the build",
    "max_tokens=4096, token_count: 1234567",
    "tokens: 12345678",
    "Bearer authentication uses bearer tokens",
    "Authorization: Bearer <token>",
    "postgres://user:password@localhost/db",
    "postgres://user:${PASSWORD}@localhost/db",
    "http://localhost:8080/@scope/package",
    "see https://example.com:443/a@b and mail bob@example.com",
    "ISBN 978-3-16-148410-0",
    "call +44 7700 900123 or +34 612 345 678",
    "order 4111 1111 1111 1112",
    "1699999999999 and 20260321120000",
    "0.4111111111111111",
    "data:image/png;base64," + "iVBORw0KGgo" + "AIza" + "B" * 60 + "=",
    "eyJ is how tokens begin",
    "the PIN pad of the shop",
    "pin 5 of the board, pin 1234 of the chip",
    "the shopping is 2024 euros",
    "docker run -u 1000:1000 image && curl x",
    "curl x && docker run -u 1000:1000 image",
    "curl -u user:password https://x.example",
    "curl -u ana:$TOKEN https://x.example",
    "My seed phrase is something that you should never share with anyone because thieves can steal it",
    "MyVeryLongModuleNameForThis.module.another_long_name_of_a_function",
    BEGIN.format("") + "\n...\n" + END.format(""),
    "-----BEGIN PUBLIC KEY-----\n" + BODY + "\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + BODY + "\n-----END CERTIFICATE-----",
    "AKIA is how access keys begin",
    "a random Zx9yW8vU7tS6rQ5pO4nM3 without a name",
    "GH-1234, JIRA-99, v1.2.3-rc.4+build.5",
    "Ich mag Tee. Me gusta el té. お茶が好きです。",
    "",
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS, ids=[f"{n}-{k}" for n, (k, _) in enumerate(SECRETS)])
def test_a_secret_with_a_shape_of_its_own_is_masked_anywhere(kind: str, secret: str) -> None:
    """A key of a known shape is replaced by its kind within prose, quotes and at the ends of the text."""
    for before, after in (("", ""), ("use ", " for it."), ('x = "', '",'), ("(", ")"), ("线", "线")):
        masked = mask(before + secret + after)
        assert masked.found == (kind,)
        assert masked.text.endswith(f"[secret: {kind}]{after}")
        assert secret[-12:] not in masked.text


@pytest.mark.parametrize(("kind", "before", "secret", "after"), NAMED)
def test_a_secret_is_known_by_what_stands_before_it(kind: str, before: str, secret: str, after: str) -> None:
    """A value that a name, a header, an option or an address makes a secret is masked, and nothing else."""
    masked = mask(f"{before}{secret}{after}")
    assert masked.text.endswith(f"[secret: {kind}]{after}")
    assert masked.found[-1] == kind


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_secret_stays(text: str) -> None:
    """Hashes, ids, placeholders, references, types, numbers and prose come back as they were."""
    assert mask(text).text == text
    assert mask(text).found == ()


def test_kinds_come_in_the_order_of_the_text() -> None:
    """Each secret is named once, first the one that stands first."""
    token, card = "gh" + "p_" + A36, "4111 1111" + " 1111 1111"
    assert mask(f"{card}, {token}, {card}").found == ("card number", "github token", "card number")


def test_the_more_telling_rule_names_an_overlap() -> None:
    """A token in an assignment is named after its provider."""
    assert mask("token: " + "gh" + "p_" + A36).text == "token: [secret: github token]"
    assert mask("Authorization: Bearer " + JWT).found == ("jwt",)


def test_an_unfinished_private_key_takes_its_lines_and_no_prose() -> None:
    """Without its last line a key is masked as far as its lines go."""
    text = BEGIN.format("RSA ") + "\n" + BODY + "\nIs that the right one?"
    assert mask(text).text == "[secret: private key]\nIs that the right one?"


def test_a_secret_key_of_aws_means_nothing_alone() -> None:
    """Forty characters are a secret key only in a text with an access key, also one already masked."""
    assert mask(AWS_SECRET).found == ()
    assert mask(f"[secret: aws access key] {AWS_SECRET}").found == ("aws secret key",)


def test_two_private_keys_are_two() -> None:
    """What stands between two keys stays."""
    key = BEGIN.format("") + "\n" + BODY + "\n" + END.format("")
    assert mask(f"{key}\nand\n{key}").text == "[secret: private key]\nand\n[secret: private key]"


@pytest.mark.parametrize(
    ("digits", "right"), [("4242" * 4, True), ("4242" * 3 + "4243", False), ("9" * 16, False)]
)
def test_cards_have_a_prefix_and_a_check_digit(digits: str, right: bool) -> None:
    """A number is a card only with a known prefix, a known length and a right last digit."""
    assert is_card(digits) is right


PIECES = st.sampled_from(
    [secret for _, secret in SECRETS]
    + ["".join(row[1:]) for row in NAMED]
    + KEPT
    + list(" \n\t.:=/@\"'-_aZ0[]")
    + ["password", "secret", "token: ", "://u:", "-----BEGIN ", "\\n", "[secret: "]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES | st.text(max_size=6), max_size=8).map("".join))
def test_masking_twice_changes_nothing(text: str) -> None:
    """What is masked holds no more secrets."""
    once = mask(text).text
    assert mask(once).text == once


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet="abc .,\n", max_size=40),
    st.sampled_from(SECRETS),
    st.text(alphabet="xyz .\n", max_size=40),
)
def test_no_secret_survives_its_surroundings(before: str, row: tuple[str, str], after: str) -> None:
    """Whatever words stand around it, the secret itself is gone."""
    assert row[1] not in mask(f"{before} {row[1]} {after}").text


HOSTILE = [
    "password: ",
    "eyJ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN A ",
    "a://b:",
    "1234 ",
    "sk-",
    ":AA",
    '"token": "',
    "AKIA",
    "hvs.a.b",
    "Bearer ",
    "secret is ",
    "data:a;b;",
    ";base64,data:a",
    "Proc-Type:",
    "\\",
    "'",
    "4111-",
    "token=\\",
    "password: '\\",
    "://",
    "AC0",
    "x",
    "0",
    "[secret: ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_hostile_texts_are_read_in_linear_time(piece: str) -> None:
    """Two hundred thousand characters of the beginnings of secrets end within the time limit of a test."""
    text = piece * (200_000 // len(piece))
    assert len(mask(text).text) <= 2 * len(text)


def test_secrets_beside_data_addresses_are_masked_in_place() -> None:
    """Megabytes of base64 are passed over, and what stands before and after them is masked all the same."""
    data, key = "data:image/png;base64," + "AIzaSKey" * 5_000 + "==", "gh" + "p_" + A36
    text = f"{key} {data} my PIN is 4821 ({data}){key}"
    mark = "[secret: github token]"
    assert mask(text).text == f"{mark} {data} my PIN is [secret: pin] ({data}){mark}"


def test_keywords_are_found_across_pieces() -> None:
    """In a text full of keywords a secret is found wherever it stands."""
    for gap in range(0, 40, 3):
        text = "token " * 10_900 + "x" * gap + f" api_key={HEX32} " + "secret " * 20_000
        assert mask(text).found == ("key",)
