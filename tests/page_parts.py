"""Parts of a page by their roles and labels, as people who do not see it find them."""

from bs4 import BeautifulSoup


def next_step(page: str) -> list[str]:
    """Where the part of the page of a batch that says what to do next leads."""
    soup = BeautifulSoup(page, "html.parser")
    return [str(link["href"]) for link in soup.select('[aria-label="Next step"] a')]


def has_alert(page: str) -> bool:
    """The page says that something went wrong."""
    return BeautifulSoup(page, "html.parser").select_one("[role=alert]") is not None
