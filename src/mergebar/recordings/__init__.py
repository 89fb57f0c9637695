"""What agents and judges said, kept in files: read, written, played back and recorded."""

from mergebar.recordings.entries import FOLDER as FOLDER
from mergebar.recordings.entries import NOTE as NOTE
from mergebar.recordings.entries import RecordedAnswer as RecordedAnswer
from mergebar.recordings.entries import RecordedOpinion as RecordedOpinion
from mergebar.recordings.entries import RecordedVerdict as RecordedVerdict
from mergebar.recordings.entries import Recording as Recording
from mergebar.recordings.files import dump as dump
from mergebar.recordings.files import load as load
from mergebar.recordings.files import merged as merged
from mergebar.recordings.files import path_of as path_of
from mergebar.recordings.playback import Playback as Playback
from mergebar.recordings.recorder import Recorder as Recorder
from mergebar.recordings.recorder import RecordingAgent as RecordingAgent
from mergebar.recordings.recorder import RecordingJudge as RecordingJudge
