from django.urls import path

from annotation.mturk_local.channels.registry import channel_kinds
from annotation.mturk_local.site import doors, joining, learning, pace, pages, task, writing

urlpatterns = [
    path("", pages.home, name="crowd-home"),
    path("sign-in/", doors.sign_in, name="crowd-sign-in"),
    path("sign-out/", doors.sign_out, name="crowd-sign-out"),
    path("join/simulated/", doors.join_simulated, name="crowd-join-simulated"),
    path("join/invited/<str:token>/", doors.join_invited, name="crowd-join-invited"),
    path("join/ticket/<str:token>/", joining.join_by_ticket, name="crowd-join-ticket"),
    *(route for kind in channel_kinds().values() for route in kind.routes),
    path("work/", pages.work, name="crowd-work"),
    path("qualifications/<str:type_id>/", learning.qualification, name="crowd-qualification"),
    path("qualifications/<str:type_id>/ask/", learning.ask, name="crowd-ask"),
    path("tests/<str:request_id>/", learning.test, name="crowd-test"),
    path("mturk/preview", pages.preview, name="crowd-preview"),
    path("groups/<str:group_id>/", pages.group, name="crowd-group"),
    path("hits/<str:hit_id>/", pages.hit, name="crowd-hit"),
    path("hits/<str:hit_id>/accept/", pages.accept, name="crowd-accept"),
    path("assignments/<str:assignment_id>/", pages.assignment, name="crowd-assignment"),
    path("assignments/<str:assignment_id>/write/", writing.write, name="crowd-write"),
    path("assignments/<str:assignment_id>/next/", pace.go_on, name="crowd-next"),
    path("assignments/<str:assignment_id>/submitted/", pace.submitted, name="crowd-submitted"),
    path("assignments/<str:assignment_id>/return/", pages.give_back, name="crowd-return"),
    path("task/<str:token>/", task.task, name="crowd-task"),
    path("submit/<str:token>/mturk/externalSubmit", task.submit, name="crowd-submit"),
]
