"""What was put to the judge in, the digest that ties a recorded vote to it out."""

from mergebar import identity
from mergebar.model.judgements import Assessment, Claim


def verdict_digest(assessment: Assessment) -> str:
    """What a recorded verdict judged: evaluator, options less the threshold, and all the material.

    The judge and its prompt's version are not in it: a recording stands for the judge.
    """
    material = assessment.material
    return identity.digest(
        {
            "evaluator": assessment.evaluator,
            "options": dict(assessment.options),
            "prompt": material.prompt,
            "history": identity.history_value(material.history),
            "response": material.response,
            "expected_response": material.expected_response,
            "context": material.context,
        }
    )


def opinion_digest(claim: Claim) -> str:
    """What a recorded opinion is about: the assertion, its guidance and all that was shown."""
    return identity.digest(
        {
            "assertion": claim.assertion,
            "target": claim.target,
            "content": claim.content,
            "artifact": claim.artifact,
            "artifact_type": claim.artifact_type,
            "artifact_name": claim.artifact_name,
            "evidence": claim.evidence,
            "passing": list(claim.passing),
            "failing": list(claim.failing),
        }
    )
