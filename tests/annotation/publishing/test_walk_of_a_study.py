"""Whatever is done in a study, in whatever order, every page says what the rows have."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from tests.annotation.publishing.walk import Walk
from tests.annotation.publishing.walk_pages import check_pages

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

#: Acts of a walk; of the one that every run of the tests takes.
STEPS, FEW = 25, 10


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 21))]
)
def test_every_page_says_what_the_rows_have_after_every_act(
    crowd: str, admin_client: Client, tmp_path: Path, seed: int
) -> None:
    def read(path: str) -> BeautifulSoup:
        return BeautifulSoup(admin_client.get(path).content, "html.parser")

    walk = Walk(seed, tmp_path)
    for _ in range(STEPS if seed else FEW):
        walk.step()
        check_pages(read, walk)
