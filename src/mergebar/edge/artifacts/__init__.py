"""Artifacts of a workflow run: files in, an artifact out; and an artifact in, its files out."""

from mergebar.edge.artifacts.downloading import fetch as fetch
from mergebar.edge.artifacts.limits import Limits as Limits
from mergebar.edge.artifacts.outcomes import ArtifactTrouble as ArtifactTrouble
from mergebar.edge.artifacts.outcomes import TroubleKind as TroubleKind
from mergebar.edge.artifacts.outcomes import Uploaded as Uploaded
from mergebar.edge.artifacts.packing import Archive as Archive
from mergebar.edge.artifacts.runtimes import artifact_url as artifact_url
from mergebar.edge.artifacts.runtimes import origin as origin
from mergebar.edge.artifacts.unpacking import file_in as file_in
from mergebar.edge.artifacts.uploading import upload as upload
from mergebar.edge.report_names import report_name as report_name
from mergebar.edge.report_names import slug as slug
