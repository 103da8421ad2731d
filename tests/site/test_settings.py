"""The settings and their description."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
READ = re.compile(r'(?:env\.\w+|_database)\(\s*"([A-Z_]+)"')
DESCRIBED = re.compile(r"^#?([A-Z_]+)=", re.MULTILINE)
#: What the library of the bucket reads by itself.
OF_THE_BUCKET = {
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
}
#: What compose.yaml and the scripts that it runs read by themselves.
OF_THE_COMPOSITION = {"POSTGRES_PASSWORD", "FAIRPOOL_DOMAIN", "BACKUPS_KEPT"}


def test_every_variable_that_the_settings_read_is_described() -> None:
    read = set(READ.findall((ROOT / "config" / "settings.py").read_text(encoding="utf-8")))
    described = set(DESCRIBED.findall((ROOT / ".env.example").read_text(encoding="utf-8")))
    assert len(read) > 20
    assert read | OF_THE_BUCKET | OF_THE_COMPOSITION == described
