"""What the judge is asked to score, in our own words: four rubrics on a scale of 1 to 5.

A version is part of what makes two scores comparable: whoever changes a word counts it up, and a
test holds the two together. How to reply is said once for all of them, in `prompting`.
"""

from mergebar.model.judgements import Rubric

RELEVANCE = Rubric(
    name="Relevance",
    version="relevance/1",
    instructions="""\
Score how well the response answers what the prompt asks. Where earlier turns are given, read the \
prompt as their continuation: a short follow-up means what the conversation makes it mean. Judge \
by what the person wanted to get done. Length, style and politeness don't count, and neither does \
whether the statements are true, as long as they answer the question.

5: answers all of it, and adds something that this person will need next.
4: answers all of it.
3: answers the main point, and leaves out a part that was asked for.
2: is about the subject and helps little: vague, evasive, an error message, or a refusal of \
something that could have been answered.
1: has nothing to do with the question.

When you hesitate between two scores, choose the lower one.
""",
)

COHERENCE = Rubric(
    name="Coherence",
    version="coherence/1",
    instructions="""\
Score how well the response holds together as a text: the order of its thoughts, how each \
sentence follows from the one before it, and whether it contradicts itself. Judge the text as a \
reader who wants to act on it. Whether it is true or complete doesn't count. A short answer that \
says one clear thing is fully coherent; so is a list whose entries belong together.

5: reads in one go; every sentence is in its place.
4: well ordered, with a small bump, such as a repetition or an abrupt change.
3: can be understood, with jumps that the reader has to bridge.
2: fragments, or contradictions about something that matters; the thread is hard to find.
1: can't be followed at all.

When you hesitate between two scores, choose the lower one.
""",
)

GROUNDEDNESS = Rubric(
    name="Groundedness",
    version="groundedness/1",
    instructions="""\
Score how far the response rests on the context. Go through its statements one by one, and look \
for each in the context; what you know yourself is no support. Rewording, summing up and plain \
arithmetic on what is there are supported. Greetings, offers to help and marks of citations are \
not statements.

5: every statement is supported, and all of the context that the prompt asks for is in it.
4: every statement is supported, and something that the prompt asks for and the context has is \
left out.
3: makes no statement that could be looked up, for instance a question back or a plain refusal.
2: makes a statement that the context contradicts or doesn't contain.
1: has nothing to do with the context.

When you hesitate between two scores, choose the lower one.
""",
)

SIMILARITY = Rubric(
    name="Similarity",
    version="similarity/1",
    instructions="""\
Score how far the response says the same as the expected response. Compare what somebody would \
know or do after reading the one and the other. Other words, another order and another length \
don't count. A wrong number, name, step or condition does, even if all the rest agrees.

5: says the same; nothing that matters is missing, added or different.
4: says the same in all that matters, with a small detail missing or added.
3: agrees in the main point, and differs in a part that matters.
2: agrees in little more than the subject.
1: says something else, or the opposite.

When you hesitate between two scores, choose the lower one.
""",
)

RUBRICS = (RELEVANCE, COHERENCE, GROUNDEDNESS, SIMILARITY)
