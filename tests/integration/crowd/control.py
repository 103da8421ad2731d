"""The control API of the crowd service, as a rehearsal uses it: signed requests."""

import json
from typing import Any

import requests
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


class CrowdControl:
    """Orders faults and moves the clock for one key pair."""

    def __init__(self, endpoint: str, access_key_id: str, secret_access_key: str) -> None:
        self.url = f"{endpoint}control/"
        credentials = Credentials(access_key_id, secret_access_key)
        self._signer = SigV4Auth(credentials, "mturk-requester", "us-east-1")

    def call(self, operation: str, **params: Any) -> Any:
        request = AWSRequest(
            method="POST",
            url=self.url,
            data=json.dumps(params),
            headers={
                "X-Amz-Target": f"CrowdControl.{operation}",
                "Content-Type": "application/x-amz-json-1.1",
            },
        )
        self._signer.add_auth(request)
        reply = requests.post(
            self.url, data=request.body, headers=dict(request.headers), timeout=120
        )
        assert reply.ok, reply.text
        return reply.json()

    def fault(self, kind: str, operation: str = "", **other: Any) -> None:
        """Order a fault; `other` are Skip, Times, Chance and Detail."""
        self.call("AddFault", Kind=kind, Operation=operation, **other)
