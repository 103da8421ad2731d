from django.urls import path
from django.views.i18n import set_language

from mturk_local.channels.registry import CHANNEL_KINDS
from mturk_local.site import (
    answered,
    joining,
    learning,
    pace,
    pages,
    sign_in,
    task,
    withdrawing,
    writing,
)

urlpatterns = [
    path("", pages.home, name="crowd-home"),
    path("language/", set_language, name="crowd-language"),
    path("sign-in/", sign_in.sign_in, name="crowd-sign-in"),
    path("sign-out/", sign_in.sign_out, name="crowd-sign-out"),
    path("join/simulated/", sign_in.join_simulated, name="crowd-join-simulated"),
    path("join/invited/<str:token>/", sign_in.join_invited, name="crowd-join-invited"),
    path("join/ticket/<str:token>/", joining.join_by_ticket, name="crowd-join-ticket"),
    *(route for kind in CHANNEL_KINDS.values() for route in kind.routes),
    path("work/", pages.work, name="crowd-work"),
    path("work/withdraw/", withdrawing.withdraw_all, name="crowd-withdraw-all"),
    path("work/erase/", withdrawing.erase, name="crowd-erase"),
    path("qualifications/<str:type_id>/", learning.qualification, name="crowd-qualification"),
    path("qualifications/<str:type_id>/ask/", learning.ask, name="crowd-ask"),
    path("tests/<str:request_id>/", learning.test, name="crowd-test"),
    path("mturk/preview", pages.preview, name="crowd-preview"),
    path("groups/<str:group_id>/", pages.group, name="crowd-group"),
    path("hits/<str:hit_id>/", pages.hit, name="crowd-hit"),
    path("hits/<str:hit_id>/accept/", pages.accept, name="crowd-accept"),
    path("assignments/<str:assignment_id>/", pages.assignment, name="crowd-assignment"),
    path("assignments/<str:assignment_id>/answer/", answered.answered, name="crowd-answered"),
    path("assignments/<str:assignment_id>/write/", writing.write, name="crowd-write"),
    path(
        "assignments/<str:assignment_id>/withdraw/",
        withdrawing.withdraw_answer,
        name="crowd-withdraw",
    ),
    path("assignments/<str:assignment_id>/next/", pace.go_on, name="crowd-next"),
    path("assignments/<str:assignment_id>/stay/", pace.stay, name="crowd-stay"),
    path("assignments/<str:assignment_id>/submitted/", pace.submitted, name="crowd-submitted"),
    path("assignments/<str:assignment_id>/return/", pages.give_back, name="crowd-return"),
    path("task/<str:token>/", task.task, name="crowd-task"),
    path("submit/<str:token>/mturk/externalSubmit", task.submit, name="crowd-submit"),
]
