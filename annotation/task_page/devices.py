"""Devices that annotators may use for a task page. Pure."""

from annotation.schemes import Kind, Scheme

DEVICES = ("desktop", "tablet", "mobile")


def devices_for(scheme: Scheme | None) -> tuple[str, ...]:
    """Devices for a batch with this scheme; None asks for the paper's categories.

    Every page works by mouse, keyboard and touch, and on a phone's screen. Only a question whose
    answer has to be typed leaves out phones, where typed answers are short.
    """
    typed = scheme is not None and any(
        one.kind == Kind.TEXT and one.required for one in scheme.questions
    )
    return tuple(one for one in DEVICES if not (typed and one == "mobile"))
