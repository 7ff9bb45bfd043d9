"""Every picture can be put into a page that forbids inline styles, says its content in words, and holds no foreign markup."""

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.draw.gallery import HOSTILE, PICTURES
from verigym.draw.svg import DARK, LIGHT, Drawing, css, fitted, short, some, svg

VIEW_CSS = Path(__file__).parents[2] / "verigym" / "view" / "static" / "view.css"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=PICTURES, ids=list(PICTURES))
def draw(request: pytest.FixtureRequest) -> Callable[[str], Drawing]:
    return PICTURES[request.param]


def test_a_picture_is_svg_with_a_role_and_a_title(draw: Callable[[str], Drawing]) -> None:
    root = ET.fromstring(draw("reward"))
    assert root.tag == f"{SVG}svg" and root.attrib["class"].split()[0] == "vg"
    links = list(root.iter(f"{SVG}a"))
    assert root.attrib["role"] == ("group" if links else "img")
    for link in links:
        words = "".join(text for one in link.iter(f"{SVG}text") for text in one.itertext())
        assert ("aria-label" in link.attrib) != bool(words), "a link is named by its words, or else by a label"
    title = root.find(f"{SVG}title")
    assert title is not None and title.text and len(title.text) > 10


def test_a_page_gets_the_picture_without_any_style(draw: Callable[[str], Drawing]) -> None:
    picture = draw("reward")
    assert picture.count("<style>") == 1 and css() in picture
    inserted = picture.__html__()
    assert "<style" not in inserted and "style=" not in inserted and ET.fromstring(inserted) is not None
    assert not re.search(r'(fill|stroke)="#', inserted)  # colours are classes


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(draw: Callable[[str], Drawing], words: str) -> None:
    harmless, hostile = (ET.fromstring(draw(one)) for one in ("x" * len(words), words))
    assert sorted(one.tag for one in hostile.iter()) == sorted(one.tag for one in harmless.iter())
    names = {name for one in hostile.iter() for name in one.attrib}
    assert not any(name.startswith("on") or name == "style" for name in names)


def test_a_very_long_name_is_cut(draw: Callable[[str], Drawing]) -> None:
    picture = draw("a very long name " * 40)
    for one in ET.fromstring(picture).iter(f"{SVG}text"):
        assert len(one.text or "") < 150
    assert "nan" not in picture.__html__()


def test_every_class_has_a_rule(draw: Callable[[str], Drawing]) -> None:
    used = {name for one in ET.fromstring(draw("reward")).iter() for name in one.attrib.get("class", "").split()}
    assert used <= set(re.findall(r"\.([a-z][a-z0-9-]*)", css()))


def test_a_picture_is_itself_in_a_notebook() -> None:
    picture = svg(10, 10, "a dot", [])
    assert picture._repr_html_() == picture and isinstance(picture, str)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_have_enough_contrast(theme: dict[str, str]) -> None:
    for name in ("text", "passed-text", "failed-text"):
        assert _contrast(theme[name], theme["back"]) >= 4.5, name
    for name in ("axis", "passed", "failed", "grey", *map(str, range(8))):
        assert _contrast(theme[name], theme["back"]) >= 3, name
    assert _contrast(theme["unsafe"], theme["back"]) >= 3 or _contrast(theme["text"], theme["back"]) >= 3  # its outline
    series = [theme[str(index)] for index in range(8)]
    assert all(one != other for one, other in itertools.combinations(series, 2))


def test_the_pages_have_the_same_rules() -> None:
    if not VIEW_CSS.exists():
        pytest.skip("verigym/view/static/view.css is not there")
    there = re.sub(r"\s+", "", VIEW_CSS.read_text())
    for rule in css().splitlines():
        assert re.sub(r"\s+", "", rule) in there, f"view.css lacks: {rule}"


def test_text_is_cut_on_one_line() -> None:
    assert short("a\n b", 9) == "a b" and short("abcdef", 4) == "abc…" and short("", 3) == ""
    assert fitted("abcdef", 0) == "a…"
    assert some(["a", "b"]) == "a, b" and some(list("abcdef"), 2) == "a, b and 4 more"
