"""A person with a browser, for tests of forms: sends them from a page of the view, and follows where they lead."""

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from verigym.view.app import View
from verigym.view.door import DoorSettings

ORIGIN = "http://127.0.0.1:8401"


class Visitor:
    """`who` is the name in the cookie. Empty for somebody who was not asked yet."""

    def __init__(self, home: Path, who: str = "Ada", **settings: Any) -> None:
        cookies = {"who": who} if who else {}
        app = View(home, DoorSettings(**settings)).app()
        self.client = TestClient(app, base_url=ORIGIN, follow_redirects=False, cookies=cookies)

    def get(self, path: str) -> Any:
        return self.client.get(path)

    def page(self, path: str) -> str:
        answer = self.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        return answer.text

    def json(self, path: str) -> Any:
        return self.get(path + ("&" if "?" in path else "?") + "format=json").json()

    def post(self, path: str, **fields: str) -> Any:
        return self.post_from(ORIGIN, path, fields)

    def post_from(self, origin: str, path: str, fields: dict[str, str], **headers: str) -> Any:
        """A form that a page of another origin sends, or one with other headers."""
        return self.client.post(path, data=fields, headers={"origin": origin, **headers})

    def sent(self, path: str, **fields: str) -> str:
        """The address that the form leads to."""
        answer = self.post(path, **fields)
        assert answer.status_code == 303, (path, answer.status_code, answer.text)
        return answer.headers["location"]
