"""Client of one server, with methods for its REST interface."""

from __future__ import annotations

import json
import os
import time
import urllib.parse
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, cast

from . import files
from .errors import RefusedError, TroupeError, UnreachableError
from .events import ServerEvent, server_events
from .files import Path, StoredMedium
from .streams import Streams
from .transport import Query, Token, Transport, with_query
from .types import (
    Algorithm,
    ApiKey,
    CoreResponse,
    DetectionOutputObject,
    DuplicateGroups,
    InfoModel,
    JobCreationRequest,
    JobCreationResponse,
    ListedJob,
    ListJobsQuery,
    ListPeopleQuery,
    NewApiKey,
    Occurrence,
    Person,
    PersonSplitTracksItem,
    Pipeline,
    SearchDuplicatesQuery,
    SearchHit,
    SearchQuery,
    SimilarPage,
    SimilarRequest,
    SingleJobInfo,
    VectorModels,
)

#: Seconds without data after which a stream of events counts as broken. The server sends data every 15 s.
SILENCE_S = 45.0
#: Seconds between two requests for the state of a job while no events arrive.
LOOK_S = 0.5


class Client:
    """Client of one server. ``url``: its address. ``token``: an access token, an API key, or a function that returns one.

    The defaults are the environment variables TROUPE_URL (else http://127.0.0.1:8080) and TROUPE_TOKEN. All methods raise
    RefusedError if the server refuses the request, and UnreachableError if no server answers.
    """

    def __init__(self, url: str | None = None, token: Token | None = None) -> None:
        address = url or os.environ.get("TROUPE_URL") or "http://127.0.0.1:8080"
        self.transport = Transport(address, os.environ.get("TROUPE_TOKEN", "") if token is None else token)
        self.streams = Streams(self.transport)

    # Jobs

    def analyze(
        self, medium: Path, pipeline: str, properties: Mapping[str, str] | None = None, timeout_s: float | None = None
    ) -> DetectionOutputObject:
        """Runs a pipeline over a file or a URI and returns the detection document.

        Uploads a file that the server cannot read. Raises TroupeError if the job ends without a document, and TimeoutError if it
        has not ended after ``timeout_s`` seconds.
        """
        request: JobCreationRequest = {"media": [{"mediaUri": self.uri_of(medium)}], "pipelineName": pipeline}
        if properties is not None:
            request["jobProperties"] = dict(properties)
        job = self.wait(self.create_job(request)["jobId"] or "", timeout_s)
        return self.document(job["jobId"])

    def uri_of(self, medium: Path) -> str:
        """Returns a URI of the medium for the server. Uploads a file that the server cannot read."""
        text = os.fspath(medium)
        if urllib.parse.urlsplit(text).scheme in ("http", "https", "file", "data", "s3"):
            return text
        path = os.path.abspath(text)
        uri = "file://" + urllib.parse.quote(path)
        checked = self.transport.json("POST", "/rest/media/check", None, {"mediaUris": [uri]})
        if checked["media"][0]["usable"]:
            return uri
        return self.upload(path)["mediaUri"]

    def create_job(self, request: JobCreationRequest, idempotency_key: str | None = None) -> JobCreationResponse:
        """Creates a job. It is created only once, even if the request is repeated while the server is busy.

        ``coreResponse.message`` of the answer names the parts of the request that have no effect.
        """
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        return cast(JobCreationResponse, self.transport.json("POST", "/rest/jobs", None, request, headers))

    def job(self, job_id: str) -> SingleJobInfo:
        """Returns the state of a job, with all details."""
        return cast(SingleJobInfo, self.transport.json("GET", job_path(job_id), {"details": True}))

    def jobs(self, query: ListJobsQuery | None = None) -> Iterator[ListedJob]:
        """Yields all matching jobs, newest first. Requests further pages as they are read."""
        for page in self._pages("/rest/jobs", cast(Query, query or {}), "before"):
            yield from page["jobs"]

    def wait(self, job_id: str, timeout_s: float | None = None) -> SingleJobInfo:
        """Waits until a job has ended, successfully or not, and returns its state.

        Raises TimeoutError if it has not ended after ``timeout_s`` seconds. The job then continues.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            if until is None:
                for _ in self.job_events(job_id):
                    pass
            job = self.job(job_id)
            if job["terminal"]:
                return job
            if until is not None and time.monotonic() > until:
                raise TimeoutError(f"Job {job_id} has not ended after {timeout_s} s. It continues.")
            time.sleep(LOOK_S)

    def job_events(self, job_id: str) -> Iterator[Mapping[str, Any]]:
        """Yields the states of a job, from the current one until its end, or until the connection breaks.

        Each has jobStatus, jobProgress (percent), terminal, stage, task, waitingFor and remaining.
        """
        for event in self.events(f"{job_path(job_id)}/events"):
            if event.name == "job":
                yield json.loads(event.data)

    def events(self, path: str) -> Iterator[ServerEvent]:
        """Yields the server-sent events of a path. Ends without an error when the connection breaks."""
        try:
            yield from server_events(self.transport.lines(path, {"accept": "text/event-stream"}, SILENCE_S))
        except UnreachableError:
            return

    def cancel(self, job_id: str) -> CoreResponse:
        return cast(CoreResponse, self.transport.json("POST", f"{job_path(job_id)}/cancel"))

    def delete_job(self, job_id: str) -> None:
        """Deletes a job that has ended, with its files."""
        self.transport.json("DELETE", job_path(job_id))

    # Results

    def document(self, job_id: str) -> DetectionOutputObject:
        """Returns the detection document of a job that has ended. Raises TroupeError if it has none."""
        try:
            document = self.transport.json("GET", f"{job_path(job_id)}/output/detection")
        except RefusedError as error:
            if error.status != 400 or error.code is not None:
                raise
            job = self.job(job_id)
            raise TroupeError(f"Job {job_id} is {job['jobStatus']} and has no detection document.") from error
        return cast(DetectionOutputObject, document)

    def export(self, job_id: str, form: str, to: Path, media_id: int | None = None) -> int:
        """Writes the document to a file in another format (csv, vtt, srt, coco, ...). Returns the number of bytes."""
        query = {"format": form, "media": media_id}
        return files.save(self.transport, with_query(f"{job_path(job_id)}/output/detection", query), to)

    def download(self, job_id: str, href: str, to: Path) -> int:
        """Writes a file of a job to a file here, and returns the number of bytes.

        ``href``: a link in the document, such as media/31 or media/31/markup. Raises IncompleteError if the connection breaks.
        The same call then resumes the download.
        """
        return files.download(self.transport, f"{job_path(job_id)}/{href}", to)

    # Search

    def search(self, query: SearchQuery | None = None) -> Iterator[SearchHit]:
        """Yields all hits, newest first. Requests further pages as they are read."""
        for page in self._pages("/rest/search", cast(Query, query or {}), "cursor"):
            yield from page["hits"]

    def similar(self, request: SimilarRequest) -> SimilarPage:
        """Returns the tracks most similar to a track, a vector, a picture or words."""
        return cast(SimilarPage, self.transport.json("POST", "/rest/search/similar", None, request))

    def vector_models(self) -> VectorModels:
        """Returns the models that can make a vector of a picture for ``similar``."""
        return cast(VectorModels, self.transport.json("GET", "/rest/search/models"))

    def duplicates(self, query: SearchDuplicatesQuery | None = None) -> DuplicateGroups:
        """Returns groups of pictures that are almost equal."""
        return cast(DuplicateGroups, self.transport.json("GET", "/rest/search/duplicates", cast(Query, query or {})))

    # People

    def people(self, query: ListPeopleQuery | None = None) -> Iterator[Person]:
        """Yields people: groups of similar faces in all media. Requests further pages as they are read."""
        for page in self._pages("/rest/people", cast(Query, query or {}), "cursor"):
            yield from page["people"]

    def occurrences(self, person_id: str) -> Iterator[Occurrence]:
        """Yields the tracks that show a person, newest job first."""
        for page in self._pages(person_path(person_id), {}, "cursor"):
            yield from page["tracks"]

    def name_person(self, person_id: str, name: str | None) -> Person:
        """Sets the name of a person. None removes it."""
        return cast(Person, self.transport.json("PATCH", person_path(person_id), None, {"name": name}))

    def merge_people(self, person_id: str, other: str) -> Person:
        """Merges the other person into this one. Returns this person."""
        return cast(Person, self.transport.json("POST", f"{person_path(person_id)}/merge", None, {"person": other}))

    def split_person(self, person_id: str, tracks: list[PersonSplitTracksItem]) -> Person:
        """Moves tracks to a new person. Returns the new person."""
        return cast(Person, self.transport.json("POST", f"{person_path(person_id)}/split", None, {"tracks": tracks}))

    def forget_person(self, person_id: str) -> None:
        self.transport.json("DELETE", person_path(person_id))

    # Media

    def upload(self, file: Path, resume: str | None = None) -> StoredMedium:
        """Uploads a file, a large one in pieces. Use ``mediaUri`` of the answer in jobs.

        The server deletes the upload at ``expires``. ``resume``: ``upload_id`` of the IncompleteError of an earlier call.
        """
        return files.upload(self.transport, file, resume)

    def delete_upload(self, upload_id: str) -> None:
        self.transport.json("DELETE", f"/rest/media/{urllib.parse.quote(upload_id, safe='')}")

    # Catalog, keys and the server

    def pipelines(self) -> list[Pipeline]:
        return cast("list[Pipeline]", self.transport.json("GET", "/rest/pipelines"))

    def algorithms(self) -> list[Algorithm]:
        return cast("list[Algorithm]", self.transport.json("GET", "/rest/algorithms"))

    def create_key(self, name: str, days: int = 90, role: str = "USER") -> NewApiKey:
        """Creates an API key. The server shows ``key`` only in this answer. An API key cannot create others."""
        body = {"name": name, "days": days, "role": role}
        return cast(NewApiKey, self.transport.json("POST", "/rest/keys", None, body))

    def keys(self) -> list[ApiKey]:
        return cast("list[ApiKey]", self.transport.json("GET", "/rest/keys")["keys"])

    def revoke_key(self, key_id: str) -> None:
        self.transport.json("DELETE", f"/rest/keys/{urllib.parse.quote(key_id, safe='')}")

    def info(self) -> InfoModel:
        return cast(InfoModel, self.transport.json("GET", "/rest/info"))

    def ask(self, method: str, path: str, query: Query | None = None, body: object = None) -> Any:
        """Sends any other request. Returns the JSON of the answer, or None if it is empty. /rest/openapi.json lists all paths."""
        return self.transport.json(method, path, query, body)

    def _pages(self, path: str, query: Query, cursor: str) -> Iterator[Any]:
        """Yields pages until ``next`` is null. A page can be empty even if more pages follow."""
        at = query.get(cursor)
        while True:
            page = self.transport.json("GET", path, {**query, cursor: at})
            yield page
            at = page["next"]
            if at is None:
                return


def job_path(job_id: str) -> str:
    return f"/rest/jobs/{urllib.parse.quote(job_id, safe='')}"


def person_path(person_id: str) -> str:
    return f"/rest/people/{urllib.parse.quote(person_id, safe='')}"
