"""What the documents say is held to the code."""

from __future__ import annotations

import argparse
import dataclasses
import re
import shlex
import subprocess

import pytest

from tests.conftest import ROOT
from tfcore.__main__ import parser
from tfcore.benchmark import Benchmark, Environment, LeftOut, Placed, Plan, Point, Round
from tfcore.contenders import Contender
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
    (commands,) = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    for name, command in commands.choices.items():
        assert f"-m tfcore {name}" in README
        for option in (option for action in command._actions for option in action.option_strings):
            assert option in README or option in ("-h", "--help"), (name, option)


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
    rows = re.findall(r"^\| (?:sidebar|`pages).*\| (.*) \|$", README, re.MULTILINE)
    documented = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    keys = re.findall(r"(?:key=|upload\(|_show\(.*, )f?\"([\w{}.]+)\"", sources)
    patterns = [_pattern(key) for key in keys]
    assert patterns
    for key in documented - {"opened_", "NAME", "place_1_", "place_log_", "place_log_1_"}:
        assert any(re.fullmatch(pattern, key) for pattern in patterns), key
    widgets = re.findall(
        r"st\.(?:button|toggle|selectbox|multiselect|number_input|pills|segmented_control|file_uploader|text_area|text_input"
        r"|download_button)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?key=f?\"([\w{}.]+)\"",
        sources,
    )
    for widget in widgets:
        assert any(re.fullmatch(_pattern(widget), key) for key in documented), widget


def _pattern(key: str) -> str:
    """The keys that a key with parts put in at run time may become."""
    return re.sub(r"\{[^}]*\}", r"\\w+", key)


def test_every_field_of_a_saved_result_is_documented():
    section = README.split("### Saved results")[1].split("\n## ")[0]
    for kind in (Benchmark, Plan, Contender, Environment, Point, Round, Placed, LeftOut):
        for field in dataclasses.fields(kind):
            assert f"`{field.name}`" in section, (kind.__name__, field.name)


def test_the_tree_of_errors_in_the_docstring_is_the_tree_in_the_code():
    from tfcore import errors

    for kind in LabError.__subclasses__():
        assert f"├── {kind.__name__} " in errors.__doc__ or f"└── {kind.__name__} " in errors.__doc__
