"""The same calls by way of other evaluators: for each item an answer, then one verdict on it.

`python peer_loops.py NAME PORT ITEMS CONCURRENCY`, with a Python that has the peer installed. Each
is used as its own documentation begins: its own judge, its own concurrency, one judged metric.
"""

import json
import os
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

KEY = "benchmark"


def _answer(port: int, number: int) -> str:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/agent",
        data=json.dumps({"prompt": f"Question {number}"}).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as reply:  # noqa: S310 - loopback, as written above
        return str(json.load(reply)["response"])


def azure_ai_evaluation(port: int, items: int, concurrency: int) -> None:
    """Its relevance evaluator, called from so many threads."""
    from azure.ai.evaluation import RelevanceEvaluator  # noqa: PLC0415 - one peer of several

    relevance = RelevanceEvaluator(
        {
            "type": "openai",
            "base_url": f"http://127.0.0.1:{port}/v1",
            "model": "bench",
            "api_key": KEY,
        }
    )

    def one(number: int) -> object:
        return relevance(query=f"Question {number}", response=_answer(port, number))

    with ThreadPoolExecutor(concurrency) as pool:
        list(pool.map(one, range(items)))


def deepeval(port: int, items: int, concurrency: int) -> None:
    """Its G-Eval with given steps, which is one call."""
    from deepeval.metrics import GEval  # noqa: PLC0415 - one peer of several
    from deepeval.models import GPTModel  # noqa: PLC0415 - as above
    from deepeval.test_case import LLMTestCase, LLMTestCaseParams  # noqa: PLC0415 - as above

    judge = GPTModel(model="gpt-4o-mini", base_url=f"http://127.0.0.1:{port}/v1", api_key=KEY)

    def one(number: int) -> object:
        metric = GEval(
            name="Relevance",
            evaluation_steps=["Does the output answer the input?"],
            evaluation_params=[LLMTestCaseParams.INPUT, LLMTestCaseParams.ACTUAL_OUTPUT],
            model=judge,
            async_mode=False,
        )
        case = LLMTestCase(input=f"Question {number}", actual_output=_answer(port, number))
        return metric.measure(case, _show_indicator=False)

    with ThreadPoolExecutor(concurrency) as pool:
        list(pool.map(one, range(items)))


def inspect_ai(port: int, items: int, concurrency: int) -> None:
    """A task whose model is the agent, and whose scorer asks a model for a grade."""
    from inspect_ai import Task, eval  # noqa: A004, PLC0415 - one peer of several, its own name
    from inspect_ai.dataset import Sample  # noqa: PLC0415 - as above
    from inspect_ai.model import get_model  # noqa: PLC0415 - as above
    from inspect_ai.scorer import model_graded_qa  # noqa: PLC0415 - as above
    from inspect_ai.solver import generate  # noqa: PLC0415 - as above

    def model(name: str) -> object:
        base = f"http://127.0.0.1:{port}/v1"
        return get_model(f"openai/{name}", base_url=base, api_key=KEY, responses_api=False)

    task = Task(
        dataset=[Sample(input=f"Question {one}", target="four hours") for one in range(items)],
        solver=generate(),
        scorer=model_graded_qa(model=model("judge")),
    )
    with TemporaryDirectory() as logs:
        eval(
            task,
            model=model("agent"),
            max_connections=concurrency,
            max_samples=2 * concurrency,
            log_dir=logs,
            display="none",
        )


PEERS = {
    "azure-ai-evaluation": azure_ai_evaluation,
    "deepeval": deepeval,
    "inspect_ai": inspect_ai,
}

if __name__ == "__main__":
    with TemporaryDirectory() as home:
        os.chdir(home)
        os.environ |= {
            "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
            "OPENAI_API_KEY": KEY,
            "INSPECT_LOG_LEVEL": "error",
            "HOME": home,
        }
        PEERS[sys.argv[1]](*map(int, sys.argv[2:]))
        os.chdir(Path(__file__).parent)
