"""What a batch costs."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from annotation.batches.queries.costs import batch_costs, money_events, pay_distribution
from annotation.core.site_budget import site_budget
from annotation.models import Batch
from annotation.overview.queries.log import pseudonymised_events
from annotation.vocabulary import Action
from annotation.web.access import batch_view
from annotation.web.pages import batch_page, page_of, query_without_page
from annotation.web.sorting import EVENT_COLUMNS, sorted_query


@batch_view(Action.VIEW)
def cost_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    found, heads = sorted_query(request, money_events(batch=batch), EVENT_COLUMNS)
    page = page_of(request, found)
    return batch_page(
        request,
        "costs",
        batch,
        "costs",
        costs=batch_costs(batch=batch),
        pay=pay_distribution(batch=batch, floor=settings.MTURK_HOURLY_FLOOR),
        site=site_budget(environment=batch.environment),
        page=page,
        heads=heads,
        events=pseudonymised_events(page.object_list),
        question=query_without_page(request),
    )
