"""Answer an annotator's message."""

from dataclasses import dataclass

from annotation.batches.operations.channels import log_channel
from annotation.batches.operations.refresh import snapshot_after
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.connection import batch_people
from annotation.models import Batch
from annotation.vocabulary import AuditAction


@dataclass(frozen=True, kw_only=True)
class AnswerInquiryParameters:
    inquiry: str = parameter(max_length=64, help_text="Id of the message.")
    text: str = parameter(
        max_length=2_000, label="Answer", help_text="The annotator reads it.", style={"rows": 4}
    )


class AnswerInquiry(Operation[Batch, AnswerInquiryParameters]):
    """Answer a message of an annotator, once. The annotator reads it beside the message.

    Both stay on the crowd service, and are deleted with the person.
    """

    name = "answer message"
    example = {"inquiry": "3INQUIRY", "text": "Both names are counted."}
    title = "Answer"
    button = "Send the answer"
    subject = Batch
    parameters = AnswerInquiryParameters
    states = PUBLIC_STATES

    def run(self, subject: Batch, parameters: AnswerInquiryParameters, run: Run) -> Result:
        inquiry = batch_people(subject).answer_inquiry(parameters.inquiry, parameters.text)
        # Not the text: the log outlives the person.
        log_channel(
            subject, run.actor.name, AuditAction.MESSAGE_ANSWERED, inquiry=inquiry.inquiry_id
        )
        snapshot_after(subject)
        return Result(message="The annotator can read your answer.", made=inquiry)


ANSWER_INQUIRY = AnswerInquiry()
