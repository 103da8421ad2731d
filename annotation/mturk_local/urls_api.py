from django.urls import path

from annotation.mturk_local.api import ControlEndpoint, Endpoint, PeopleEndpoint

urlpatterns = [
    path("", Endpoint.as_view(), name="crowd-api"),
    path("control/", ControlEndpoint.as_view(), name="crowd-control"),
    path("people/", PeopleEndpoint.as_view(), name="crowd-people"),
]
