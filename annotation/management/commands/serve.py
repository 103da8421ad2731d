"""Serve the site: the requester's pages, the crowd service, the annotators' pages."""

import os
import sys
from argparse import ArgumentParser
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import OutputWrapper

from annotation.accounts.operations.owner_links import CREATE_OWNER_LINK
from annotation.core.base_command import FairpoolCommand
from annotation.core.operations import Actor
from annotation.core.origin import actor
from annotation.core.perform import perform_here
from annotation.management.owner_link import hand_over, site_note
from annotation.management.rehearsal import rehearse
from annotation.management.site import address_of, is_taken, serve_site
from annotation.reach import check_bind, start_line
from metrics.cli.numbers import whole_number
from metrics.errors import InputError

_ENDPOINT, _REHEARSE = "MTURK_LOCAL_ENDPOINT", "--rehearse-prolific"
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - asked for on the command line
_LAST_PORT, _MOST_THREADS = 65_535, 1_000


class Command(FairpoolCommand):
    help = (
        "Serve the site until Ctrl-C: requester's pages, crowd service, annotators' pages, and a "
        "worker for the background tasks."
    )
    example = "serve --port 8000"

    def add_arguments(self, parser: ArgumentParser) -> None:
        host, port = address_of(settings.MTURK_LOCAL_ENDPOINT)
        parser.add_argument("--host", default=host, help=f"Address to listen at (default {host}).")
        parser.add_argument(
            "--port",
            type=whole_number(0, _LAST_PORT),
            default=port,
            help=f"Port to listen at (default {port}).",
        )
        parser.add_argument(
            "--threads",
            type=whole_number(1, _MOST_THREADS),
            default=40,
            help="Requests answered at once (default 40).",
        )
        parser.add_argument(
            "--without-worker",
            action="store_true",
            help="Leave background tasks to other processes (always so with a broker).",
        )

        parser.add_argument(
            _REHEARSE,
            action="store_true",
            help="Recruit on a market on this machine that answers as Prolific does, while this "
            "runs: no people, no money.",
        )

    def handle(
        self,
        *,
        host: str,
        port: int,
        threads: int,
        without_worker: bool,
        rehearse_prolific: bool,
        **_options: Any,
    ) -> None:
        check_bind([host])
        here = ("127.0.0.1" if host in _EVERYWHERE else host, port)
        site = "http://{}:{}".format(*here)
        is_elsewhere = here != address_of(settings.MTURK_LOCAL_ENDPOINT)
        if is_elsewhere and not settings.VARIABLES.is_set(_ENDPOINT):
            # The crowd service is where the site is: its address is part of the settings.
            self.stdout.write("Tell other commands where the crowd service is:")
            _start_again(self.stdout, {_ENDPOINT: f"{site}/mturk/"}, sys.argv)
        if is_taken(host, port):
            raise InputError(
                f"port {port} of {host} is taken.",
                remedy="Stop what listens there, or give another: --port "
                f"{port + 1} with MTURK_LOCAL_ENDPOINT=http://{host}:{port + 1}/mturk/.",
            )
        if rehearse_prolific:
            self.stdout.write("Prolific is rehearsed. Tell other commands where its market is:")
            # Removed in every abbreviation: with the option, it would restart again and again.
            arguments = [argument for argument in sys.argv if not argument.startswith("--r")]
            _start_again(self.stdout, rehearse(site), arguments)
        call_command("crowd", "key", "--quiet")
        self.stdout.write(f"Batches:          http://{host}:{port}/")
        self.stdout.write(f"Annotators:       http://{host}:{port}/annotate/")
        self.stdout.write(f"Crowd service:    http://{host}:{port}/mturk/")
        self.stdout.write(start_line([host]))
        site_note(site)
        if not settings.OPEN:
            self._hand_over_link(site)
        with_worker = not (without_worker or settings.CELERY_BROKER_URL)
        self.stdout.write("Ctrl-C stops it.")
        self.stdout.flush()
        if serve_site(host, port, threads=threads, with_worker=with_worker):
            raise InputError(
                "the web server ended by itself.", remedy="Its messages above say why."
            )

    def _hand_over_link(self, site: str) -> None:
        link = perform_here(CREATE_OWNER_LINK, None, {}, Actor(actor())).made
        handed = hand_over(link, site=site, stdout=self.stdout)
        self.stdout.write(f"Sign in (once, by {link.expires_at:%H:%M} UTC): {handed}")


def _start_again(stdout: OutputWrapper, changed: dict[str, str], arguments: list[str]) -> NoReturn:
    """Go on in this process with other settings, which other commands need as well."""
    stdout.write("export " + " ".join(f"{name}={value}" for name, value in changed.items()))
    stdout.flush()
    os.execve(sys.executable, [sys.executable, *arguments], os.environ | changed)  # noqa: S606 - ours
