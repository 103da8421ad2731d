"""Self-contained pages, from the templates beside this file."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(__package__ or "metrics.reports.formats"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )


def render_page(template: str, **context: object) -> str:
    """The page that `template` makes of `context`; whatever is text is escaped."""
    return _environment().get_template(template).render(context)
