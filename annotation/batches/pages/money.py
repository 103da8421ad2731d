"""What a batch costs."""

from django.http import HttpRequest, HttpResponse

from annotation.batches.queries.costs import batch_costs, money_events, pay_distribution
from annotation.core.site_budget import site_budget
from annotation.models import Batch
from annotation.vocabulary import Action
from annotation.web.access import batch_view
from annotation.web.logs import page_of_log
from annotation.web.pages import batch_page


@batch_view(Action.VIEW)
def cost_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    return batch_page(
        request,
        "costs",
        batch,
        "costs",
        costs=batch_costs(batch=batch),
        pay=pay_distribution(batch=batch),
        site=site_budget(environment=batch.environment),
        **page_of_log(request, money_events(batch=batch)),
    )
