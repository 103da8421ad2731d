"""Let a batch ask for more than two votes only where they can matter."""

from dataclasses import asdict

from annotation.batches.operations.adaptive_policy import adaptive_begin
from annotation.batches.operations.terms import AdaptiveParameters
from annotation.core.operations import Operation, Result, Run
from annotation.models import Batch


class BeginAdaptive(Operation[Batch, AdaptiveParameters]):
    """Let a batch of two assignments per HIT ask for a third vote where two differ."""

    name = "begin adaptive"
    title = "Ask adaptively"
    subject = Batch
    parameters = AdaptiveParameters

    def run(self, subject: Batch, parameters: AdaptiveParameters, run: Run) -> Result:
        adaptive_begin(batch=subject, actor=run.actor.name, terms=parameters)
        return Result(asdict(parameters), "The batch asks adaptively now.")


BEGIN_ADAPTIVE = BeginAdaptive()
