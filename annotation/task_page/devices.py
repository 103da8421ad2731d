"""Devices that annotators may use for a task page. Pure."""

from annotation.schemes import Scheme

DEVICES = ("desktop", "tablet", "mobile")


def devices_for(scheme: Scheme) -> tuple[str, ...]:
    """Devices for a batch that asks the questions of this scheme.

    Every page works by mouse, keyboard and touch, and on a phone's screen. Only a question whose
    answer has to be typed leaves out phones, where typed answers are short.
    """
    typed = any(
        question.required and not question.kind.has_options for question in scheme.questions
    )
    return tuple(device for device in DEVICES if not (typed and device == "mobile"))
