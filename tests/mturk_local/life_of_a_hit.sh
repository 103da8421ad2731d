#!/usr/bin/env bash
# The whole life of a HIT with the AWS CLI, unchanged, against the crowd service.
#
# Needs AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ENDPOINT (ending in /mturk/) and AWS (the program).
# Where a person has to answer, it runs ANSWER with the id of the HIT.
set -euo pipefail

mturk() { "$AWS" mturk "$@" --region us-east-1 --endpoint-url "$ENDPOINT" --output text; }
# As text, the CLI prints a --query once per page; the first page holds all there is here.
list() { mturk "$@" --no-paginate; }

question='<HTMLQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd"><HTMLContent><![CDATA[<!DOCTYPE html><html><head><title>Cat?</title></head><body><form method="post" action="https://www.mturk.com/mturk/externalSubmit"><input type="hidden" name="assignmentId" value=""><label><input type="radio" name="label" value="cat" required> cat</label><button>Submit</button></form></body></html>]]></HTMLContent><FrameHeight>0</FrameHeight></HTMLQuestion>'

echo "balance $(mturk get-account-balance --query AvailableBalance)"

type=$(mturk create-hit-type --title "Cat or not" --description "Look at it." --reward 0.10 \
  --assignment-duration-in-seconds 600 --query HITTypeId)
hit=$(mturk create-hit-with-hit-type --hit-type-id "$type" --max-assignments 1 \
  --lifetime-in-seconds 3600 --question "$question" --unique-request-token "cli-1" --query HIT.HITId)
echo "created $(mturk get-hit --hit-id "$hit" --query HIT.HITStatus)"
echo "listed $(list list-hits --query 'length(HITs)')"

"$ANSWER" "$hit"

echo "reviewable $(list list-reviewable-hits --query 'length(HITs)')"
read -r assignment worker < <(list list-assignments-for-hit --hit-id "$hit" \
  --query 'Assignments[0].[AssignmentId,WorkerId]')
mturk approve-assignment --assignment-id "$assignment" --requester-feedback "Thank you"
mturk send-bonus --assignment-id "$assignment" --worker-id "$worker" --bonus-amount 0.05 \
  --reason "Quick" --unique-request-token "cli-bonus-1"
echo "bonus $(list list-bonus-payments --assignment-id "$assignment" --query 'BonusPayments[0].BonusAmount')"
mturk delete-hit --hit-id "$hit"
echo "deleted $(mturk get-hit --hit-id "$hit" --query HIT.HITStatus)"
echo "balance $(mturk get-account-balance --query AvailableBalance)"
