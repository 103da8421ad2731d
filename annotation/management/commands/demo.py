"""The whole study on the sample that ships with the project, offline."""

import os
import subprocess
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command

from annotation.core.base_command import FairpoolCommand
from annotation.management.demo_study import NAME, STEPS, Study
from annotation.management.site import address_of, free_port, is_taken, running_site
from annotation.overview.operations.demo import remove_demo
from metrics.cli.numbers import seed
from metrics.io.file_kinds import REPORT_PAGE, text_kind
from metrics.io.outputs import add_force_option, output_folder

_AGREEMENT = text_kind("what `agreement` found", '{\n  "n_queries"')


class Command(FairpoolCommand):
    help = "Run the whole study on the sample: runs, bias, pool, crowd, labels, tables, figure."
    example = "demo --output demo-output --seed 1"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--output",
            type=output_folder({"index.html": REPORT_PAGE, "agreement.json": _AGREEMENT}),
            default="demo-output",
            help="Folder for the results (default demo-output).",
        )
        add_force_option(parser)
        parser.add_argument(
            "--seed", type=seed, default=1, help="Makes the run repeatable (default 1)."
        )

    def handle(self, *, seed: int, **options: Any) -> None:
        output = Path(options["output"])
        host, port = address_of(settings.MTURK_LOCAL_ENDPOINT)
        if is_taken(host, port):
            self._run_at(free_port())
            return
        output.mkdir(parents=True, exist_ok=True)
        remove_demo(name=NAME)
        call_command("crowd", "key", "--quiet")
        study = Study(sample=settings.BASE_DIR / "sample", output=output, seed=seed)
        with running_site(host, port, log=settings.DATA_DIR / "demo-site.log"):
            for number, step in enumerate(STEPS, start=1):
                start = time.perf_counter()
                sentence = step(study)
                seconds = time.perf_counter() - start
                self.stdout.write(f"[{number}/{len(STEPS)}] {sentence} ({seconds:.1f} s)")
                self.stdout.flush()
        self.stdout.write(f"Open {output / 'index.html'}, or `make serve` for the study itself.")

    def _run_at(self, port: int) -> None:
        """Start again with the crowd service elsewhere: its address is part of the settings."""
        endpoint = f"http://127.0.0.1:{port}/mturk/"
        self.stdout.write(f"The usual port is taken; the crowd service uses {endpoint} instead.")
        self.stdout.flush()
        done = subprocess.run(  # noqa: S603 - our own arguments
            [sys.executable, *sys.argv],
            env=os.environ | {"MTURK_LOCAL_ENDPOINT": endpoint},
            check=False,
        )
        if done.returncode:
            sys.exit(done.returncode)
