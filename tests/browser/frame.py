"""A crowd's page with a task in its frame, which helps the task in no way: like Amazon's."""

import re
from collections.abc import Sequence
from urllib.parse import parse_qs

from playwright.sync_api import BrowserContext, FrameLocator, Locator, Page, Route, expect

from annotation.schemes import built_in_scheme
from annotation.task_page import PageTexts, Shown, render

#: Served by the browser's own routes: nothing leaves the machine.
CROWD = "https://worker.example"
TASK = "https://task.example"
SANDBOX = "allow-scripts allow-forms allow-popups"


class Frame:
    """One assignment in a browser; `arrived` are the forms that the crowd has got."""

    def __init__(
        self,
        context: BrowserContext,
        queries: Sequence[str],
        *,
        assignment: str = "A1",
        consent: str = "",
        passages: Sequence[str] = (),
        scheme: str = "gender",
    ) -> None:
        self.arrived: list[dict[str, list[str]]] = []
        self.broken = False  # the network is away, although the browser has not noticed
        self.hung: list[Route] | None = None  # what is sent gets no reply while this is a list
        items: Sequence[Shown] = [(f"id-{place}", text) for place, text in enumerate(queries)]
        if passages:
            items = [(*item, passage) for item, passage in zip(items, passages, strict=True)]
        self._html = render(items, PageTexts(built_in_scheme(scheme), consent=consent))
        self._source = f"{TASK}/hit?assignmentId={assignment}&amp;turkSubmitTo={CROWD}/"
        context.route(f"{CROWD}/**", self._crowd)
        context.route(f"{TASK}/**", lambda route: route.fulfill(body=self._html, content_type=HTML))
        self.page: Page = context.new_page()
        self.page.goto(f"{CROWD}/")
        self.task: FrameLocator = self.page.frame_locator("iframe")

    def _crowd(self, route: Route) -> None:
        if not route.request.url.endswith("/mturk/externalSubmit"):
            outer = f'<!DOCTYPE html><iframe sandbox="{SANDBOX}" src="{self._source}" {_WHOLE}>'
            route.fulfill(body=outer, content_type=HTML)
        elif self.broken:
            route.abort("internetdisconnected")
        else:
            self.arrived.append(parse_qs(route.request.post_data or "", keep_blank_values=True))
            if self.hung is not None:
                self.hung.append(route)
            else:
                route.fulfill(body="<!DOCTYPE html><h1>Stored</h1>", content_type=HTML)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def begin(self) -> None:
        """Leave the introduction, which also gives the frame the focus."""
        self.task.get_by_role("button", name="Start").click()

    def expect_query(self, text: str, place: str) -> None:
        """This query, and no other, is shown."""
        expect(self.task.get_by_role("group")).to_have_accessible_name(f"{place} {text}")

    def answered(self) -> dict[str, str]:
        """The one form that arrived."""
        expect(self.task.get_by_role("heading", name="Stored")).to_be_visible()
        assert len(self.arrived) == 1
        return {name: values[0] for name, values in self.arrived[0].items()}


def query_at(task: FrameLocator, place: str) -> Locator:
    """The choices of the query at `place`, as "Query 2 of 8", while it is shown."""
    return task.get_by_role("group", name=re.compile(rf"^{place}\b"))


def query_named(by: Locator) -> tuple[str, str]:
    """Place and text of the query that this heading names: "Query 2 of 8 kings"."""
    name = re.fullmatch(r"(Query \d+ of \d+)\s+(.*)", by.inner_text())
    assert name is not None
    return name[1], name[2]


HTML = "text/html; charset=utf-8"
_WHOLE = 'style="border: 0; width: 100%; height: 95vh" title="The task"'
