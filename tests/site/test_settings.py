"""Settings: what is understood is used, and everything else ends the start with what to write."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as site
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from pytest_django import Settings

from annotation.management.verbs.site.document import settings_section
from config.variables import GROUPS
from mturk_local import variables as alone
from mturk_local.environment.kinds import SWITCHES
from mturk_local.environment.reading import Environment, SettingsError, Variable, read_file
from tests.commands import run_json
from tests.project import ROOT, Project

VARIABLES = [one for group in GROUPS for one in group.variables]
OF_SERVICE = [one for group in alone.GROUPS for one in group.variables]
NAMES = [one.name for one in VARIABLES]
SECRETS = [one for one in VARIABLES if one.kind.secrets]
#: A value of a secret variable, where it is not any text.
SECRET_VALUES = {
    "DATABASE_URL": ("postgres://lab:{}@db/fairpool", "hunter2/pw"),
    "CROWD_DATABASE_URL": ("postgres://lab:{}@db/crowd", "hunter2-pw"),
    "CELERY_BROKER_URL": ("amqp://lab:{}@rabbit:5672//", "br0ker-pw"),
    "FAIRPOOL_MODEL_KEYS": ('{{"https://models.example.org": "{}"}}', "sk-0a1b2c"),
    "POSTGRES_PASSWORD": ("{}", "Hunter2pw"),
    "FILES_STORAGE_OPTIONS": ('{{"client": {{"secret_key": "{}"}}}}', "bucket-pw"),
}


def read(**environ: str) -> Environment:
    return Environment(GROUPS, environ)


def refusal(**environ: str) -> str:
    with pytest.raises(SettingsError) as refused:
        read(**environ)
    return str(refused.value)


def test_the_files_that_describe_the_settings_are_up_to_date() -> None:
    # If this fails: python manage.py site document
    described = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert described == site.VARIABLES.example()
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page.endswith(f"{settings_section()}\n")


def test_no_variable_is_listed_twice_or_described_by_an_example_that_is_refused(
    tmp_path: Path,
) -> None:
    assert len(NAMES) == len(set(NAMES))
    path = tmp_path / ".env"
    text = re.sub(r"^#(\w+=)", r"\1", (ROOT / ".env.example").read_text(), flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")
    written = read_file(path)
    assert written is not None
    pairs = [line.split("=", 1) for line in written if re.match(r"\w+=", line)]
    shown = Environment(GROUPS, {name: value.strip() for name, value in pairs}).shown()
    assert [name for name, _ in pairs] == NAMES == [one.name for one in shown]


def test_every_variable_of_the_service_is_described() -> None:
    page = (ROOT / "docs" / "mturk-local.md").read_text(encoding="utf-8")
    assert [one.name for one in OF_SERVICE if f"`{one.name}`" not in page] == []


def test_nothing_but_the_table_is_read_by_the_settings() -> None:
    for path in ("config/settings.py", "mturk_local/settings.py"):
        text = (ROOT / path).read_text(encoding="utf-8")
        read_here = set(re.findall(r'env(?:\.is_set)?\("([A-Z_]+)"\)', text))
        assert read_here
        assert read_here <= {one.name for one in (*VARIABLES, *OF_SERVICE)}
        assert set(re.findall(r"os\.environ\S*", text)) == {"os.environ)"}


@pytest.mark.parametrize("variable", [*VARIABLES, *alone.ALONE], ids=lambda one: one.name)
def test_a_dollar_names_no_other_variable(variable: Variable) -> None:
    environ = {variable.name: "$ELSE", "ELSE": "1"}
    group = [next(g for g in (*GROUPS, *alone.GROUPS) if variable in g.variables)]
    try:
        outcome = Environment(group, environ)(variable.name)
    except SettingsError as refused:
        outcome = refused
    if isinstance(outcome, SettingsError):
        assert str(outcome).startswith(f"{variable.name} ")
        assert variable.kind.secrets or "'$ELSE'" in str(outcome)
    else:
        assert outcome == "$ELSE"


@pytest.mark.parametrize(
    "wrong",
    [
        {"FAIRPOOL_BUDGET": "$1"},
        {"FAIRPOOL_BUDGET": "1,200"},
        {"MTURK_HOURLY_FLOOR": "7,25"},
        {"MTURK_HOURLY_FLOOR": "12 USD"},
        {"MTURK_HOURLY_FLOOR": "nan"},
        {"MTURK_HOURLY_FLOOR": "-1"},
        {"UPLOAD_LIMIT_MB": "10GB"},
        {"UPLOAD_LIMIT_MB": "0"},
        {"UPLOAD_LIMIT_MB": "1e4"},
        {"FAIRPOOL_RETENTION_DAYS": "90d"},
        {"FAIRPOOL_RETENTION_DAYS": "-90"},
        {"API_TOKEN_DAYS": "99999999"},
        {"TASK_LEASE_SECONDS": "30s"},
        {"TASK_LEASE_SECONDS": "0"},
        {"WEB_THREADS": "0"},
        {"EMAIL_PORT": "70000"},
        {"SECURE_COOKIES": "enabled"},
        {"DEBUG": "release"},
        {"TRUST_PROXY": "2"},
        {"ALLOWED_HOSTS": "https://fp.example.org"},
        {"ALLOWED_HOSTS": "fp.example.org:8000"},
        {"ALLOWED_HOSTS": "a.example.org b.example.org"},
        {"ALLOWED_HOSTS": "a.example.org;b.example.org"},
        {"ALLOWED_HOSTS": '["a.example.org"]'},
        {"ALLOWED_HOSTS": "::1"},
        {"CSRF_TRUSTED_ORIGINS": "fp.example.org"},
        {"CSRF_TRUSTED_ORIGINS": "https://fp.example.org/fairpool"},
        {"MTURK_LOCAL_TASK_ORIGIN": "tasks.example.org"},
        {"FAIRPOOL_SITE": "fp.example.org"},
        {"FAIRPOOL_SITE": "https://example.org/fairpool"},
        {"MTURK_LOCAL_ENDPOINT": "127.0.0.1:8000/mturk/"},
        {"MTURK_LOCAL_ENDPOINT": "http://127.0.0.1:port/mturk/"},
        {"PROLIFIC_ADDRESS": "api.prolific.com"},
        {"API_RATE": "600"},
        {"API_RATE": "600/fortnight"},
        {"LOG_LEVEL": "LOUD"},
        {"LOG_FORMAT": "xml"},
        {"MTURK_ENVIRONMENT": "prod"},
        {"MTURK_LOCAL_DUPLICATE_FIELDS": "both"},
        {"SCORE_ENGINE": "spark"},
        {"CELERY_QUEUE": "a,b"},
        {"CELERY_BROKER_URL": "localhost:6379"},
        {"FILES_STORAGE": "s3"},
        {"FILES_STORAGE_OPTIONS": "bucket"},
        {"FAIRPOOL_MODEL_KEYS": '["https://models.example.org"]'},
        {"FAIRPOOL_MODEL_KEYS": '{"models.example.org": ""}'},
        {"FAIRPOOL_MODEL_KEYS": '{"https://models.example.org": null}'},
        {"DATABASE_URL": "mysql://lab@db/fairpool"},
        {"DATABASE_URL": "postgres://lab@db"},
        {"EMAIL_HOST": "smtp.example.org:587"},
        {"EMAIL_FROM": "a@example.org\nBcc: b@example.org"},
        {"PROLIFIC_TOKEN": "token\r"},
        {"POSTGRES_PASSWORD": "pass/word"},
        {"FAIRPOOL_FILES_DIR": __file__},
        {"FAIRPOOL_DATA_DIR": f"{__file__}/below"},
        {"FAIRPOOL_DATA_DIR": "~/data"},
        {"SECRET_KEY": "\udcff"},
    ],
    ids=lambda wrong: "=".join(*wrong.items()),
)
def test_what_is_not_understood_names_the_variable_and_what_to_write(wrong: dict[str, str]) -> None:
    [(name, value)] = wrong.items()
    said, kind = refusal(**wrong), next(one for one in VARIABLES if one.name == name).kind
    assert said.startswith(f"{name} ")
    assert f"Write {kind.write}." in said
    is_shown = not kind.secrets and "@" not in value
    assert (repr(value) in said) == is_shown


def test_everything_that_is_wrong_is_said_at_once() -> None:
    said = refusal(UPLOAD_LIMIT_MB="10GB", SECURE_COOKIES="enabled", FAIRPOOL_BUDGET="$1")
    assert len(said.splitlines()) == 3


@pytest.mark.parametrize("variable", SECRETS, ids=lambda one: one.name)
def test_a_secret_is_in_no_message_and_known_to_the_log(variable: Variable) -> None:
    template, secret = SECRET_VALUES.get(variable.name, ("{}", "$abc&d3*0k#skh "))
    environment = read(**{variable.name: template.format(secret.replace("/", "%2F"))})
    assert environment.secrets() == [secret] or secret in environment.secrets()
    assert secret not in str(environment.shown())
    wrong = refusal(**{variable.name: f"{secret}\n{{"})
    assert secret not in wrong


def test_a_secret_is_taken_as_it_is_written() -> None:
    assert read(SECRET_KEY="$abc&d3*0k#skh")("SECRET_KEY") == "$abc&d3*0k#skh"
    assert read(EMAIL_HOST_PASSWORD=" blank ")("EMAIL_HOST_PASSWORD") == " blank "


def test_blanks_in_lists_do_not_count() -> None:
    known = read(
        ALLOWED_HOSTS=" a.example.org, .B.example.org ,, [::1] ",
        CSRF_TRUSTED_ORIGINS="https://A.example.org:443/, https://*.example.org:8443",
        MTURK_LOCAL_KEYS_HOSTS="panel.internal:8443, 127.0.0.1",
    )
    assert known("ALLOWED_HOSTS") == ["a.example.org", ".b.example.org", "[::1]"]
    assert known("CSRF_TRUSTED_ORIGINS") == ["https://a.example.org", "https://*.example.org:8443"]
    assert known("MTURK_LOCAL_KEYS_HOSTS") == ["panel.internal:8443", "127.0.0.1"]


@pytest.mark.parametrize(("word", "value"), SWITCHES.items())
def test_switches_know_these_words(word: str, value: bool) -> None:
    assert read(TRUST_PROXY=f" {word.upper()} ")("TRUST_PROXY") is value


def test_an_empty_variable_is_as_one_that_is_not_set() -> None:
    empty = read(**dict.fromkeys(NAMES, " "))
    assert [one for one in empty.shown() if one.is_set] == []
    assert empty.shown() == read().shown()


def test_defaults_that_follow_from_other_settings() -> None:
    known = read(SECURE_COOKIES="1", EMAIL_USE_SSL="1", MTURK_ALLOW_PRODUCTION="1")
    assert known("SECURE_SSL_REDIRECT") is known("SECOND_FACTOR_REQUIRED") is True
    assert (known("HSTS_SECONDS"), known("EMAIL_PORT")) == (31_536_000, 465)
    assert read(PROLIFIC_ADDRESS="http://127.0.0.1:9")("MTURK_LOCAL_KEYS_HOSTS") == ["127.0.0.1:9"]


def start(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Start a program of the site in a process of its own."""
    return subprocess.run(
        [sys.executable, *(arguments or ("manage.py", "check"))],
        cwd=ROOT,
        env=Project(data_dir=folder, port=1).environment | environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    "program",
    [
        ("manage.py", "batch", "show", "x"),
        ("manage.py", "check"),
        ("-m", "gunicorn", "config.wsgi", "--config", "config/web_server.py", "-b", "127.0.0.1:0"),
        ("-m", "celery", "-A", "config", "worker"),
    ],
    ids=" ".join,
)
def test_the_start_ends_with_a_sentence_and_no_traceback(
    tmp_path: Path, program: tuple[str, ...]
) -> None:
    done = start(tmp_path, *program, FAIRPOOL_BUDGET="$1", UPLOAD_LIMIT_MB="10GB")
    assert done.returncode == 1
    assert "FAIRPOOL_BUDGET is '$1'" in done.stderr
    assert "UPLOAD_LIMIT_MB is '10GB'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({"SECURE_COOKIES": "1"}, "TRUST_PROXY"),
        ({"SECURE_SSL_REDIRECT": "1"}, "TRUST_PROXY"),
        ({"EMAIL_USE_SSL": "1", "EMAIL_USE_TLS": "1"}, "EMAIL_USE_TLS"),
        ({"FAIRPOOL_DATA_DIR": __file__}, "FAIRPOOL_DATA_DIR"),
        ({"FAIRPOOL_DATA_DIR": "/proc/fairpool"}, "FAIRPOOL_DATA_DIR"),
    ],
    ids=str,
)
def test_settings_that_cannot_work_end_the_start(
    tmp_path: Path, environ: dict[str, str], named: str
) -> None:
    done = start(tmp_path, FAIRPOOL_OPEN="0", **environ)
    assert done.returncode == 1
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_https_that_ends_in_the_web_server_needs_no_proxy(tmp_path: Path) -> None:
    done = start(tmp_path, FAIRPOOL_OPEN="0", SECURE_COOKIES="1", SECURE_SSL_REDIRECT="0")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "environ",
    [
        {"MTURK_LOCAL_SECURE_COOKIES": "enabled"},
        {"MTURK_LOCAL_HOSTS": "https://crowd.example.org"},
        {"MTURK_LOCAL_DATA_DIR": __file__},
    ],
    ids=str,
)
def test_the_service_alone_reads_its_settings_by_the_same_rules(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    given = {"MTURK_LOCAL_DATA_DIR": str(tmp_path / "data")} | environ
    done = subprocess.run(
        [sys.executable, "-m", "mturk_local.program", "key"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]} | given,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert next(iter(environ)) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_switch_of_the_service_that_is_off_is_off() -> None:
    for word, value in SWITCHES.items():
        known = Environment(alone.GROUPS, {"MTURK_LOCAL_SECURE_COOKIES": word})
        assert known("MTURK_LOCAL_SECURE_COOKIES") is value


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("KEY = value", 1),
        ("# so\n\nKEY=1\nno assignment", 4),
        ("SECRET_KEY='half", 1),
        ("UPLOAD_LIMIT_MB=500 # megabytes", 1),
    ],
)
def test_a_line_of_the_file_that_is_not_understood_is_named_and_not_shown(
    tmp_path: Path, line: str, number: int
) -> None:
    path = tmp_path / ".env"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(SettingsError, match=rf"\.env, line {number}:") as refused:
        read_file(path)
    assert line.splitlines()[-1] not in str(refused.value)


def test_a_file_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    assert read_file(tmp_path / ".env") is None
    (tmp_path / ".env").mkdir()
    with pytest.raises(ImproperlyConfigured, match=r"\.env"):
        read_file(tmp_path / ".env")
    (tmp_path / "latin").write_bytes(b"SECRET_KEY=\xe9\n")
    with pytest.raises(SettingsError, match="latin"):
        read_file(tmp_path / "latin")


def test_a_file_of_windows_is_read(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_bytes("\ufeff# so\r\nSECRET_KEY='a # b'\r\nexport DEBUG=1 \r\n".encode())
    written = read_file(path)
    assert written is not None
    assert written.read().splitlines() == ["# so", "SECRET_KEY='a # b'", "export DEBUG=1"]


def test_a_name_that_looks_like_a_setting_is_warned_of(settings: Settings) -> None:
    settings.VARIABLES = read(FAIRPOOL_BUGDET="5000", PATH="/bin", MTURK_LOCAL_OTHER="1")
    [warning] = [one for one in checks.run_checks() if one.id == "annotation.W004"]
    assert "FAIRPOOL_BUGDET" in warning.msg
    assert warning.hint is not None
    assert "FAIRPOOL_BUDGET" in warning.hint


@pytest.mark.django_db(databases=["default", "crowd"])
def test_site_check_prints_what_was_understood(settings: Settings) -> None:
    settings.VARIABLES = read(SECRET_KEY="only-for-tests", FAIRPOOL_BUDGET="1200", DEBUG="Yes")
    told = run_json("site", "check")["settings"]
    assert list(told) == NAMES
    assert (told["FAIRPOOL_BUDGET"], told["DEBUG"], told["TRUST_PROXY"]) == ("1200.00", "on", "off")
    assert told["SECRET_KEY"] == "(hidden)"


@pytest.mark.django_db
def test_a_host_after_a_blank_is_answered(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = read(ALLOWED_HOSTS="a.example.org, b.example.org")("ALLOWED_HOSTS")
    for host in ("a.example.org", "b.example.org"):
        assert Client().get("/sign-in/", headers={"host": host}).status_code == 200
