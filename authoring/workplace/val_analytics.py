"""Held-out requests about the figures of the website. Each function is a family."""

from collections import Counter

from authoring.workplace.scene import Scene, Story, StoryFunction, call, near

SHAPES = {"bar": "bars", "line": "a line", "scatter": "scattered dots", "histogram": "a histogram"}


def busier_month(s: Scene) -> Story:
    counts = Counter(visit.day[:7] for visit in s.office.visits.values())
    march, april = counts["2026-03"], counts["2026-04"]
    kind = s.pick(list(SHAPES))
    since, until = ("2026-03-01", "2026-03-31") if march > april else ("2026-04-01", "2026-04-30")
    value, words = s.pick(
        [("total_visits", "overall traffic"), ("engaged", "engagement"), ("visits_direct", "direct traffic")]
    )
    return Story(
        [f"Was March or April the busier month on our site? Chart the {words} of the busier one as {SHAPES[kind]}."],
        [
            call("analytics.count_visits", since="2026-03-01", until="2026-03-31"),
            call("analytics.count_visits", since="2026-04-01", until="2026-04-30"),
            call("analytics.create_plot", since=since, until=until, value=value, kind=kind),
        ],
    )


def weakest_channel(s: Scene) -> Story:
    span, kind = s.span(apart=True), s.pick(list(SHAPES))
    worst = Counter(visit.source for visit in s.visits(span)).most_common()[-1][0]
    return Story(
        [f"Chart our weakest channel {span.words}, the one with the least traffic, as {SHAPES[kind]}."],
        [
            call("analytics.count_sources", since=span.since, until=span.until),
            call("analytics.create_plot", since=span.since, until=span.until, value=f"visits_{worst}", kind=kind),
        ],
    )


def channel_of_visitor(s: Scene) -> Story:
    visit, span, kind = s.visit(), s.span(), s.pick(list(SHAPES))
    return Story(
        [
            f"Through which channel did visitor {visit.id} reach us? Chart that channel's traffic {span.words} as {SHAPES[kind]}."
        ],
        [
            call("analytics.get_visitor", id=visit.id),
            call(
                "analytics.create_plot", since=span.since, until=span.until, value=f"visits_{visit.source}", kind=kind
            ),
        ],
    )


def social_check(s: Scene) -> Story:
    span = s.span()
    count = sum(visit.source == "social_media" for visit in s.visits(span))
    limit = near(count, s)
    value = "visits_social_media" if count >= limit else "visits_search_engine"
    return Story(
        [
            f"Did social media bring at least {limit} visits {span.words}? If yes chart social media as bars, "
            "if no chart search engines as bars."
        ],
        [
            call("analytics.count_sources", since=span.since, until=span.until, source="social_media"),
            call("analytics.create_plot", since=span.since, until=span.until, value=value, kind="bar"),
        ],
    )


def long_enough(s: Scene) -> Story:
    span = s.span()
    visits = s.visits(span)
    mean = round(sum(visit.seconds for visit in visits) / len(visits))
    limit = near(mean, s)
    kind = "scatter" if mean >= limit else "histogram"
    return Story(
        [
            f"Do people stay {limit} seconds or more on average {span.words}? Chart the overall traffic as scattered dots if "
            "they do, and as a histogram if they do not."
        ],
        [
            call("analytics.get_average_seconds", since=span.since, until=span.until),
            call("analytics.create_plot", since=span.since, until=span.until, value="total_visits", kind=kind),
        ],
    )


STORIES: list[StoryFunction] = [
    busier_month,
    weakest_channel,
    channel_of_visitor,
    social_check,
    long_enough,
]
