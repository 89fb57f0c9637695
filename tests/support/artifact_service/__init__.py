"""A stand-in on loopback for the artifact service of GitHub Actions."""

from support.artifact_service.service import ArtifactService as ArtifactService
from support.artifact_service.wire import ACT as ACT
from support.artifact_service.wire import GITHUB as GITHUB
from support.artifact_service.wire import SIGNATURE as SIGNATURE
from support.artifact_service.wire import token as token
