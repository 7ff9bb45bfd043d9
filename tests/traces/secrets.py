"""Texts with a secret or personal data each: what redaction must remove. All values are made up.

Long values are put together here, so that tools which look for leaked keys do not report this file.
"""

import random
import string

_random = random.Random(7)
_ALNUM, _HEX, _UPPER = string.ascii_letters + string.digits, "0123456789abcdef", string.ascii_uppercase + string.digits


def _made(letters: str, count: int) -> str:
    return "".join(_random.choice(letters) for _ in range(count))


def alnum(count: int) -> str:
    """Letters and digits, with at least one of each."""
    return "a1" + _made(_ALNUM, count - 2)


def hexes(count: int) -> str:
    return "1f" + _made(_HEX, count - 2)


def upper(count: int) -> str:
    return _made(_UPPER, count)


ODD_PASSWORDS = [
    "Pa$$w0rd",
    "hunter<2>",
    "{brace}9",
    "(paren)8",
    "[bracket]7",
    "100%sure",
    "my-dog-has-9-fleas",
    "your_mother_42",
    "the_quick_fox7",
    "a&b=c;d",
    "semi;colon1",
    "pipe|line2",
    "comma,separated3",
    "back\\slash4",
    "tick`tock5",
    "!@#$%^&*",
    "qu'ote6",
    "ünïcödé7",
    "密码-password8",
    "$ecret123",
    "#hash-tag9",
    "a(b)c[d]{e}",
    "%40percent",
    "x.y:z/w@v1",
]
"""Passwords with letters that mean something else in a template, a shell or an address."""


def _passwords() -> list[tuple[str, str]]:
    """Each odd password under a key of JSON, quoted, in a settings file, in a sentence, and in an address where it can stand."""
    texts: list[tuple[str, str]] = []
    for secret in ODD_PASSWORDS:
        escaped = secret.replace("\\", "\\\\")
        texts.append((f'{{"user": "bob", "password": "{escaped}"}}', escaped))
        texts.append((f'db.connect(user="bob", password="{escaped}")', escaped))
        texts.append((f"# settings\nDB_PASSWORD={secret}\nDB_PORT=5432", secret))
        if not set(secret) & set("`'"):
            texts.append((f"mysql://root:{secret}@db.internal:3306/shop", secret))
    return texts


_WEBHOOK = "hooks.slack" + ".com/services/"
_JWT = "eyJhbGciOiJIUzI1NiJ9." + alnum(40) + "." + alnum(43)
_KEYS = [
    "sk-" + alnum(48),
    "sk-proj-" + alnum(60),
    "sk-ant-api03-" + alnum(80),
    "ghp_" + alnum(36),
    "gho_" + alnum(36),
    "github_pat_" + alnum(60),
    "glpat-" + alnum(20),
    "glrt-" + alnum(20),
    "AKIA" + upper(16),
    "ASIA" + upper(16),
    "AIza" + alnum(35),
    "ya29." + alnum(60),
    "GOCSPX-" + alnum(28),
    "xoxb-" + "123456789012-" + alnum(24),
    "xoxp-" + "123456789012-" + alnum(24),
    "xapp-1-" + alnum(24),
    "sk_live_" + alnum(24),
    "rk_live_" + alnum(24),
    "pk_test_" + alnum(24),
    "whsec_" + alnum(32),
    "hf_" + alnum(34),
    "nvapi-" + alnum(60),
    "SG." + alnum(22) + "." + alnum(43),
    "npm_" + alnum(36),
    "pypi-" + alnum(60),
    "gsk_" + alnum(52),
    "xai-" + alnum(60),
    "pplx-" + alnum(48),
    "r8_" + alnum(37),
    "dapi" + hexes(32),
    "dop_v1_" + hexes(64),
    "shpat_" + hexes(32),
    "lin_api_" + alnum(40),
    "ntn_" + alnum(43),
    "hvs." + alnum(40),
    "1234567890:AA" + alnum(33),
    "AC" + hexes(32),
    "SK" + hexes(32),
    "key-" + hexes(32),
    hexes(32) + "-" + hexes(8) + "-" + hexes(8),
    hexes(32) + "-us12",
    "ATATT3" + alnum(80),
    "ATBB" + alnum(32),
    "sq0atp-" + alnum(22),
    "M" + alnum(23) + "." + alnum(6) + "." + alnum(27),
    "AKC" + alnum(60),
    "figd_" + alnum(40),
    "glsa_" + alnum(32),
    "sntrys_" + alnum(60),
    "NRAK-" + upper(27),
    "PMAK-" + hexes(24) + "-" + hexes(34),
    "dp.pt." + alnum(43),
    "pscale_tkn_" + alnum(43),
    "rubygems_" + hexes(48),
    alnum(14) + ".atlasv1." + alnum(60),
    "pat" + alnum(14) + "." + hexes(64),
    "sbp_" + hexes(40),
    "LTAI" + alnum(20),
    "AGE-SECRET-KEY-1" + upper(58),
    "lsv2_pt_" + hexes(32) + "_" + hexes(10),
    "pcsk_" + alnum(60),
    "tvly-" + alnum(32),
    _JWT,
]
_NAMED = [
    ("DB_PASS={}", "hunter2x"),
    ("export GITHUB_TOKEN={}", alnum(24)),
    ('{{"token": "{}"}}', alnum(24)),
    ('{{"pass": "{}"}}', "hunter2"),
    ('{{"dbPassword": "{}"}}', "tuesday"),
    ('{{"SecretAccessKey": "{}"}}', alnum(40)),
    ('{{"aws": {{"secretAccessKey": "{}"}}}}', alnum(40)),
    ('{{"clientSecret": "{}"}}', "abcdef"),
    ('{{"userPasswd": "{}"}}', "x y z"),
    ('{{"refreshToken": "{}"}}', alnum(12)),
    ('{{"passwords": ["{}", null]}}', "hunter2"),
    ('{{"credentials": "{}"}}', "bob:hunter2"),
    ('{{"Authorization": "{}"}}', "Token abc"),
    ('{{"headers": {{"Cookie": "{}"}}}}', "sid=" + alnum(20)),
    ('{{"password": {}}}', "12345678"),
    ("aws_secret_access_key = {}", alnum(40)),
    ("AWS_SECRET_ACCESS_KEY: '{}'", alnum(40)),
    ('secretKey: "{}"', "correct horse"),
    ("Cookie: session={}; theme=dark", alnum(20)),
    ("Set-Cookie: sid={}; Path=/; HttpOnly", alnum(20)),
    ("GET /reset?token={}&lang=en", alnum(20)),
    ("https://api.example.com/v1?api_key={}", alnum(20)),
    ("https://example.com/cb?code=1&access_token={}", alnum(20)),
    ("https://x.blob.core.windows.net/c/b?sv=2024-01-01&se=2026-01-01&sig={}", alnum(43) + "%3D"),
    ("https://b.s3.amazonaws.com/k?X-Amz-Signature={}", hexes(64)),
    ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=core", alnum(86) + "=="),
    ("Server=db;User Id=sa;Password={};Encrypt=yes", "P4ss!w0rd"),
    ("https://" + _WEBHOOK + "{}", "T" + upper(8) + "/B" + upper(8) + "/" + alnum(24)),
    ("https://discord.com/api/webhooks/123456789012345678/{}", alnum(68)),
    ("https://discordapp.com/api/v10/webhooks/123456789012345678/{}", alnum(68)),
    ("https://acme.webhook.office.com/webhookb2/{}", hexes(32) + "/IncomingWebhook/" + hexes(32)),
    ("Authorization: Bearer {}", alnum(30)),
    ("authorization: Basic {}", alnum(24) + "="),
    ("Authorization: ApiKey {}", alnum(30)),
    ("X-Api-Key: {}", alnum(24)),
    ("my password is {}", "hunter2!x"),
    ("The passphrase is: {}", "correct-horse-9"),
    ("password: {}", "Pa$$w0rd<1>"),
    ("PGPASSWORD={} psql -h db", "s3cr3t!"),
    ("redis://:{}@cache:6379/0", "p@ss"),
    ("amqp://guest:{}@mq.example.com", "gu/est1"),
    ("https://bob:{}@example.com/repo.git", "tok-en_1"),
    ("postgres://bob:{}@db.example.com", "Pa$$w0rd"),
    ("mongodb+srv://bob:{}@cluster0.example.net/?retryWrites=true", "a%24b#c"),
    ("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", alnum(64)),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\n{}", alnum(64)),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n{}", alnum(64)),
    ("curl -H 'X-Auth-Token: {}' http://x", alnum(24)),
    ("docker login -u bob --password={}", "Hunter;2"),
    ('log: body="{{\\"api_key\\": \\"{}\\"}}"', alnum(20)),
    ("(api_key={})", alnum(20)),
]
_INNER = [
    ('{{"password": {{"old": "{}", "new": "b"}}}}', "OldPw!234"),
    ('{{"password": {{"old": "a", "new": "{}"}}}}', "tuesday"),
    ('{{"secret": {{"data": [["{}"]]}}}}', "tuesday"),
    ('{{"passwords": [{{"user": "bob", "is": "x"}}, "{}"]}}', "tuesday"),
    ('{{"passwords": {{"bob": "a", "al": {{"now": "{}"}}}}}}', "tuesday"),
    ('{{"password": {{"type": "text", "value": "{}"}}}}', "tuesday"),
    ('{{"name": "DB_PASSWORD", "value": "{}"}}', "tuesday"),
    ('{{"value": "{}", "key": "apiKey"}}', "tuesday"),
    ('{{"env": [{{"name": "A", "value": "b"}}, {{"name": "API_KEY", "value": "{}"}}]}}', "tuesday"),
    ('{{"Key": "db.password", "Value": {{"S": "{}"}}}}', "tuesday"),
    ('{{"label": "Database password", "value": "{}"}}', "hunter22!"),
    ('{{"password_confirmation": "{}"}}', "tuesday"),
    ('{{"password2": "{}"}}', "tuesday"),
    ('{{"passwordConfirm": "{}"}}', "tuesday"),
    ('{{"passwordHash": "{}"}}', "$2b$12$abcdefghijklmnop"),
]
"""Secrets in JSON whose own name says nothing, and names with an ending."""
_ELSEWHERE = [
    ("<config><password>{}</password></config>", "Xml5ecret!9"),
    ('<db:userPassword type="x">\n  {}\n</db:userPassword>', "correct horse"),
    ("<Secret><![CDATA[{}]]></Secret>", "tuesday"),
    ('<add key="DbPassword" value="{}"/>', "tuesday"),
    ("- name: DB_PASSWORD\n  value: {}", "hunter22!x"),
    ("{{'name': 'DB_PASSWORD', 'value': '{}'}}", "tuesday"),
    ("Secret Access Key: {}. Keep it", "wJalrXUtnFEMI/K7MDENG/bPx"),
    ("The encryption key = {}", hexes(32)),
    ("https://api.telegram.org/bot123456789:{}/getMe", "AA" + alnum(34)),
    ("password2={}", "tuesday"),
    ("passwordConfirm = '{}'", "tuesday"),
    ("curl -u admin:{} https://x.example", "S3cretPw1!"),
    ("curl -sS \\\n  --user 'admin:{}' https://x.example", "admin1"),
    ("curl -uadmin:{} https://x.example", "tuesday"),
    ("run it with -u admin:{}", "S3cretPw1!"),
    ("mysql --password {} db", "S3cretPw1!"),
    ("mysql -u root -p{} db", "tuesday"),
    ("wget --http-password '{}' https://x.example", "S3cretPw1!"),
    ("vault login --token {}", alnum(20)),
    ("sshpass -p {} ssh root@h", "tuesday"),
    ("docker login -u bob -p {} registry.example", "S3cretPw1!"),
    ("mongosh -u bob -p '{}' db", "tuesday"),
    ("redis-cli -h cache -a {} ping", "tuesday"),
    ("ldapsearch -D cn=bob -w {} -b dc=x", "tuesday"),
    ("plink -pw {} bob@h", "tuesday"),
    ("zip -P {} a.zip b", "tuesday"),
]
_ODD_LETTERS = [
    ("secret key: {}", "wJalrXUtnFEMI/K7MDENG/bPx"),
    ("private key: {}", "abc123def456ghi"),
    ('{{"OPENAI_KEY": "{}"}}', alnum(20)),
    ("STRIPE_KEY={}", alnum(20)),
    ("PASSWORD\uff1d{}", "hunter22!x"),
    ("password\uff1a {}", "hunter22!x"),
    ("pass\u00adword: {}", "hunter22!x"),
    ("pass\u200bword={}", "hunter22!x"),
    ("Passwort: {}", "Hunter22!"),
    ("mot de passe : {}", "Hunter22!"),
    ("пароль: {}", "Hunter22!"),
    ("密码：{}", "Hunter22!"),
    ("https://outlook.office.com/webhook/{}", "a1b2c3d4-aaaa/IncomingWebhook/0123456789abcdef"),
    ("https://hooks.zapier.com/hooks/catch/{}", "123456/abcdef1"),
    ("https://hook.eu1.make.com/{}", "abcdefghijklmnopqrstuvwxyz123456"),
    ("Private-Lines: 2\nAAABAQC1\n{}\nPrivate-MAC: 1", "abcdefghijklmnop"),
    ("card {}", "4111\t1111\t1111\t1111"),
    ("card {}", "4111_1111_1111_1111"),
    ("card {}", "4111\u20111111\u20111111\u20111111"),
    ("call {}", "+49\u00a030\u00a01234567"),
]
_PERSONAL = [
    ("mail {} now", "alice@example.com"),
    ("/users?email={}", "bob%40example.com"),
    ("<{}>", "o'neill+x@mail.example.co.uk"),
    ("pay with {}", "4111 1111 1111 1111"),
    ("card {}", "4111.1111.1111.1111"),
    ("card {}", "4111\u00a01111\u00a01111\u00a01111"),
    ("card {}", "4111  1111  1111  1111"),
    ("card {}", "5500-0000-0000-0004"),
    ("amex {}", "3782 822463 10005"),
    ("IBAN {}", "DE89 3704 0044 0532 0130 00"),
    ("iban {}", "de89370400440532013000"),
    ("iban {}", "gb82 west 1234 5698 7654 32"),
    ("iban {}", "FR14-2004-1010-0505-0001-3M02-606"),
    ("ssn {}", "123-45-6789"),
    ("call {}", "+49 30 1234567"),
    ("call {}", "0049 30 1234567"),
    ("call {}", "+442079460958"),
    ("call {}", "(415) 555-0132"),
    ("call {}", "415-555-0132"),
    ("Tel.: {}", "030 1234567"),
    ("from {}", "93.184.216.34"),
    ("dns {}", "8.8.4.4"),
    ("from {}", "2001:4860:4860::8888"),
]
_ESCAPED = [
    ('{"to": "bob\\u0040example.com"}', "bob\\u0040example.com"),
    ('{"key": "\\u0067hp_' + "a1" * 18 + '"}', "hp_" + "a1" * 18),
    ('{"key": "-----BEGIN PRIVATE\\u0020KEY-----\\nMIIE"}', "MIIE"),
    ('{"pass\\u0077ord": "hunter2"}', "hunter2"),
    ('{"password": "hun\\u0074er2"}', "hun\\u0074er2"),
    ('{"url": "postgres:\\/\\/bob:hunter2@db\\/x"}', "hunter2"),
    ('body={"to": "bob\\u0040example.com", ...', "bob\\u0040example.com"),
    ('{"to": "bob\\u0040example.com", "cut off', "bob\\u0040example.com"),
]


def _deep(levels: int) -> tuple[str, str]:
    """JSON in a string in JSON, so many levels deep."""
    import json

    text = '{"password": "hunter2"}'
    for _ in range(levels):
        text = json.dumps({"body": text})
    return text, "hunter2"


SECRETS: list[tuple[str, str]] = [
    *_passwords(),
    *((f"use {key} for it", key) for key in _KEYS),
    *((f'{{"value": "{key}"}}', key) for key in _KEYS[::4]),
    *((text.format(secret), secret) for text, secret in _NAMED + _INNER + _ELSEWHERE + _ODD_LETTERS + _PERSONAL),
    *_ESCAPED,
    _deep(10),
]
"""Text, and the part of it that must not remain."""
