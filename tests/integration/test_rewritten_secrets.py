"""A secret of each form in an answer or a session: whoever scores it, no part of it gets out.

What is measured is the answer as it is: the verdicts are those of an answer without secrets.
"""

import json
from pathlib import Path

import pytest

from mergebar import catalogue
from mergebar.catalogue import graders
from support import commands, gates, held, judge_server, traces
from support.judge_server import JudgeServer
from support.secrets import FORMS, parts
from support.servers import Request

AGENT = """\
import json, os, sys
asked = json.loads(sys.stdin.readline())
secret = os.environ["AGENT_API_KEY"]
print(json.dumps({
    "response": f"Two days, says {secret} [1] \\ue200cite\\ue202{secret.lower()}\\ue201",
    "citations": [{"index": 1, "text": secret.lower(), "source": secret.upper()}],
    "diagnostics": {"retrieval_executions": [{
        "capability": "Pages", "status": "success", "queries": [{"queryString": f"q {secret.lower()}"}],
        "retrievalHits": [{"webUrl": f"https://a.example/{secret.lower()}", "rank": 1,
                           "extracts": [{"text": secret.casefold()}]}],
    }]},
}))
"""
OPTIONS: dict[str, dict[str, object]] = {
    "Citations": {"citation_format": "mixed"},
    "RetrievalQuery": {"capability": "Pages", "selector": "q", "includes": ["x"]},
    "RetrievalResult": {
        "capability": "Pages", "expected_items": [{"retrievalExtract_contains": "nowhere"}],
    },
}  # fmt: skip
CONFIG = gates.CONFIG.replace("    timeout: 20s\n", "    timeout: 20s\n    env: [AGENT_API_KEY]\n")


def _words(text: str) -> str:
    return ", ".join("".join(one if one.isalnum() else " " for one in text.casefold()).split())


def _left(ended: commands.Ended) -> str:
    """All that was printed and written, but for the names of files."""
    folder = ended.folder / ".mergebar"
    written = [path.read_text("utf-8", "replace") for path in folder.rglob("*") if path.is_file()]
    assert written
    return "\n".join([ended.stdout, ended.stderr, *written])


def _outcomes(ended: commands.Ended) -> dict[str, str]:
    return {check["name"]: check["outcome"] for check in ended.report()["checks"]}


def _document() -> str:
    one = {name: OPTIONS.get(name, {}) for name in sorted(catalogue.EVALUATORS)}
    return gates.document(gates.item("first", "Two days.", evaluators=one))


def test_what_is_measured_is_the_answer_as_it_is(tmp_path: Path) -> None:
    secret = FORMS["mixed case"]
    exact = f"Two days, says {secret} [1] \ue200cite\ue202{secret.lower()}\ue201"
    evaluators = {"ExactMatch": {"case_sensitive": True}, "PartialMatch": {}}
    item = gates.item("first", exact, evaluators=evaluators)
    here = gates.repository(tmp_path, item, config=CONFIG, **{"agent.py": AGENT})

    environ = {"AGENT_API_KEY": secret}
    ended = commands.inside("run", "--all", cwd=here.path, environ=environ)

    scores = {check["name"]: check["score"] for check in ended.report()["checks"]}
    assert scores == {"ExactMatch": 1.0, "PartialMatch": 1.0}


@pytest.mark.parametrize("form", FORMS)
def test_no_evaluator_lets_a_part_of_an_answers_secret_out(tmp_path: Path, form: str) -> None:
    secret = FORMS[form]

    def judged(request: Request) -> object:
        return judge_server.verdict(5, f"It says {_words(secret)} and {secret.upper()}.")

    with JudgeServer(judged) as server:  # type: ignore[arg-type]
        config = f"{CONFIG}report: {{responses: everywhere}}\n{gates.judge(server.base_url)}"
        files = {"agent.py": AGENT, "evals/desk.json": _document()}
        here = gates.repository(tmp_path, config=config, **files)
        environ = {"AGENT_API_KEY": secret, "JUDGE_KEY": "no-secret-1"}
        ended = commands.inside("run", "--all", "--record", cwd=here.path, environ=environ)

    found = _left(ended).lower()
    assert "***" in found
    assert not [part for part in parts(secret) if part in found]
    checks = ended.report()["checks"]
    assert {check["name"] for check in checks} == set(catalogue.EVALUATORS)
    assert not [check for check in checks if check["outcome"] == "error"], ended.said


EVALS = {
    "ai": "- {id: ai, assertion: The agent was kind.}",
    "human": "- {id: human, grader: human, assertion: It reads well.}",
    "command": "- {id: command, grader: command, assertion: It is so, command: [python3, look.py, '{trace}']}",
    "tool-usage": "- {id: tool-usage, grader: tool-usage, options: {tool: Bash, expect: not-used}}",
    "tool-order": "- {id: tool-order, grader: tool-order, options: {before: Bash, after: Read}}",
    "skill-invoked": "- {id: skill-invoked, grader: skill-invoked, options: {skill: 'other:mend'}}",
    "file-access": "- {id: file-access, grader: file-access, options: {path: '**', expect: not-accessed}}",
    "turn-count": "- {id: turn-count, grader: turn-count, options: {max: 5}}",
    "cost": "- {id: cost, grader: cost, options: {maxUsd: 5}}",
    "regex": "- {id: regex, grader: regex, options: {pattern: dry, expect: no-match}}",
    "json-output": "- {id: json-output, grader: json-output, options: {schema: {type: object, "
    "properties: {a: {type: integer}}, propertyNames: {maxLength: 3}}}}",
}
LOOK = """\
import re, sys
print(" ".join(re.findall("[a-z0-9]+", open(sys.argv[1]).read().lower())), file=sys.stderr)
sys.exit(1)
"""


def _session(secret: str) -> str:
    said = json.dumps({"a": secret, secret.lower(): _words(secret)})
    return held.recorded(
        traces.chained([
            traces.said(f"Please mend {secret.lower()}."),
            traces.replied(traces.call("Skill", "t1", skill="mend")),
            traces.said([traces.result("t1")]),
            traces.replied(traces.call("Read", "t2", file_path=f"{traces.CWD}/{_words(secret)}/x")),
            traces.said([traces.result("t2")]),
            traces.replied(traces.call("Bash", "t3", command=secret.casefold())),
            traces.said([traces.result("t3")]),
            traces.replied(traces.text(said)),
        ])
    )  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_no_grader_lets_a_part_of_a_sessions_secret_out(tmp_path: Path, form: str) -> None:
    secret = FORMS[form]

    def judged(request: Request) -> object:
        del request
        value = {"match": "fail", "confidence": 0.9, "observed": _words(secret),
                 "reason": f"It says {_words(secret)}."}  # fmt: skip
        return judge_server.says(json.dumps(value))

    with JudgeServer(judged) as server:  # type: ignore[arg-type]
        config = f"{held.CONFIG}report: {{responses: everywhere}}\n{gates.judge(server.base_url)}"
        files = {held.SKILL: held.skill(*EVALS.values()), "look.py": LOOK}
        files |= {"traces/mend.jsonl": "", ".gitignore": ".mergebar/\ntraces/\n"}
        here = held.repository(tmp_path, files, config=config)
        (here.path / "traces").mkdir(exist_ok=True)
        (here.path / "traces/mend.jsonl").write_text(_session(secret))
        environ = {"AGENT_API_KEY": secret, "JUDGE_KEY": "no-secret-1"}
        ended = commands.inside("run", "--all", "--record", cwd=here.path, environ=environ)

    found = _left(ended).lower()
    assert "***" in found
    assert not [part for part in parts(secret) if part in found]
    names = {check["name"] for check in ended.report()["checks"]}
    assert names == set(EVALS) == set(graders.GRADERS)
    assert _outcomes(ended)["file-access"] == "fail", ended.said
