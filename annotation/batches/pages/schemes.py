"""The scheme of a batch: read by everybody who may view it, edited while it is a draft."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect

from annotation.batches.operations.schemes import CHANGE_SCHEME
from annotation.batches.pages.scheme_draft import (
    OptionDraft,
    QuestionDraft,
    SchemeDraft,
    Typed,
    blank_draft,
    draft_of,
    draft_typed,
)
from annotation.batches.pages.scheme_form import SchemeForm
from annotation.batches.pages.scheme_wrong import Wrong, problems_by_field
from annotation.batches.queries.schemes import own_schemes, page_texts, scheme_state
from annotation.core.parameters import ParametersError
from annotation.core.perform import perform_here
from annotation.core.versions import version_of
from annotation.labels.queries.scheme_files import scheme_file
from annotation.models import Batch, HITQuery
from annotation.schemes import (
    BLANK,
    About,
    Scheme,
    blank_scheme,
    built_in_languages,
    built_in_scheme,
    is_blank,
    scheme_from_json,
    scheme_from_yaml,
    scheme_problems,
    scheme_to_yaml,
    scheme_unchecked,
    schemes_about,
)
from annotation.schemes.scheme import ENGLISH
from annotation.task_page import PageTexts, inline_hashes, render
from annotation.task_page.texts import fixed_texts
from annotation.vocabulary import Action, BatchState
from annotation.web.access import batch_view, may_in, person_of, takes, typed_again, who
from annotation.web.downloads import RAW, download_lines, is_safe
from annotation.web.pages import batch_page, found_or_404
from metrics.errors import InputError

_STEPS = {"up": -1, "down": 1}

Part = TypeVar("Part", QuestionDraft, OptionDraft)


class Done(NamedTuple):
    """Words for the act of a button, and the id of the control that has the focus next."""

    words: str
    focus: str


def act_on(draft: SchemeDraft, act: str) -> Done:
    """Change the draft as the button `KEY:VERB` says; another one only shows the form again.

    `:add` adds a question, `q0:add` an option to it; `up`, `down` and `remove` are of the part.
    `q0:none` adds the option "none of these", `q0:paste` tells of options that came along with the
    form.
    """
    key, _, verb = act.rpartition(":")
    question = draft.question(key.partition("-")[0])
    if verb == "add":
        return _add_option(question) if question else _add_question(draft)
    if question is None:
        return Done("", "")
    if verb == "none":
        words = fixed_texts(str(draft.typed.get("language") or ENGLISH))["none"]
        return _add_option(question, {"label": words, "alone": True})
    if verb == "paste":
        return Done(f"{len(question.options)} options now.", f"id_{question.options[-1].key}-label")
    if "-" not in key:
        done = _moved(draft.questions, question, "Question", verb)
    else:
        option = next((option for option in question.options if option.key == key), None)
        noun = "Point" if question.kind.has_points else "Option"
        done = _moved(question.options, option, noun, verb) if option else Done("", "")
    return done._replace(focus=done.focus or _add_button(key))


def _add_question(draft: SchemeDraft) -> Done:
    key = f"q{_next_number([question.key for question in draft.questions])}"
    options = [OptionDraft(f"{key}-o{n}") for n in range(2)]
    draft.questions.append(QuestionDraft(key, {"required": True, "cannot_tell": True}, options))
    return Done(f"Question {len(draft.questions)} added.", f"id_{key}-text")


def _add_option(question: QuestionDraft, typed: Typed | None = None) -> Done:
    numbers = [option.key.partition("-")[2] for option in question.options]
    key = f"{question.key}-o{_next_number(numbers)}"
    question.options.append(OptionDraft(key, typed or {}))
    noun = "Point" if question.kind.has_points else "Option"
    return Done(f"{noun} {len(question.options)} added.", f"id_{key}-label")


def _next_number(keys: Sequence[str]) -> int:
    return max((int(key[1:]) for key in keys), default=-1) + 1


def _add_button(key: str) -> str:
    return f"{key.partition('-')[0]}-add" if "-" in key else "add"


def _moved(parts: list[Part], part: Part, noun: str, verb: str) -> Done:
    at, name = parts.index(part), f"{noun} “{part.words}”" if part.words else noun
    if verb == "remove":
        parts.remove(part)
        if not parts:
            return Done(f"{name} removed. None is left.", "")
        near = parts[min(at, len(parts) - 1)]
        text = "text" if isinstance(near, QuestionDraft) else "label"
        return Done(f"{name} removed, {len(parts)} left.", f"id_{near.key}-{text}")
    to = at + _STEPS.get(verb, 0)
    if verb not in _STEPS or not 0 <= to < len(parts):
        return Done("", "")
    parts[at], parts[to] = parts[to], parts[at]
    # At an end the button that was pressed has nothing to do any more.
    ends = {0: "down", len(parts) - 1: "up"}
    return Done(f"{name} is now {to + 1} of {len(parts)}.", f"{part.key}-{ends.get(to, verb)}")


_NOTHING_DONE, _NOTHING_WRONG = Done("", ""), Wrong()


@batch_view(Action.VIEW)
@takes("version", "start", "language", "as")
def scheme_page(request: HttpRequest, batch: Batch) -> HttpResponse:
    """The questions, or the editor of a draft's, and the earlier versions.

    `?version=` shows an earlier one, `?start=` a built-in one, the blank one or that of another
    batch, `?language=` a built-in one in that language.
    """
    scheme, number = batch.scheme, request.GET.get("version", "")
    name, language = request.GET.get("start", ""), request.GET.get("language", "en")
    if number.isdecimal():
        earlier = batch.scheme_versions.filter(number=int(number)).first()
        scheme = scheme_from_json(earlier.content) if earlier else scheme
    elif language in built_in_languages(name):
        scheme = built_in_scheme(name, language)
    elif name == BLANK:
        scheme = blank_scheme(scheme.about)
    elif own := own_schemes(user=person_of(request), about=scheme.about).get(name):
        scheme = own.scheme
    if request.GET.get("as") == "yaml":
        return _page(request, batch, scheme, text=scheme_to_yaml(scheme))
    return _page(request, batch, scheme)


def _shown_again(typed: QueryDict) -> QueryDict | None:
    """The fields of a draft, as Enter in one of them sends them; YAML is in one that is there."""
    if "scheme" in typed:
        return None
    typed.pop("save", None)
    typed["act"] = ":"
    return typed


@typed_again(_shown_again)
@batch_view(Action.MANAGE)
def scheme_save(request: HttpRequest, batch: Batch) -> HttpResponse:
    """*Save* makes a new version of what was typed, as YAML or in the fields of the form.

    *Preview* shows the task page with it. Each button beside a question or an option does what it
    says and shows the form again.
    """
    if request.method != "POST":
        return redirect("batch-scheme", batch.pk)
    text = request.POST.get("scheme")
    if text is not None:
        try:
            scheme = scheme_from_yaml(text)
        except InputError as error:
            return _page(request, batch, batch.scheme, text=text, problem=str(error))
        return _previewed_or_saved(request, batch, scheme, text=text)
    draft, done = draft_typed(request.POST, batch.scheme.about), _NOTHING_DONE
    is_act = "act" in request.POST
    if is_act:
        done = act_on(draft, request.POST["act"])
    scheme = scheme_unchecked(draft.as_json())
    wrong = problems_by_field(draft, scheme_problems(scheme))
    if is_act or wrong:
        # Until it is saved for the first time, nobody is told what is still missing.
        is_checked = not is_act or "checked" in request.POST
        wrong = wrong if is_checked else {}
        return _page(request, batch, scheme, draft=draft, wrong=wrong, done=done)
    return _previewed_or_saved(request, batch, scheme, draft=draft)


@batch_view(Action.VIEW)
@takes(RAW)
def scheme_download(request: HttpRequest, batch: Batch, file: str) -> HttpResponseBase:
    """The votes, labels, free texts, workers' quality, queries of the subset, or the scheme."""
    safe = is_safe(request)
    made = found_or_404(scheme_file, batch=batch, file=file, for_spreadsheet=safe)
    return download_lines(*made)


def _previewed_or_saved(
    request: HttpRequest,
    batch: Batch,
    scheme: Scheme,
    *,
    draft: SchemeDraft | None = None,
    text: str | None = None,
) -> HttpResponse:
    contact = request.POST.get("contact", "").strip()
    if "save" not in request.POST:
        return _preview(request, batch, scheme, contact)
    try:
        parameters = {"scheme": scheme.as_json(), "contact": contact}
        version = request.POST.get("version")
        done = perform_here(CHANGE_SCHEME, batch, parameters, who(request), version=version)
    except ParametersError as error:
        problem = " ".join(str(line) for lines in error.errors.values() for line in lines)
        return _page(request, batch, scheme, draft=draft, text=text, problem=problem)
    except InputError as error:
        # What was typed stays on the page, with the version of what holds now.
        return _page(request, batch, scheme, draft=draft, text=text, problem=str(error))
    messages.success(request, done.message)
    return redirect("batch-detail", batch.pk)


def _preview(request: HttpRequest, batch: Batch, scheme: Scheme, contact: str) -> HttpResponse:
    """The first HIT with a scheme that is not saved."""
    texts = replace(page_texts(batch), scheme=scheme, contact=contact)
    return _framed(
        batch_page(
            request, "batch_try", batch, "scheme", hit=_first_hit(batch, texts), is_unsaved=True
        )
    )


def _first_hit(batch: Batch, texts: PageTexts) -> str:
    places = HITQuery.objects.filter(hit__batch=batch, hit__index=0).order_by("place")
    queries = list(places.values_list("query__qid", "query__text", "query__passage"))
    return render(queries, texts) if queries else ""


def _framed(response: HttpResponse) -> HttpResponse:
    """Let a page show the task page within it."""
    response.inline_hashes = inline_hashes()  # type: ignore[attr-defined]
    return response


def _page(
    request: HttpRequest,
    batch: Batch,
    scheme: Scheme,
    *,
    draft: SchemeDraft | None = None,
    text: str | None = None,
    problem: str = "",
    wrong: Wrong = _NOTHING_WRONG,
    done: Done = _NOTHING_DONE,
) -> HttpResponse:
    """Render the page with the typed YAML or draft of the form, else with the scheme."""
    is_draft = batch.state == BatchState.DRAFT
    # What was typed stays on the page, also where the batch was published meanwhile.
    is_edited = request.method == "POST" or (is_draft and Action.MANAGE in may_in(request))
    if draft is None:
        draft = blank_draft(scheme.about) if is_blank(scheme) else draft_of(scheme)
    response = batch_page(
        request,
        "scheme",
        batch,
        "scheme",
        scheme=scheme,
        text=text,
        form=SchemeForm(draft, wrong, done.focus) if is_edited else None,
        problem=problem,
        wrong=wrong,
        is_refused=bool(wrong) and done is _NOTHING_DONE,
        done=done,
        contact=request.POST.get("contact", batch.contact),
        hit="" if is_edited else _first_hit(batch, replace(page_texts(batch), scheme=scheme)),
        versions=list(batch.scheme_versions.order_by("-number")),
        starts=_starts(batch.scheme.about),
        own=own_schemes(user=person_of(request), about=batch.scheme.about, besides=batch).values()
        if is_edited
        else (),
        version=version_of(scheme_state(batch)),
        is_draft=is_draft,
    )
    return _framed(response)


def _starts(about: About) -> list[Scheme]:
    """The blank scheme and the built-in ones that fit, each in all of its languages."""
    built_in = [
        built_in_scheme(name, language)
        for name in schemes_about(about)
        for language in built_in_languages(name)
    ]
    return [blank_scheme(about), *built_in]
