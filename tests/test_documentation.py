"""What the documents say is held to the code."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest

from tests.conftest import ROOT
from tfcore.__main__ import parser
from tfcore.errors import LabError
from tfcore.settings import QUERY_KEYS, parse_query

README = (ROOT / "README.md").read_text()
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()


def code_blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_documented_commands_are_understood():
    commands = re.findall(r"-m tfcore ([^\n`]*)", README)
    assert commands
    for command in commands:
        parser().parse_args(shlex.split(command))


def test_every_option_of_the_command_line_is_documented():
    for option in ("--gpus", "--memory", "--strict", "--cpu-devices", "--json"):
        assert option in README
        parser().parse_args(["devices", option, *(["1"] if option in ("--cpu-devices", "--gpus", "--memory") else [])])


def test_the_documented_addresses_are_settings():
    examples = re.findall(r"`((?:gpus|memory|placement|cpu_devices)=[^`]+)`", README)
    assert {example.split("=")[0] for example in examples} == set(QUERY_KEYS)
    for example in examples:
        key, _, value = example.partition("=")
        assert parse_query({key: value})[1] == (), example


def test_the_documented_make_targets_are_there():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make ([a-z]+)", README):
        assert re.search(rf"^{target}:.*## ", makefile, re.MULTILINE), target
    helped = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert all(f"{target} " in helped for target in ("help", "run", "test"))


@pytest.mark.parametrize("document", [README, ARCHITECTURE], ids=["README", "ARCHITECTURE"])
def test_the_files_that_the_documents_name_are_there(document):
    named = re.findall(r"(?:^|[\s(`])((?:tfcore|pages|tests|benchmarks|\.streamlit)/[\w./]*\w)", document)
    assert named
    for path in named:
        assert (ROOT / path).exists(), path


def test_the_recipe_in_the_readme_runs(shared_backend, monkeypatch, capsys):
    (recipe,) = code_blocks("python")
    monkeypatch.chdir(ROOT)
    exec(compile(recipe, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert printed.count("After warm-up, synchronised") == 2
    assert "['CPU:0', 'CPU:1']" in printed


def test_the_widget_keys_in_the_readme_are_those_of_the_pages():
    sources = "".join(path.read_text() for path in (ROOT / "pages").rglob("*.py"))
    in_code = set(re.findall(r"key=\"(\w+)\"", sources)) | {"try_it_cancel", "estimate_cancel"}
    rows = re.findall(r"^\| (?:sidebar|`pages).*\| (.*) \|$", README, re.MULTILINE)
    documented = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    assert documented <= in_code
    widgets = re.findall(
        r"st\.(?:button|toggle|selectbox|number_input|pills|segmented_control)\((?:[^()]|\([^()]*\))*?key=\"(\w+)\"",
        sources,
    )
    assert set(widgets) <= documented


def test_the_tree_of_errors_in_the_docstring_is_the_tree_in_the_code():
    from tfcore import errors

    for kind in LabError.__subclasses__():
        assert f"├── {kind.__name__} " in errors.__doc__ or f"└── {kind.__name__} " in errors.__doc__
