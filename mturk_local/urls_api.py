from django.urls import path

from mturk_local.api import Endpoint, PeopleEndpoint

urlpatterns = [
    path("", Endpoint.as_view(), name="crowd-api"),
    path("people/", PeopleEndpoint.as_view(), name="crowd-people"),
]
