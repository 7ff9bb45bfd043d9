"""Who may enter the view and write: hosts, keys, cookies, origins, and the headers of every answer."""

import itertools
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.view.store import Made, make_store
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.view.app import View
from verigym.view.door import HEADERS, DoorSettings
from verigym.view.serve import open_view

KEY = "a-key-of-many-letters"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_store(tmp_path_factory.mktemp("door") / "home")


def client(made: Made, host: str = "127.0.0.1:8401", **settings: object) -> TestClient:
    view = View(made.home, DoorSettings(**settings))  # type: ignore[arg-type]
    return TestClient(view.app(), base_url=f"http://{host}", follow_redirects=False)


def test_every_answer_has_the_headers(made: Made) -> None:
    one = client(made)
    for path in ("/runs", "/no-such-page", "/static/x/none.css", "/runs?format=json", "/runs?skip=x"):
        answer = one.get(path)
        for name, value in HEADERS:
            assert answer.headers[name.decode()] == value.decode(), (path, name)
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8401", "10.0.0.7"])
def test_a_foreign_host_name_is_refused(made: Made, host: str) -> None:
    answer = client(made, host).get("/runs")
    assert answer.status_code == 421 and "--url" in answer.text and "eval-desk-1" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8401", "localhost:9", "[::1]:8401"])
def test_loopback_needs_no_key(made: Made, host: str) -> None:
    assert client(made, host).get("/runs").status_code == 200


def test_a_name_of_a_proxy_is_answered(made: Made) -> None:
    assert client(made, "view.example.org", names=["view.example.org"], keys=[KEY]).get("/runs").status_code == 401


def test_with_a_key_nothing_of_the_workspace_is_shown_without_it(made: Made) -> None:
    one = client(made, keys=[KEY])
    for path in ("/runs", "/runs?format=json", "/no-such-page"):
        answer = one.get(path)
        assert answer.status_code == 401 and "eval-desk-1" not in answer.text
    assert one.get("/static/x/none.css").status_code == 404
    wrong = one.post("/enter", data={"key": "wrong"}, headers={"origin": "http://127.0.0.1:8401"})
    assert wrong.status_code == 403 and "set-cookie" not in wrong.headers


def test_the_key_opens_by_form_cookie_and_header(made: Made) -> None:
    one = client(made, keys=["another-key-of-letters", KEY])
    entered = one.post("/enter", data={"key": KEY}, headers={"origin": "http://127.0.0.1:8401"})
    assert entered.status_code == 303 and entered.headers["location"] == "/"
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and KEY not in cookie and "Secure" not in cookie
    assert one.get("/runs").status_code == 200
    bare = client(made, keys=[KEY])
    assert bare.get("/runs?format=json", headers={"authorization": f"Bearer {KEY}"}).status_code == 200
    assert bare.get("/runs", headers={"authorization": "Bearer nothing"}).status_code == 401
    assert bare.get("/runs", headers={"cookie": "verigym_8401=guessed"}).status_code == 401


def test_the_token_of_the_address_becomes_a_cookie_and_leaves_the_address(made: Made) -> None:
    one = client(made, keys=[KEY], secure=True)
    answer = one.get(f"/runs?kind=eval&token={KEY}")
    assert answer.status_code == 303 and answer.headers["location"] == "/runs?kind=eval"
    assert "Secure" in answer.headers["set-cookie"]
    assert one.get("/runs?token=wrong").status_code == 401
    for path in ("//evil.example/", "/\\evil.example/"):
        assert not one.get(f"{path}?token={KEY}").headers["location"].startswith(("//", "/\\"))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:8402"}, 403),
        ({"origin": "http://127.0.0.1:8401", "sec-fetch-site": "cross-site"}, 403),
        ({"origin": "http://127.0.0.1:8401", "sec-fetch-site": "same-site"}, 403),
    ],
    ids=["no origin", "foreign", "null", "another port", "cross-site", "same site, other origin"],
)
def test_a_form_of_another_page_is_refused(made: Made, headers: dict[str, str], status: int) -> None:
    answer = client(made).post("/label/save", data={"x": "y"}, headers=headers)
    assert answer.status_code == status and "written" in answer.text


def test_a_form_that_is_too_large_or_has_no_length_is_refused(made: Made) -> None:
    ours = {"origin": "http://127.0.0.1:8401"}
    assert client(made).post("/enter", data={"key": "x" * 70_000}, headers=ours).status_code == 413
    assert client(made).post("/enter", content=itertools.repeat(b"x", 3), headers=ours).status_code == 411


def test_other_methods_and_a_read_only_view_write_nothing(made: Made) -> None:
    ours = {"origin": "http://127.0.0.1:8401"}
    assert client(made).put("/runs", headers=ours).status_code == 405
    assert client(made).delete("/runs", headers=ours).status_code == 405
    refused = client(made, read_only=True).post("/label/save", data={"x": "y"}, headers=ours)
    assert refused.status_code == 403 and "--read-only" in refused.text


HOSTILE_PATHS = [
    "/../../etc/passwd", "/static/../app.py", "/static/%2e%2e/app.py", "/runs/%00", "/runs/%ff%fe", "/runs/" + "a" * 5000,
    "/t/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/runs/<script>alert(1)</script>", "/runs/{{7*7}}", "/runs?kind=%00&skip=-1",
    "/runs?skip=99999999999999999999", "/runs?format=xml", "/static/" + "0" * 12 + "/view.css", "/;/", "/%", "/runs/..%5c..%5c",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE_PATHS)
def test_a_hostile_path_is_answered_with_a_page(made: Made, path: str) -> None:
    answer = client(made).get(path)
    assert answer.status_code in (200, 400, 404), answer.status_code
    assert "Traceback" not in answer.text and "<script>alert" not in answer.text and "root:" not in answer.text


def test_reading_every_kind_of_page_changes_nothing_in_the_store(made: Made) -> None:
    before = (made.home / "store.db").read_bytes()
    one = client(made)
    for path in ("/runs", "/runs?format=json"):
        assert one.get(path).status_code == 200
    assert (made.home / "store.db").read_bytes() == before


def test_whoever_is_not_let_in_does_not_learn_where_the_workspace_is(made: Made) -> None:
    locked = client(made, keys=[KEY])
    answers = [locked.get("/enterx"), locked.get("/enter"), client(made, "evil.example").get("/runs")]
    answers.append(client(made).get("/runs", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}))
    for answer in answers:
        assert answer.status_code >= 400 and str(made.home) not in answer.text, answer.request.url


def test_a_link_from_another_site_opens_a_page(made: Made) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client(made).get("/runs", headers=headers).status_code == 200


def test_a_host_name_may_be_written_in_capitals(made: Made) -> None:
    assert client(made, "mybox:8401", names=["MyBox"], keys=[KEY]).get("/runs").status_code == 401


def test_a_view_for_others_needs_a_key(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match="--key-env"):
        open_view(made.home, host="0.0.0.0", port=0)
    monkeypatch.setenv("VIEW_KEY", KEY)
    with pytest.raises(BadInput, match="has a path"):
        open_view(made.home, port=0, url="https://view.example.org/verigym", key_env="VIEW_KEY")
    with pytest.raises(Refused, match="needs a key"):
        open_view(made.home, port=0, url="https://view.example.org")


def test_the_address_opens_what_was_named(made: Made) -> None:
    server = open_view(made.home, made.run, port=0)
    assert server.address.endswith("/runs/eval-desk-1")
    server.socket.close()
    with pytest.raises(NotFound, match='Nothing in this workspace is named "nonsense"'):
        open_view(made.home, "nonsense", port=0)


def test_an_empty_workspace_has_pages_too(tmp_path: Path) -> None:
    one = TestClient(View(tmp_path / "nowhere", DoorSettings()).app(), base_url="http://127.0.0.1:8401")
    answer = one.get("/runs")
    assert answer.status_code == 200 and "verigym quickstart" in answer.text
    assert not (tmp_path / "nowhere").exists()


def test_commands_on_pages_name_the_workspace_that_the_view_was_given(made: Made) -> None:
    view = View(made.home, DoorSettings(), named=Path("my folder"))
    text = TestClient(view.app(), base_url="http://127.0.0.1:8401").get("/runs").text
    assert "verigym runs list --home &#39;my folder&#39;" in text
    assert "--home" not in client(made).get("/runs").text.partition("<footer")[2]
