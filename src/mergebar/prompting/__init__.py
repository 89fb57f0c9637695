"""What a judge is told and how its word is read: messages, verdicts, votes. No judge is called."""

from mergebar.prompting.claims import CLAIM_PROMPT_VERSION as CLAIM_PROMPT_VERSION
from mergebar.prompting.claims import claim_messages as claim_messages
from mergebar.prompting.messages import PROMPT_VERSION as PROMPT_VERSION
from mergebar.prompting.messages import Message as Message
from mergebar.prompting.messages import messages as messages
from mergebar.prompting.opinions import parse_opinion as parse_opinion
from mergebar.prompting.replies import Unusable as Unusable
from mergebar.prompting.verdicts import parse_verdict as parse_verdict
from mergebar.prompting.votes import median_votes as median_votes
