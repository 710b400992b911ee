"""The bodies and queries of the REST interface, generated from its OpenAPI document by `npm run docs:generate`."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Tuple, TypedDict, Union

#: PENDING: attempts follow; DELIVERED: the receiver accepted it; FAILED: no further attempts
DeliveryState = Literal["PENDING", "DELIVERED", "FAILED"]

#: On failure ERROR, or ERROR: and a description
DeliveryStatus = Union[Literal["JOB RUNNING", "IN PROGRESS", "NOT REQUESTED", "COMPLETE", "ERROR"], str]

#: Specification 3.1
JobStatus = Literal["UNKNOWN", "INITIALIZED", "IN_PROGRESS", "IN_PROGRESS_ERRORS", "IN_PROGRESS_WARNINGS", "COMPLETE", "COMPLETE_WITH_WARNINGS", "CANCELLING", "CANCELLED", "CANCELLED_BY_SHUTDOWN", "ERROR"]

#: With format=labelstudio; places are percent of the picture
LabelStudioTasks = List["LabelStudioTasksItem"]

#: Everything of one type that one action found in a medium is a lane
Lanes = List["LanesItem"]


class ActionPropertiesItem(TypedDict):
    #: A property of the algorithm
    name: str
    #: The value that the action gives it
    value: str


class _Action(TypedDict):
    #: Trimmed and in upper case
    name: str
    #: What the action does
    description: str
    #: The algorithm that it runs
    algorithm: str
    #: Values that replace the defaults of the algorithm
    properties: list[ActionPropertiesItem]


class Action(_Action, total=False):
    #: With details=true: problems for jobs that use it
    warnings: list[str]
    #: With details=true: whether the caller may remove it
    removable: bool
    #: With details=true: the component that registered it; null: a user stored it
    component: str | None


class ActionCreationPropertiesItem(TypedDict):
    #: A property of the algorithm
    name: str
    #: The value that the action gives it
    value: str | float | bool


class _ActionCreation(TypedDict):
    #: Name of the action
    name: str
    #: What it does, in a sentence
    description: str
    #: The algorithm that it runs
    algorithm: str


class ActionCreation(_ActionCreation, total=False):
    #: Values that replace the defaults of the algorithm
    properties: list[ActionCreationPropertiesItem] | None


class ActionProgressDoneItem(TypedDict):
    #: The first frame, or millisecond
    start: int
    #: The last one, inclusive
    stop: int


class ActionProgress(TypedDict):
    """Progress of an action of a running job on a medium"""

    #: Name of the task
    task: str
    #: Name of the action
    action: str
    #: WAITING: no part of it has begun; DONE: all findings are in the answer
    state: Literal["WAITING", "RUNNING", "DONE"]
    #: Share of the medium that it has processed
    percent: float
    #: Unit of done; null: the action processes the medium as a whole, or tracks of earlier tasks
    unit: Literal["FRAMES", "MILLISECONDS"] | None
    #: Parts of the medium whose findings are in the answer, with both ends; the longest 500
    done: list[ActionProgressDoneItem]


class ActorInfoLastFailure(TypedDict):
    #: Message, as in the log
    message: str
    #: When it failed
    at: str
    #: false: the cause was outside of the actor, such as a full disk
    counted: bool


class ActorInfoLastMessage(TypedDict):
    #: Kind of the message
    type: str
    #: When processing began
    at: str


class ActorInfo(TypedDict):
    #: <kind>/<id>, as in the log
    name: str
    #: Such as batch-job or service; kinds lists all
    kind: str
    #: Number of the job, name of the service, or receiver of the deliveries
    id: str
    #: Name of the actor that supervises it; null: it is at the top
    parent: str | None
    #: BACKING_OFF: it failed and is loaded again after a delay; ESCALATED: it failed too often and is not loaded until its next message
    state: Literal["IDLE", "WORKING", "BACKING_OFF", "ESCALATED"]
    #: State of the service or status of the job, while the actor is loaded
    status: str | None
    #: Messages in its mailbox, without the one in progress
    messagesWaiting: int
    #: Maximum messages in its mailbox; more are refused
    mailboxLimit: int
    #: Failures within failureWindowMs
    recentFailures: int
    #: More recent failures than this escalate
    allowedFailures: int
    #: Time within which failures count as recent: milliseconds
    failureWindowMs: int
    #: Recorded failures since the server started
    totalFailures: int
    #: Its last failure; null: none is recorded
    lastFailure: ActorInfoLastFailure | None
    #: The last message that it began to process
    lastMessage: ActorInfoLastMessage | None
    #: How long it has been processing the last message: milliseconds
    runningMs: int | None
    #: null: it is not in memory, or just being loaded
    loadedAt: str | None


class ActorKindInfo(TypedDict):
    #: Such as batch-job or service
    kind: str
    #: The kind of the actors that supervise them
    parent: str | None
    #: How many are listed
    actors: int
    #: Since the server started, as the other counts
    restarts: int
    #: How often one of them escalated
    escalations: int
    #: Messages to them that were not delivered
    undelivered: int


class ActorPage(TypedDict):
    #: All kinds, also those that are not listed
    kinds: list[ActorKindInfo]
    #: By kind, in the order in which they were loaded; supervised actors follow their supervisor
    actors: list[ActorInfo]
    #: Value of after for the next page; null: this is the last page
    next: str | None


class AddActionQuery(TypedDict, total=False):
    """Parameters of POST /rest/actions"""

    #: true: with the members that the specification does not list
    details: bool


class AddPipelineQuery(TypedDict, total=False):
    """Parameters of POST /rest/pipelines"""

    #: true: with the members that the specification does not list
    details: bool


class AddTaskQuery(TypedDict, total=False):
    """Parameters of POST /rest/tasks"""

    #: true: with the members that the specification does not list
    details: bool


class AggregatePipelineStatsModel(TypedDict):
    #: Jobs in any status
    count: int
    #: Milliseconds
    maxTime: int
    #: Milliseconds
    minTime: int
    #: Milliseconds
    totalTime: int
    #: Jobs by status
    states: dict[str, int]
    #: Jobs with status COMPLETE; the times are theirs
    validCount: int


class AlgorithmRequiresCollection(TypedDict):
    #: Words for what a task provides or needs, such as DETECTION_FACE
    states: list[str]


class AlgorithmProvidesCollection(TypedDict):
    #: Words for what a task provides or needs, such as DETECTION_FACE
    states: list[str]
    #: Properties that it reads
    properties: list[AlgorithmProperty]


class Algorithm(TypedDict):
    #: Trimmed and in upper case
    name: str
    #: What the algorithm finds
    description: str
    #: DETECTION: it finds something; MARKUP: it draws findings into a copy
    actionType: Literal["DETECTION", "MARKUP"]
    #: Whether batch jobs may use it
    supportsBatchProcessing: bool
    #: Whether streaming jobs may use it
    supportsStreamProcessing: bool
    #: What the task before must provide
    requiresCollection: AlgorithmRequiresCollection
    #: What it provides for later tasks, and its properties
    providesCollection: AlgorithmProvidesCollection


class AlgorithmProperty(TypedDict):
    #: Name of the property
    name: str
    #: What the property does, with its unit and range
    description: str
    #: Type of its value; values are always sent as text
    type: Literal["BOOLEAN", "FLOAT", "DOUBLE", "INT", "LONG", "STRING"]
    #: The value when nothing else sets the property
    defaultValue: str | None
    #: The server property that supplies the default
    propertiesKey: str | None


class AllJobsStatisticsModel(TypedDict):
    #: Time it took to build this answer
    elapsedTimeMs: int
    #: By name of the pipeline
    aggregatePipelineStatsMap: dict[str, AggregatePipelineStatsModel]
    #: Number of entries in aggregatePipelineStatsMap
    jobTypes: int
    #: All jobs that the server knows
    totalJobs: int


class AllStreamingJobsInfoModel(TypedDict):
    #: Numbers of the jobs; empty: none fits
    jobIds: list[int]


class ApiKeyOwner(TypedDict):
    #: Name of the user who made the key
    name: str
    #: Subject of the user at the provider; null: unknown
    subject: str | None
    #: Group of the user; null: none
    group: str | None


class ApiKey(TypedDict):
    #: Id of the key; it is no secret
    id: str
    #: What the key is for
    name: str
    #: What the key may do; ADMIN includes USER
    role: Literal["USER", "ADMIN"]
    #: The user as whom a script acts with the key
    owner: ApiKeyOwner
    #: When the key was made
    created: str
    #: When it ends
    expires: str
    #: To the minute; null: never
    lastUsed: str | None


class ApiKeyList(TypedDict):
    #: Newest first, at most 1,000
    keys: list[ApiKey]


class _ApiKeyRequest(TypedDict):
    #: What the key is for
    name: str


class ApiKeyRequest(_ApiKeyRequest, total=False):
    #: At most that of the caller
    role: Literal["USER", "ADMIN"]
    #: Days until it expires, at most 366
    days: int


class ArchivePost(TypedDict):
    #: Id of this post, the same in each attempt
    assertionId: str
    #: What is posted: the name of the system and the word Tracks
    informationType: str
    #: Always UNCLASSIFIED
    securityTag: str
    #: Name of the system that posts
    system: str
    #: What the job found in the medium
    dataObject: dict[str, Any]


class ArchiveRepostProblemFailuresItem(TypedDict):
    #: Number of the job
    jobId: int
    #: Why it was not posted
    error: str


class ArchiveRepostProblem(TypedDict):
    #: Jobs that were posted again
    success: list[int]
    #: Jobs that were not posted
    failures: list[ArchiveRepostProblemFailuresItem]
    #: What is wrong, and what to do
    message: str
    #: Stable name of the error; docs/reference/rest-errors.md lists all codes
    code: str
    #: Address of the documentation of this code
    help: str


class ArchiveRepostResponseFailuresItem(TypedDict):
    #: Number of the job
    jobId: int
    #: Why it was not posted
    error: str


class ArchiveRepostResponse(TypedDict):
    #: Jobs that were posted again
    success: list[int]
    #: Jobs that were not posted
    failures: list[ArchiveRepostResponseFailuresItem]


class _AuditPageEntriesItem(TypedDict):
    #: When the request was answered
    at: str
    #: Name
    user: str
    #: Subject at the provider; null: unknown
    subject: str | None
    #: Client of the token; null: unknown
    client: str | None
    #: Method of the request
    method: str
    #: Without the query
    path: str
    #: Status of the answer
    status: int
    #: forbidden: the role is missing; refused: the request was wrong; failed: by the server
    outcome: Literal["done", "forbidden", "refused", "failed"]
    #: Address of the client
    ip: str
    #: As in the log
    requestId: str


class AuditPageEntriesItem(_AuditPageEntriesItem, total=False):
    #: The job that was made, or that the path names
    jobId: str


class AuditPage(TypedDict):
    """A page of the audit trail. With a filter it may be short, or empty, although more follow: continue until next is null."""

    #: The newest first
    entries: list[AuditPageEntriesItem]
    #: Value of before for the next page; null: this is the last page
    next: str | None


class BoxPageBoxesItem(TypedDict):
    #: Number of the frame, from 0
    frame: int
    #: The n of its track
    track: int
    #: The lane of its track
    lane: int
    #: Class or text of the track; null: none
    label: str | None
    #: Left edge: pixels from the left edge of the frame
    x: int
    #: Upper edge: pixels from the upper edge of the frame
    y: int
    #: Pixels from the left to the right side
    width: int
    #: Pixels from the upper to the lower side
    height: int
    #: Confidence of the detection; -1: the detector gives none
    confidence: float
    #: x,y of the four corners, if the box is rotated in the stored frame
    corners: str | None


class _BoxPage(TypedDict):
    #: The boxes, by frame
    boxes: list[BoxPageBoxesItem]
    #: The last frame with boxes; later ones are left out, because there are too many
    toFrame: int


class BoxPage(_BoxPage, total=False):
    """By frame, in pixels of the stored frame"""

    #: 
    partial: MediumProgress


class BrowserSessionUser(TypedDict):
    #: Name of the user
    name: str
    #: Subject at the provider; null: unknown
    subject: str | None


class BrowserSession(TypedDict):
    #: Id of the session; it is no secret
    id: str
    #: Who has logged in
    user: BrowserSessionUser
    #: Such as Firefox on Linux; null: unknown
    browser: str | None
    #: When the user logged in
    began: str
    #: To the minute
    lastUsed: str
    #: When it ends without further requests; at most SESSION_MS after the login
    ends: str
    #: true: the request came with it
    current: bool


class BrowserSessionList(TypedDict):
    #: The one that ends last first, at most 1,000
    sessions: list[BrowserSession]


class CallerSession(TypedDict):
    #: The latest time at which it ends
    expires: str
    #: When it ends without further requests
    idleUntil: str


class Caller(TypedDict):
    #: Name of the user, or of the client to which the token was given
    name: str
    #: Subject at the provider; null: unknown
    subject: str | None
    #: ADMIN includes USER
    roles: list[Literal["USER", "ADMIN"]]
    #: Session of the browser; null: the request has a token
    session: CallerSession | None


class CancelStreamingJobQuery(TypedDict, total=False):
    """Parameters of POST /rest/streaming/jobs/{id}/cancel"""

    #: true removes all files of the job; false when absent or empty
    doCleanup: bool


class CocoDocumentInfo(TypedDict):
    #: What the file has, in words
    description: str
    #: Version of this form of the file
    version: str
    #: The program that wrote it
    contributor: str


class CocoDocumentImagesItem(TypedDict):
    #: Number of the image in this file, from 1
    id: int
    #: Pixels
    width: int
    #: Pixels
    height: int
    #: Name of the frame as a file; the ZIP of format=yolo has it under the same name
    file_name: str
    #: URI of the medium
    coco_url: str
    #: mediaId of the medium
    media_id: int
    #: Number of the frame in the medium, from 0
    frame: int


class CocoDocumentCategoriesItem(TypedDict):
    #: Number of the category, from 1
    id: int
    #: CLASSIFICATION of the tracks, or their type
    name: str
    #: Type of the tracks
    supercategory: str


class _CocoDocumentAnnotationsItem(TypedDict):
    #: Number of the box, from 1
    id: int
    #: The image that it is on
    image_id: int
    #: The category that it has
    category_id: int
    #: x, y, width and height: pixels from the upper left corner
    bbox: list[float]
    #: Square pixels
    area: float
    #: Always 0: a box is one object
    iscrowd: Literal[0]
    #: Properties of the detection, and the track that it belongs to
    attributes: dict[str, str | float]


class CocoDocumentAnnotationsItem(_CocoDocumentAnnotationsItem, total=False):
    #: Confidence; absent: the detector gives none
    score: float


class CocoDocument(TypedDict):
    """With format=coco"""

    #: Where the data comes from
    info: CocoDocumentInfo
    #: Always empty: the server does not know the rights to the media
    licenses: list[Any]
    #: Images, and frames of videos on which something was found
    images: list[CocoDocumentImagesItem]
    #: What was found, by name
    categories: list[CocoDocumentCategoriesItem]
    #: The boxes
    annotations: list[CocoDocumentAnnotationsItem]


class Component(TypedDict):
    #: Name in its descriptor
    componentName: str
    #: Version in its descriptor
    componentVersion: str
    #: The server starts and stops its processes; otherwise clients run it
    managed: bool
    #: The user who registered it; null for managed ones
    registeredBy: str | None
    #: Name of the algorithm that its processes run
    algorithm: str
    #: Of a managed one: the registered component that replaces it until it is removed
    replacedBy: str | None
    #: Whether batch jobs may use it: its descriptor has a batchLibrary
    supportsBatchProcessing: bool
    #: Whether streaming jobs may use it: its descriptor has a streamLibrary
    supportsStreamProcessing: bool


class _ComponentDescriptorEnvironmentVariablesItem(TypedDict):
    #: Name of the variable
    name: str
    #: Its value
    value: str | float | bool


class ComponentDescriptorEnvironmentVariablesItem(_ComponentDescriptorEnvironmentVariablesItem, total=False):
    #: The value is appended to an existing one with this between
    sep: Literal[":"] | None


class ComponentDescriptorAlgorithmRequiresCollection(TypedDict):
    #: Words for what a task provides or needs, such as DETECTION_FACE
    states: list[str]


class _ComponentDescriptorAlgorithmProvidesCollectionPropertiesItem(TypedDict):
    #: Name of the property
    name: str
    #: What its value is read as: BOOLEAN, FLOAT, DOUBLE, INT, LONG or STRING
    type: str


class ComponentDescriptorAlgorithmProvidesCollectionPropertiesItem(_ComponentDescriptorAlgorithmProvidesCollectionPropertiesItem, total=False):
    #: What the property does, with its unit and range
    description: str | None
    #: The value when nothing else sets the property; either this or propertiesKey
    defaultValue: str | float | bool | None
    #: The server property that supplies the default; either this or defaultValue
    propertiesKey: str | None


class _ComponentDescriptorAlgorithmProvidesCollection(TypedDict):
    #: Words for what a task provides or needs, such as DETECTION_FACE
    states: list[str]
    #: Properties that the algorithm reads
    properties: list[ComponentDescriptorAlgorithmProvidesCollectionPropertiesItem]


class ComponentDescriptorAlgorithmProvidesCollection(_ComponentDescriptorAlgorithmProvidesCollection, total=False):
    #: The same as trackType of the algorithm, in older descriptors
    trackType: str | None


class _ComponentDescriptorAlgorithm(TypedDict):
    #: Name of the algorithm
    name: str
    #: What the algorithm finds
    description: str
    #: DETECTION; the markup component of the server alone has MARKUP
    actionType: str
    #: What the task before must provide
    requiresCollection: ComponentDescriptorAlgorithmRequiresCollection
    #: What it provides for later tasks, and its properties
    providesCollection: ComponentDescriptorAlgorithmProvidesCollection


class ComponentDescriptorAlgorithm(_ComponentDescriptorAlgorithm, total=False):
    #: Type of its tracks, such as FACE
    trackType: str | None
    #: Raise it when the same media give other results: earlier results are then not reused
    outputChangedCounter: int | None
    #: Types of media that it processes: VIDEO, IMAGE, AUDIO, UNKNOWN; absent: all
    mediaTypes: list[str] | None
    #: Values of CLASSIFICATION that it finds; empty: its tracks have none; absent: unknown
    classes: list[str] | None


class ComponentDescriptorActionsItemPropertiesItem(TypedDict):
    #: A property of the algorithm
    name: str
    #: The value that the action gives it
    value: str | float | bool


class _ComponentDescriptorActionsItem(TypedDict):
    #: Name of the action
    name: str
    #: What it does, in a sentence
    description: str
    #: The algorithm that it runs
    algorithm: str


class ComponentDescriptorActionsItem(_ComponentDescriptorActionsItem, total=False):
    #: Values that replace the defaults of the algorithm
    properties: list[ComponentDescriptorActionsItemPropertiesItem] | None


class ComponentDescriptorTasksItem(TypedDict):
    #: Name of the task
    name: str
    #: What it does, in a sentence
    description: str
    #: Names of actions, which run at a time
    actions: list[str]


class ComponentDescriptorPipelinesItem(TypedDict):
    #: Name of the pipeline
    name: str
    #: What it does, in a sentence
    description: str
    #: Names of tasks, in the order in which they run
    tasks: list[str]


class _ComponentDescriptor(TypedDict):
    #: Name of the component
    componentName: str
    #: Version of the component, as its maker counts
    componentVersion: str | float | bool
    #: Version of the framework that it was made for
    middlewareVersion: str | float | bool
    #: java, c++, python, javascript or typescript
    sourceLanguage: str
    #: Variables of the environment of its processes
    environmentVariables: list[ComponentDescriptorEnvironmentVariablesItem]
    #: The one algorithm of the component
    algorithm: ComponentDescriptorAlgorithm


class ComponentDescriptor(_ComponentDescriptor, total=False):
    #: What runs batch jobs; absent: it runs none
    batchLibrary: str | None
    #: What runs streaming jobs; absent: it runs none
    streamLibrary: str | None
    #: Actions that come with it; absent: one is made
    actions: list[ComponentDescriptorActionsItem] | None
    #: Tasks that come with it; absent: one is made
    tasks: list[ComponentDescriptorTasksItem] | None
    #: Pipelines that come with it; absent: one is made
    pipelines: list[ComponentDescriptorPipelinesItem] | None


class CoreResponse(TypedDict):
    """The result of a call (specification 2.1)"""

    #: 0 success, 1 error, 2 warning
    responseCode: Literal[0] | Literal[1] | Literal[2]
    #: What went wrong; may be null when responseCode is 0
    message: str | None


class CoreResponseProblem(TypedDict):
    #: 0 success, 1 error, 2 warning
    responseCode: Literal[0] | Literal[1] | Literal[2]
    #: What is wrong, and what to do
    message: str
    #: Stable name of the error; docs/reference/rest-errors.md lists all codes
    code: str
    #: Address of the documentation of this code
    help: str


CountSearchQuery = TypedDict(
    "CountSearchQuery",
    {
        # Words of a text, "several in a row", beginnings*, one OR another
        "text": "str",
        # Words of a text, or names of classes, types or colours
        "anything": "str",
        # Only tracks of this class (CLASSIFICATION), such as car
        "class": "str",
        # Only tracks of this type, such as TEXT
        "type": "str",
        # Only jobs that ended, and streams seen, then or later
        "from": "str",
        # Only jobs that ended, and streams seen, before it
        "to": "str",
        # Only this job
        "job": "str",
        # Only tracks of this colour (DOMINANT_COLOR)
        "colour": "Literal[\"red\", \"orange\", \"yellow\", \"green\", \"blue\", \"purple\", \"pink\", \"brown\", \"black\", \"grey\", \"white\"]",
        # Only tracks with at least this confidence
        "minConfidence": "float",
        # Only media with this in their URI
        "medium": "str",
        # Only live streams with this job id or, if not a number, this in their URI
        "camera": "str",
        # Only face tracks of this person, by id or name
        "person": "str",
        # true: only the newest of tracks that several jobs found
        "distinct": "bool",
        # At most 10 times with commas between: how many hits each has as from
        "since": "list[str]",
    },
    total=False,
)


class CountTracksOfMediumQuery(TypedDict, total=False):
    """Parameters of GET /rest/jobs/{id}/media/{mediaId}/counts"""

    #: Length of an interval: milliseconds. Absent: a round length. At most 10000 intervals
    interval: int
    #: Form of the answer
    format: Literal["json", "csv"]


class CreateJobQuery(TypedDict, total=False):
    """Parameters of POST /rest/jobs"""

    #: true: checks the request and returns the plan of the job with 200; nothing is stored
    dryRun: bool


class DeliveryAttemptsItem(TypedDict):
    #: The end of the attempt
    at: str
    #: HTTP status of the answer; null: there was none
    status: int | None
    #: Why it failed; null: it did not
    error: str | None


class Delivery(TypedDict):
    """A callback of a job that has ended"""

    #: The webhook-id of each attempt
    id: str
    #: <hostname>-<job number>
    jobId: str
    #: 
    state: DeliveryState
    #: callbackMethod of the job
    method: Literal["GET", "POST"]
    #: The callback URL of the job, without passwords and tokens
    url: str
    #: 
    jobStatus: JobStatus
    #: The end of the job
    createdAt: str
    #: The last 20, the oldest first
    attempts: list[DeliveryAttemptsItem]
    #: null: none is planned, or the first one has not been made yet
    nextAttempt: str | None


class DeliveryAttempts(TypedDict):
    """Present once an attempt has failed"""

    #: Attempts that failed
    attempts: int
    #: Why the last attempt failed; null: unknown
    lastError: str | None
    #: null: none is planned
    nextAttempt: str | None


class DeliveryPage(TypedDict):
    """A page of deliveries. With a filter it may be short, or empty, although more follow: continue until next is null."""

    #: Those of the jobs that ended last come first
    deliveries: list[Delivery]
    #: Value of before for the next page; null: this is the last page
    next: str | None


class DeployedNodeManagerModel(TypedDict):
    #: All deployed services, one entry for each process
    nodeModels: list[DeployedServiceModel]


class DeployedServiceModelDraining(TypedDict):
    #: When it was paused
    since: str
    #: Name of the administrator
    by: str


class _DeployedServiceModel(TypedDict):
    #: <host>:<service>:<n>
    name: str
    #: serviceLauncher of the service
    kind: Literal["simple", "generic"]
    #: Number of this process of the service, from 1
    rank: int
    #: serviceCount of the service: the number of processes
    serviceCount: int
    #: Specification 3.3
    lastKnownState: Literal["Unknown", "Configured", "Launching", "Running", "ShuttingDown", "ShuttingDownNoRestart", "Inactive", "InactiveNoStart", "Delete", "DeleteInactive"]
    #: Restarts of the process since it was configured
    restartCount: int
    #: The service can no longer be launched
    unlaunchable: bool


class DeployedServiceModel(_DeployedServiceModel, total=False):
    #: It gets no new work; absent: it does
    draining: DeployedServiceModelDraining


class DetectionUprightBox(TypedDict):
    #: Pixels from the left edge of the picture as shown
    x: int
    #: Pixels from the upper edge of the picture as shown
    y: int
    #: Pixels
    width: int
    #: Pixels
    height: int


class _Detection(TypedDict):
    #: Number of the frame in the medium, from 0
    offsetFrame: int
    #: Milliseconds from the start of the medium
    offsetTime: int
    #: Pixels from the left edge of the stored frame
    x: int
    #: Pixels from the upper edge of the stored frame
    y: int
    #: Pixels from the left to the right side of the box
    width: int
    #: Pixels from the upper to the lower side of the box
    height: int
    #: -1 when the detector gives none
    confidence: float
    #: Properties of the detection, by name
    detectionProperties: dict[str, str]
    #: Whether the picture was cut out; NOT_ATTEMPTED: it was not requested
    artifactExtractionStatus: Literal["NOT_ATTEMPTED", "REQUESTED", "COMPLETED", "FAILED"]
    #: URI of the picture that was cut out; null: there is none
    artifactPath: str | None


class Detection(_Detection, total=False):
    """A box in a frame, in pixels of the stored medium"""

    #: With OUTPUT_DETAILS, if the URI of the picture is a file of the server: its path, relative to /rest/jobs/{jobId}/
    artifactHref: str | None
    #: With OUTPUT_DETAILS: the box in the picture as a viewer shows it, if that differs from the stored one
    uprightBox: DetectionUprightBox


class DetectionMediumFrameRangesItem(TypedDict):
    #: The first frame, or millisecond
    start: int
    #: The last one, inclusive
    stop: int


class DetectionMediumTimeRangesItem(TypedDict):
    #: The first frame, or millisecond
    start: int
    #: The last one, inclusive
    stop: int


class DetectionMediumDetectionProcessingErrorsValueItem(TypedDict):
    #: The first frame of the part that failed
    startOffsetFrame: int
    #: The last frame of that part, inclusive
    stopOffsetFrame: int
    #: Milliseconds from the start of the medium to the start of that part
    startOffsetTime: int
    #: Milliseconds from the start of the medium to the end of that part
    stopOffsetTime: int
    #: Stable name of the cause; docs/reference/error-codes.md lists all
    code: str
    #: Description of the problem
    message: str


class _DetectionMediumMarkupResult(TypedDict):
    #: Number of the copy, unique on the server
    id: int
    #: URI of the copy with the tracks drawn in
    path: str
    #: COMPLETE_WITH_WARNING: some boxes could not be drawn
    status: Literal["COMPLETE", "COMPLETE_WITH_WARNING", "FAILED"]
    #: Why it failed, or what could not be drawn; null: nothing is wrong
    message: str | None


class DetectionMediumMarkupResult(_DetectionMediumMarkupResult, total=False):
    #: With OUTPUT_DETAILS, if the URI of the copy is a file of the server: its path, relative to /rest/jobs/{jobId}/
    href: str | None


class _DetectionMediumOutputValueItem(TypedDict):
    #: Name of the action
    source: str
    #: The algorithm that the action ran
    algorithm: str


class DetectionMediumOutputValueItem(_DetectionMediumOutputValueItem, total=False):
    #: Actions that gave the tracks more properties
    annotators: list[str]
    #: What was found; absent below NO TRACKS and TRACKS SUPPRESSED
    tracks: list[Track]


class _DetectionMedium(TypedDict):
    #: Number of the medium, unique on the server
    mediaId: int
    #: The medium that it was extracted from; -1: the request named it
    parentMediaId: int
    #: Its URI without secrets, and without the content of data: URIs
    path: str
    #: SHA-256 of its bytes in hexadecimal digits; empty: it could not be read
    sha256: str
    #: Media type, such as video/mp4
    mimeType: str
    #: UNKNOWN: neither picture, video nor sound, such as a document
    mediaType: Literal["VIDEO", "IMAGE", "AUDIO", "UNKNOWN"]
    #: Frames of a video, 1 for an image, -1 for all else
    length: int
    #: The frames of the request, or pages of a document; empty: all
    frameRanges: list[DetectionMediumFrameRangesItem]
    #: The milliseconds of the request; empty: all
    timeRanges: list[DetectionMediumTimeRangesItem]
    #: What the inspection found, such as DURATION (milliseconds), FPS and FRAME_WIDTH (pixels)
    mediaMetadata: dict[str, str]
    #: Properties of the request for this medium alone
    mediaProperties: dict[str, str]
    #: ERROR: the medium is unusable, or something failed; INCOMPLETE: a part failed, or the job was cancelled
    status: Literal["COMPLETE", "ERROR", "INCOMPLETE"]
    #: By action
    detectionProcessingErrors: dict[str, list[DetectionMediumDetectionProcessingErrorsValueItem]]
    #: A copy of the medium with the findings drawn in; null: there is none
    markupResult: DetectionMediumMarkupResult | None
    #: By track type; NO TRACKS when there are none, TRACKS SUPPRESSED when they are not to be shown
    output: dict[str, list[DetectionMediumOutputValueItem]]


class DetectionMedium(_DetectionMedium, total=False):
    #: Of results that were copied: its URI in the earlier job
    archiveSourceMediaPath: str
    #: With OUTPUT_DETAILS, if the URI of the medium is a file of the server: its path, relative to /rest/jobs/{jobId}/
    href: str | None
    #: The document with results in place of the selected text
    mediaSelectorsOutputUri: str
    #: With OUTPUT_DETAILS, if the URI of that document is a file of the server: its path, relative to /rest/jobs/{jobId}/
    mediaSelectorsOutputHref: str | None
    #: What happened in the zones and at the lines of the request. Absent: it named none, or the medium has no pictures
    zoneRun: MediumZoneRun


class DetectionOutputObjectPipelineTasksItemActionsItem(TypedDict):
    #: The algorithm that the action runs
    algorithm: str
    #: Name of the action, in upper case
    name: str
    #: What the action does
    description: str
    #: Values that the action sets
    properties: dict[str, str]


class DetectionOutputObjectPipelineTasksItem(TypedDict):
    #: DETECTION, or MARKUP for a task that draws
    actionType: str
    #: Name of the task, in upper case
    name: str
    #: What the task does
    description: str
    #: Its actions, which ran at a time
    actions: list[DetectionOutputObjectPipelineTasksItemActionsItem]


class DetectionOutputObjectPipeline(TypedDict):
    #: Name of the pipeline, in upper case
    name: str
    #: What it is for
    description: str
    #: Its tasks in the order in which they ran
    tasks: list[DetectionOutputObjectPipelineTasksItem]


class DetectionOutputObjectTimingActionsItem(TypedDict):
    #: Name of the action
    name: str
    #: Milliseconds that components worked for it
    processingTime: int


class DetectionOutputObjectTiming(TypedDict):
    #: Milliseconds that components worked for the job
    processingTime: int
    #: By action, in pipeline order
    actions: list[DetectionOutputObjectTimingActionsItem]


class DetectionOutputObjectErrorsItemDetailsItem(TypedDict):
    #: What reports it: an action, an algorithm or the server
    source: str
    #: Stable name of the cause; docs/reference/error-codes.md lists all
    code: str
    #: Description of the problem
    message: str


class _DetectionOutputObjectErrorsItem(TypedDict):
    #: What went wrong with this medium
    details: list[DetectionOutputObjectErrorsItemDetailsItem]


class DetectionOutputObjectErrorsItem(_DetectionOutputObjectErrorsItem, total=False):
    #: Absent: it is of the job as a whole
    mediaId: int


class DetectionOutputObjectWarningsItemDetailsItem(TypedDict):
    #: What reports it: an action, an algorithm or the server
    source: str
    #: Stable name of the cause; docs/reference/error-codes.md lists all
    code: str
    #: Description of the problem
    message: str


class _DetectionOutputObjectWarningsItem(TypedDict):
    #: What went wrong with this medium
    details: list[DetectionOutputObjectWarningsItemDetailsItem]


class DetectionOutputObjectWarningsItem(_DetectionOutputObjectWarningsItem, total=False):
    #: Absent: it is of the job as a whole
    mediaId: int


class DetectionOutputObjectComponentVersionsItem(TypedDict):
    #: Name of the action
    action: str
    #: The algorithm that it ran
    algorithm: str
    #: componentVersion of each component that answered
    versions: list[str]


class DetectionOutputObjectEffectivePropertiesItem(TypedDict):
    #: Name of the action
    action: str
    #: The algorithm that it ran
    algorithm: str
    #: The values apply to media of this type
    mediaType: Literal["VIDEO", "IMAGE", "AUDIO", "UNKNOWN"]
    #: Values by name of the property
    properties: dict[str, str]


class _DetectionOutputObject(TypedDict):
    #: <hostname>-<job number>
    jobId: str
    #: UUID of this document; each run of a job has a new one
    objectId: str
    #: The pipeline as it was when the job was created
    pipeline: DetectionOutputObjectPipeline
    #: 0 is the lowest, 9 the highest
    priority: int
    #: SITE_ID of the server
    siteId: str
    #: externalId of the request; null: it had none
    externalJobId: str | None
    #: When the job was created, or resubmitted, in UTC
    timeStart: str
    #: When it ended, in UTC
    timeStop: str
    #: Milliseconds that components worked, in all and for each action
    timing: DetectionOutputObjectTiming
    #: How the job ended
    status: JobStatus
    #: Properties of the request by algorithm
    algorithmProperties: dict[str, dict[str, str]]
    #: Properties of the request
    jobProperties: dict[str, str]
    #: Properties that the environment of the server sets (TROUPE_PROP_<NAME>)
    environmentVariableProperties: dict[str, str]
    #: The media of the job, and media extracted from them
    media: list[DetectionMedium]
    #: What failed, by medium
    errors: list[DetectionOutputObjectErrorsItem]
    #: What went wrong without a failure, by medium
    warnings: list[DetectionOutputObjectWarningsItem]


class DetectionOutputObject(_DetectionOutputObject, total=False):
    #: The earlier job, known to an archive, whose results were copied for this one
    archiveSourceJobId: str
    #: With OUTPUT_DETAILS: the versions of the components that have answered; several when one was replaced meanwhile
    componentVersions: list[DetectionOutputObjectComponentVersionsItem]
    #: With OUTPUT_DETAILS: the values that applied to each action on media of the types of the job, without their own mediaProperties
    effectiveProperties: list[DetectionOutputObjectEffectivePropertiesItem]


class DrainDraining(TypedDict):
    #: When it was paused
    since: str
    #: Name of the administrator
    by: str


class _Drain(TypedDict):
    #: Name of the service, node or server
    name: str
    #: Sub-jobs that its processes still work on
    working: int


class Drain(_Drain, total=False):
    #: Absent: it gets work
    draining: DrainDraining


class DryRunResponsePipelineTasksItemActionsItem(TypedDict):
    #: Name of the action
    name: str
    #: The algorithm that the action runs
    algorithm: str
    #: Values that apply and are not the defaults; without those of single media
    properties: dict[str, str]
    #: Name in GET /rest/queues
    queue: str
    #: Whether a component processes the queue, or starts when there is work
    served: bool
    #: Why no component processes the queue
    reason: str | None


class DryRunResponsePipelineTasksItem(TypedDict):
    #: Name of the task
    name: str
    #: DETECTION: it finds something; MARKUP: it draws findings into a copy
    actionType: Literal["DETECTION", "MARKUP"]
    #: Its actions, which run at a time
    actions: list[DryRunResponsePipelineTasksItemActionsItem]


class DryRunResponsePipeline(TypedDict):
    #: Name of the pipeline
    name: str
    #: Its tasks, in the order in which they run
    tasks: list[DryRunResponsePipelineTasksItem]


class DryRunResponseMediaItemFrameRangesItem(TypedDict):
    #: The first frame, page or millisecond
    start: int
    #: The last one, inclusive
    stop: int


class DryRunResponseMediaItemTimeRangesItem(TypedDict):
    #: The first frame, page or millisecond
    start: int
    #: The last one, inclusive
    stop: int


class DryRunResponseMediaItem(TypedDict):
    #: As in the request
    mediaUri: str
    #: By the MIME_TYPE of its metadata or its data: URI; null: known only after inspection
    mediaType: Literal["IMAGE", "VIDEO", "AUDIO", "UNKNOWN"] | None
    #: Why it cannot be used, or why the pipeline finds nothing in it
    problem: str | None
    #: The frames of the request; empty: no frames are named
    frameRanges: list[DryRunResponseMediaItemFrameRangesItem]
    #: The milliseconds of the request; empty: no times are named
    timeRanges: list[DryRunResponseMediaItemTimeRangesItem]


class DryRunResponse(TypedDict):
    """What a job would do; nothing is stored"""

    #: Code 2: parts of the request without effect, one line each
    coreResponse: CoreResponse
    #: The priority that the job would have
    priority: int
    #: What would run
    pipeline: DryRunResponsePipeline
    #: What would be processed, in the order of the request
    media: list[DryRunResponseMediaItem]


class DuplicateGroupsGroupsItemHitsItemStream(TypedDict):
    #: Without credentials
    streamUri: str
    #: When the track was seen first
    startDate: str
    #: When the track was seen last
    stopDate: str


class DuplicateGroupsGroupsItemHitsItemPage(TypedDict):
    #: SLIDE: of a presentation; SHEET: of a spreadsheet; PAGE: of other documents
    kind: Literal["PAGE", "SLIDE", "SHEET"]
    #: From 1; a picture on several pages has all of them: 3; 7
    number: str


class DuplicateGroupsGroupsItemHitsItemPerson(TypedDict):
    #: The id of the person
    id: str
    #: null: the person has no name
    name: str | None


class DuplicateGroupsGroupsItemHitsItemBox(TypedDict):
    #: Pixels from the left edge
    x: float
    #: Pixels from the upper edge
    y: float
    #: Pixels from the left to the right side
    width: float
    #: Pixels from the upper to the lower side
    height: float


class DuplicateGroupsGroupsItemHitsItemSnippetMarksItem(TypedDict):
    #: The first code unit of the match
    start: int
    #: The code unit after the match
    end: int


class DuplicateGroupsGroupsItemHitsItemSnippet(TypedDict):
    #: Empty for a track without text
    text: str
    #: The matches in it: from start to before end, in UTF-16 code units, in order
    marks: list[DuplicateGroupsGroupsItemHitsItemSnippetMarksItem]


DuplicateGroupsGroupsItemHitsItem = TypedDict(
    "DuplicateGroupsGroupsItemHitsItem",
    {
        # <hostname>-<job number>
        "jobId": "str",
        # The caller's id of the job
        "externalId": "str | None",
        # When the job ended; of a live stream, when its segment ended
        "jobEndDate": "str",
        # Place of the medium in the document, from 0
        "mediaIndex": "int",
        # mediaId of the medium in the document
        "mediaId": "int",
        # As in the document
        "mediaUri": "str",
        # VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN
        "mediaType": "str",
        # Id of the track in the document
        "trackId": "str",
        # Name of the task
        "task": "str",
        # The source of the track
        "action": "str",
        # The algorithm that found it
        "algorithm": "str",
        # Type of the track, such as TEXT or SPEECH
        "type": "str",
        # CLASSIFICATION of the track, such as car; null: it has none
        "class": "str | None",
        # The first frame of the track, from 0
        "startOffsetFrame": "float",
        # The last frame of the track, inclusive
        "stopOffsetFrame": "float",
        # Milliseconds; of a live stream, since the job was created
        "startOffsetTime": "float",
        # Milliseconds
        "stopOffsetTime": "float",
        # Of a live stream: jobId is that of the streaming job. null: of a batch job
        "stream": "DuplicateGroupsGroupsItemHitsItemStream | None",
        # Where it was found in a document, or in a picture from a document (PAGE_NUM). null: no component reported a page.
        "page": "DuplicateGroupsGroupsItemHitsItemPage | None",
        # Confidence of the exemplar; -1: the detector gives none
        "confidence": "float",
        # Of DOMINANT_COLOR; null: unknown
        "colour": "Literal[\"red\", \"orange\", \"yellow\", \"green\", \"blue\", \"purple\", \"pink\", \"brown\", \"black\", \"grey\", \"white\"] | None",
        # Model of the vector by which similar tracks are found; null: the track has none
        "vectorModel": "str | None",
        # Of a face track: whom it shows. null: it is in no group of `GET /rest/people`
        "person": "DuplicateGroupsGroupsItemHitsItemPerson | None",
        # Of the exemplar; null: it has no box
        "frame": "float | None",
        # Of the exemplar: pixels of the medium as a viewer shows it
        "box": "DuplicateGroupsGroupsItemHitsItemBox | None",
        # Of the medium, as a viewer shows it
        "width": "float | None",
        # Pixels, as a viewer shows it; null: it has no picture
        "height": "float | None",
        # The text around the match; … shows that it continues
        "snippet": "DuplicateGroupsGroupsItemHitsItemSnippet",
        # Share of the text that matches; 1: all of it, or the query has no text
        "score": "float",
        # Bits of PERCEPTUAL_HASH that differ from the first picture of the group
        "distance": "int",
    },
)


class DuplicateGroupsGroupsItem(TypedDict):
    #: Pictures of different media that look alike, at most 100, the newest first
    hits: list[DuplicateGroupsGroupsItemHitsItem]


class DuplicateGroups(TypedDict):
    """Near duplicates of pictures"""

    #: The one with the newest picture first
    groups: list[DuplicateGroupsGroupsItem]
    #: true: there are more pictures than were compared
    isPart: bool
    #: false: the search does not have all documents yet
    complete: bool


class _EnvironmentVariableModel(TypedDict):
    #: Name of the variable
    name: str
    #: ${NAME} in it is replaced by the value of this variable
    value: str


class EnvironmentVariableModel(_EnvironmentVariableModel, total=False):
    #: Separator to append the value to an existing variable; absent: the value replaces it
    sep: str | None


class EventReceivers(TypedDict, total=False):
    #: RULE: events of rules. ZONE: entries, exits, crossings. TRACK: begin, change of class, end. RULE and ZONE when absent
    kinds: list[Literal["RULE", "ZONE", "TRACK"]] | None
    #: Gets a signed POST for each event
    callbackUri: str | None
    #: Gets each event, and the newest state of each zone
    mqtt: MqttReceiver | None


class _ExportJobsQuery(TypedDict):
    #: One file for all jobs
    format: Literal["ndjson", "csv", "parquet", "coco", "labelstudio", "yolo"]


class ExportJobsQuery(_ExportJobsQuery, total=False):
    """Parameters of GET /rest/exports"""

    #: true: the ZIP of the format yolo has the frames as JPEG files, at most 2,000
    pictures: bool
    #: Only these jobs, at most 1,000; the parameter may also be repeated
    ids: list[str]
    #: Only jobs with one of these statuses
    status: list[JobStatus]
    #: Only jobs of this pipeline
    pipelineName: str
    #: Only jobs with this external id
    externalId: str
    #: Only jobs with all of these labels
    label: list[str]
    #: Only jobs with this in the URI of a medium
    medium: str
    #: Only jobs of this group of GET /rest/failures
    failure: str
    #: Only jobs that started then or later
    startedFrom: str
    #: Only jobs that started before it
    startedTo: str
    #: Only jobs that ended then or later
    endedFrom: str
    #: Only jobs that ended before it
    endedTo: str
    #: true: jobs that have ended; false: the others
    terminal: bool


class FailureGroup(TypedDict):
    #: For `failure` in GET /rest/jobs; the same after a restart
    id: str
    #: Name of the algorithm, or WORKFLOW_MANAGER for the server itself
    component: str
    #: Error code
    code: str
    #: What the messages have in common: numbers, ids and paths are blanked; *: any message
    pattern: str
    #: The message of the newest job
    message: str
    #: Failed sub-jobs
    count: int
    #: Jobs with these failures
    jobs: int
    #: Of the earliest of these jobs
    first: str
    #: Of the latest of these jobs
    last: str
    #: Ids of up to three jobs, the newest first
    examples: list[str]
    #: What to do
    advice: str


class FrameTable(TypedDict):
    #: Number of frames
    frames: int
    #: Frames per second, or the mean of a variable rate; 0: unknown
    fps: float
    #: true: each frame is shown for the same time
    constantRate: bool
    #: Frames one after the other: [start, delta, count]. The i-th frame of a run (from 0) is shown from floor(start + i * delta + 0.000001) milliseconds on
    runs: list[tuple[float, float, int]]


class GetActionQuery(TypedDict, total=False):
    """Parameters of GET /rest/actions/{name}"""

    #: true: with the members that the specification does not list
    details: bool


class GetAlgorithmQuery(TypedDict, total=False):
    """Parameters of GET /rest/algorithms/{name}"""

    #: true: with the members that the specification does not list
    details: bool


GetAuditQuery = TypedDict(
    "GetAuditQuery",
    {
        # Maximum number of entries
        "limit": "int",
        # Value of next from the previous page
        "before": "str",
        # Only of this user: the name or the subject, exactly
        "user": "str",
        # Only requests whose path has this in it
        "path": "str",
        # Only requests about this job
        "job": "str",
        # Only entries that are not before it
        "from": "str",
        # Only entries before it
        "to": "str",
    },
    total=False,
)


class GetClipQuery(TypedDict, total=False):
    """Parameters of GET /rest/streaming/jobs/{id}/recordings/clip.mp4"""

    #: When the clip begins
    start: str
    #: When it ends; absent: as `start`
    stop: str
    #: Frame with which it begins, in place of `start`
    startFrame: int
    #: Frame with which it ends; absent: as `startFrame`
    stopFrame: int
    #: Seconds to add before the beginning
    before: float
    #: Seconds to add after the end
    after: float


class GetDetectionDocumentQuery(TypedDict, total=False):
    """Parameters of GET /rest/jobs/{id}/output/detection"""

    #: Format of the results (docs/reference/exports.md); default: json, the document itself
    format: Literal["json", "ndjson", "csv", "cvat", "coco", "vtt", "srt", "parquet", "labelstudio", "yolo", "html"]
    #: In other formats than json: only this medium, by its mediaId
    media: int
    #: true: the ZIP of the format yolo has the frames as JPEG files, at most 2,000
    pictures: bool


class GetFrameQuery(TypedDict, total=False):
    """Parameters of GET /rest/jobs/{id}/media/{mediaId}/frames/{k}.jpg"""

    #: true: with the detections of this frame drawn into it
    boxes: bool
    #: true: at most 480 pixels wide and high, without boxes, and cached
    small: bool


class GetHeatMapOfMediumQuery(TypedDict, total=False):
    """Parameters of GET /rest/jobs/{id}/media/{mediaId}/heat-map"""

    #: Cells from left to right
    columns: int
    #: Only boxes of this lane
    lane: int


class GetJobQuery(TypedDict, total=False):
    """Parameters of GET /rest/jobs/{id}"""

    #: true: with the members that the specification does not list
    details: str


class GetPersonQuery(TypedDict, total=False):
    """Parameters of GET /rest/people/{id}"""

    #: Maximum number of tracks on a page
    limit: int
    #: Value of next from the previous page
    cursor: str


class GetPipelineQuery(TypedDict, total=False):
    """Parameters of GET /rest/pipelines/{name}"""

    #: true: with the members that the specification does not list
    details: bool


class GetSnapshotQuery(TypedDict, total=False):
    """Parameters of GET /rest/streaming/jobs/{id}/recordings/snapshot.jpg"""

    #: Time of the picture
    at: str
    #: Number of the frame in the stream, in place of `at`
    frame: int


class GetStreamCountsQuery(TypedDict, total=False):
    """Parameters of GET /rest/streaming/jobs/{id}/counts"""

    #: Only hours that end after it
    start: str
    #: Form of the answer; absent: as `Accept` says
    format: Literal["json", "csv"]


class GetStreamingJobQuery(TypedDict, total=False):
    """Parameters of GET /rest/streaming/jobs/{id}"""

    #: true: with the members that the specification does not list
    details: str


class GetTaskQuery(TypedDict, total=False):
    """Parameters of GET /rest/tasks/{name}"""

    #: true: with the members that the specification does not list
    details: bool


GetUsageQuery = TypedDict(
    "GetUsageQuery",
    {
        # Group of each total
        "by": "Literal[\"user\", \"group\", \"pipeline\", \"component\"]",
        # The first day, in UTC; default: 30 days before the last one
        "from": "str",
        # The last day; default: today
        "to": "str",
    },
    total=False,
)


class HealthReportReportsItemEvents(TypedDict):
    #: Webhooks and messages of events that are not delivered yet
    pending: int
    #: Failed deliveries that are not retried
    dropped: int
    #: Why the last delivery failed; null: it arrived
    trouble: str | None


class _HealthReportReportsItem(TypedDict):
    #: Number of the streaming job
    jobId: int
    #: The externalId of the request; null: it had none
    externalId: str | None
    #: Status of the job (specification 3.2)
    jobStatus: Literal["INITIALIZING", "IN_PROGRESS", "STALLED", "CANCELLING", "CANCELLED", "TERMINATED", "JOB_CREATION_ERROR", "ERROR", "CANCELLED_BY_SHUTDOWN"]
    #: Reason for the status, in a sentence; null: there is none
    jobStatusDetail: str | None
    #: The last frame in which something was found
    activityFrameId: str | None
    #: When that frame was decoded; null: nothing was found yet
    activityTimestamp: str | None


class HealthReportReportsItem(_HealthReportReportsItem, total=False):
    #: Of streams with zones, lines, rules or events
    events: HealthReportReportsItemEvents


class HealthReport(TypedDict):
    #: When the report was made
    reportDate: str
    #: One for each streaming job that names this URI, or for the one that has changed
    reports: list[HealthReportReportsItem]


class _HeatMap(TypedDict):
    #: Width of the stored picture: pixels
    width: int
    #: Height of the stored picture: pixels
    height: int
    #: Cells from left to right
    columns: int
    #: Cells from top to bottom
    rows: int
    #: Number of boxes that cover each cell, row by row from the top left
    cells: list[int]


class HeatMap(_HeatMap, total=False):
    #: 
    partial: MediumProgress


class HourlyCountsHoursItemZonesValue(TypedDict):
    #: Tracks that came in
    entered: int
    #: Tracks that went out or ended
    left: int
    #: Time in the zone of those that left: milliseconds
    dwellMs: float


class HourlyCountsHoursItemLinesValue(TypedDict):
    #: Crossings to the right, seen along the line
    toRight: int
    #: Crossings to the left
    toLeft: int


class HourlyCountsHoursItem(TypedDict):
    #: Start of the hour: ISO 8601, UTC
    start: str
    #: Tracks that began, by class
    classes: dict[str, int]
    #: Entries, exits, and the sum of the times of those who left (milliseconds), by zone
    zones: dict[str, HourlyCountsHoursItemZonesValue]
    #: Crossings by line
    lines: dict[str, HourlyCountsHoursItemLinesValue]
    #: Events by rule
    rules: dict[str, int]


class HourlyCounts(TypedDict):
    #: Hours with events of the last 31 days, the oldest first
    hours: list[HourlyCountsHoursItem]


class InfoModel(TypedDict):
    #: Name of the product
    app: str
    #: The framework that the interface comes from
    appFamily: str
    #: 0: an unofficial build
    buildNum: str
    #: unknown: an unofficial build
    gitBranch: str
    #: unknown: an unofficial build
    gitHash: str
    #: Version of the server: three numbers
    version: str


class JobCallback(TypedDict):
    #: <hostname>-<job number>
    jobId: str
    #: The externalId of the request; null: it had none
    externalId: str | None
    #: URI or path of the detection document, as RESULT_LINKS sets; null: there is none
    outputObjectUri: str | None
    #: 
    jobStatus: JobStatus


class JobChange(TypedDict, total=False):
    #: Of a job that has not ended
    priority: int
    #: Replace all labels
    labels: list[str]
    #: The document of a job that has ended keeps the id that it has
    externalId: str | float | None


class _JobCreationProblem(TypedDict):
    #: <hostname>-<job number>; null when the job was refused
    jobId: str | None
    #: 
    coreResponse: CoreResponse
    #: The archive check before the job; null when the job was refused
    archiveCheckStatus: Literal["NOT_REQUESTED", "NO_ARCHIVE_URL_IN_JOB", "MEDIA_HASHES_ABSENT", "MEDIA_MIME_TYPES_ABSENT", "NO_MATCH", "FOUND_MATCH"] | None
    #: What is wrong, and what to do
    message: str
    #: Stable name of the error; docs/reference/rest-errors.md lists all codes
    code: str
    #: Address of the documentation of this code
    help: str


class JobCreationProblem(_JobCreationProblem, total=False):
    #: The output object of a compatible job that the archive knows, if there is one
    outputObjectUri: str | None


class JobCreationRequestMediaItemFrameRangesItem(TypedDict):
    #: The first frame, page or millisecond
    start: int
    #: The last one, inclusive
    stop: int


class JobCreationRequestMediaItemTimeRangesItem(TypedDict):
    #: The first frame, page or millisecond
    start: int
    #: The last one, inclusive
    stop: int


class _JobCreationRequestMediaItemMediaSelectorsItem(TypedDict):
    #: The syntax of expression; there is no other
    type: Literal["JSON_PATH"]
    #: Which sections of the document are processed, such as $.messages[*].text
    expression: str
    #: The detection property whose value replaces the section in the document that is written
    resultDetectionProperty: str


class JobCreationRequestMediaItemMediaSelectorsItem(_JobCreationRequestMediaItemMediaSelectorsItem, total=False):
    #: Properties that apply to these sections alone, over all others
    selectionProperties: dict[str, str | float | bool] | None


class _JobCreationRequestMediaItem(TypedDict):
    #: Properly encoded URI of one medium: file, http, https or data, or s3 with credentials
    mediaUri: str


class JobCreationRequestMediaItem(_JobCreationRequestMediaItem, total=False):
    #: Known metadata of the medium. With MEDIA_HASH, MIME_TYPE and the sizes of its type, Troupe does not inspect it
    metadata: dict[str, str | float | bool] | None
    #: Properties that apply to this medium alone, over all others but those of selectors
    properties: dict[str, str | float | bool] | None
    #: Of a video: frames, from 0. Of a document: pages, from 1. Other media: no effect, with a warning
    frameRanges: list[JobCreationRequestMediaItemFrameRangesItem] | None
    #: Of a video: milliseconds. Other media: no effect, with a warning
    timeRanges: list[JobCreationRequestMediaItemTimeRangesItem] | None
    #: The action whose findings are written into the document; required with mediaSelectors
    mediaSelectorsOutputAction: str | None
    #: Sections of a JSON document; only these are processed
    mediaSelectors: list[JobCreationRequestMediaItemMediaSelectorsItem] | None


class JobCreationRequestPipelineDefinitionTasksItem(TypedDict):
    #: Name for use in the pipeline; takes precedence over a stored task of the same name
    name: str
    #: Names of actions of this request, or of stored ones; all run at a time
    actions: list[str]


class JobCreationRequestPipelineDefinitionActionsItemPropertiesItem(TypedDict):
    #: A property of the algorithm
    name: str
    #: Its value; numbers and booleans become text
    value: str | float | bool


class _JobCreationRequestPipelineDefinitionActionsItem(TypedDict):
    #: Name for use in tasks; takes precedence over a stored action of the same name
    name: str
    #: An algorithm as GET /rest/algorithms lists it
    algorithm: str


class JobCreationRequestPipelineDefinitionActionsItem(_JobCreationRequestPipelineDefinitionActionsItem, total=False):
    #: Values that replace the defaults of the algorithm
    properties: list[JobCreationRequestPipelineDefinitionActionsItemPropertiesItem] | None


class _JobCreationRequestPipelineDefinition(TypedDict):
    #: Names of the tasks in the order in which they run: those of this request, or stored ones
    pipeline: list[str]


class JobCreationRequestPipelineDefinition(_JobCreationRequestPipelineDefinition, total=False):
    #: Tasks of this job alone; their order has no meaning
    tasks: list[JobCreationRequestPipelineDefinitionTasksItem] | None
    #: Actions of this job alone
    actions: list[JobCreationRequestPipelineDefinitionActionsItem] | None


class _JobCreationRequest(TypedDict):
    #: What is processed. Each medium gets the whole pipeline
    media: list[JobCreationRequestMediaItem]


class JobCreationRequest(_JobCreationRequest, total=False):
    #: A stored pipeline as GET /rest/pipelines lists it. Either this or pipelineDefinition is given
    pipelineName: str | None
    #: A pipeline of this job alone. Either this or pipelineName is given
    pipelineDefinition: JobCreationRequestPipelineDefinition | None
    #: false: no detection document is written; absent: true
    buildOutput: bool | None
    #: The caller's id of the job: in callbacks, in the document and in the list of jobs
    externalId: str | float | None
    #: Labels by which jobs can be filtered and changed together
    labels: list[str] | None
    #: Values of properties for all actions of the job
    jobProperties: dict[str, str | float | bool] | None
    #: Values of properties by algorithm, over jobProperties
    algorithmProperties: dict[str, dict[str, str | float | bool]] | None
    #: 0 is the lowest; absent: the default of the server (DEFAULT_PRIORITY)
    priority: int | None
    #: Where the server sends a request when the job has ended: a properly encoded http or https URL
    callbackURL: str | None
    #: GET or POST; absent: GET
    callbackMethod: str | None
    #: Areas of the picture, in fractions
    zones: list[ZoneRequest] | None
    #: Lines in the picture whose crossings are counted
    lines: list[LineRequest] | None
    #: When something in a zone or at a line is an event
    rules: list[RuleRequest] | None
    #: The point of a box that counts: BOTTOM (middle of the lower edge; default) or CENTER
    anchor: Literal["BOTTOM", "CENTER"] | None


class _JobCreationResponse(TypedDict):
    #: <hostname>-<job number>; null when the job was refused
    jobId: str | None
    #: 
    coreResponse: CoreResponse
    #: The archive check before the job; null when the job was refused
    archiveCheckStatus: Literal["NOT_REQUESTED", "NO_ARCHIVE_URL_IN_JOB", "MEDIA_HASHES_ABSENT", "MEDIA_MIME_TYPES_ABSENT", "NO_MATCH", "FOUND_MATCH"] | None


class JobCreationResponse(_JobCreationResponse, total=False):
    #: The output object of a compatible job that the archive knows, if there is one
    outputObjectUri: str | None


class _JobCreationStreamData(TypedDict):
    #: One stream: rtsp, rtsps, http or https
    streamUri: str
    #: Frames of a segment, at least 10
    segmentSize: int


class JobCreationStreamData(_JobCreationStreamData, total=False):
    #: Override all other properties for this stream
    mediaProperties: dict[str, str | float | bool] | None
    #: Keeps the pictures of the camera; absent: nothing is kept
    recording: StreamRecordingRequest | None


class JobFilter(TypedDict, total=False):
    #: Only jobs with one of these statuses
    status: list[JobStatus]
    #: Only jobs of this pipeline
    pipelineName: str
    #: Only jobs with this external id
    externalId: str
    #: Only jobs with all of these labels
    label: list[str]
    #: Only jobs with this in the URI of a medium
    medium: str
    #: Only jobs of this group of GET /rest/failures
    failure: str
    #: Only jobs that started then or later
    startedFrom: str
    #: Only jobs that started before it
    startedTo: str
    #: Only jobs that ended then or later
    endedFrom: str
    #: Only jobs that ended before it
    endedTo: str
    #: true: jobs that have ended; false: the others
    terminal: bool


class JobFilterRequest(TypedDict, total=False):
    #: Only jobs with one of these statuses
    status: str | list[str]
    #: Only jobs of this pipeline
    pipelineName: str
    #: Only jobs with this external id
    externalId: str
    #: Only jobs with all of these labels
    label: str | list[str]
    #: Only jobs with this in the URI of a medium
    medium: str
    #: Only jobs of this group of GET /rest/failures
    failure: str
    #: Only jobs that started then or later
    startedFrom: str
    #: Only jobs that started before it
    startedTo: str
    #: Only jobs that ended then or later
    endedFrom: str
    #: Only jobs that ended before it
    endedTo: str
    #: true: jobs that have ended; false: the others
    terminal: bool | Literal["true", "false"]


class JobPage(TypedDict):
    """A page of jobs. With a filter it may be short, or empty, although more follow: continue until next is null."""

    #: Newest first: by the time of a filter by time or failure, else by number
    jobs: list[ListedJob]
    #: Value of before for the next page; null: this is the last page
    next: str | None


class _JobRetryRequest(TypedDict):
    #: FAILED_SUB_JOBS: the sub-jobs that failed, and what depended on them; FAILED_MEDIA: all sub-jobs of each medium with a failure
    what: Literal["FAILED_SUB_JOBS", "FAILED_MEDIA"]


class JobRetryRequest(_JobRetryRequest, total=False):
    #: Override those of the job in all repeated sub-jobs; a failed action then runs again on the whole medium
    jobProperties: dict[str, str | float | bool] | None


class JobRetryResponse(TypedDict):
    #: 
    coreResponse: CoreResponse
    #: <hostname>-<job number>
    jobId: str
    #: Number of the new run
    run: int


class _JobRun(TypedDict):
    #: 1: the first
    run: int
    #: What it processed: everything, or what a retry asked for
    what: Literal["ALL", "FAILED_SUB_JOBS", "FAILED_MEDIA"]
    #: 
    jobStatus: JobStatus
    #: When the run began
    startDate: str
    #: null: it has not ended
    endDate: str | None


class JobRun(_JobRun, total=False):
    """The first run of a job, a retry, or a run after a resubmission"""

    #: Media of the request that had failed at its end; absent when it was cancelled
    mediaFailed: int
    #: Job properties that the retry changed
    jobProperties: dict[str, str]


LibraryCountsFindingsItem = TypedDict(
    "LibraryCountsFindingsItem",
    {
        # Type of the tracks
        "type": "str",
        # Their CLASSIFICATION; null: they have none
        "class": "str | None",
        # Media with such tracks
        "media": "int",
    },
)


class LibraryCountsLabelsItem(TypedDict):
    #: Label of jobs
    label: str
    #: Media of jobs with this label
    media: int


class LibraryCounts(TypedDict):
    """Numbers of media by type, finding and label"""

    #: Media that fit the query
    total: int
    #: Media by type
    mediaTypes: dict[str, int]
    #: The 100 types and classes of most media
    findings: list[LibraryCountsFindingsItem]
    #: The 100 labels of most media
    labels: list[LibraryCountsLabelsItem]
    #: false: the index is being built and does not have all media
    complete: bool


LibraryMediumFindingsItem = TypedDict(
    "LibraryMediumFindingsItem",
    {
        # Type of the tracks, such as FACE
        "type": "str",
        # CLASSIFICATION of the tracks; null: they have none
        "class": "str | None",
        # Tracks of this type and class
        "tracks": "int",
    },
)


LibraryMediumBoxesItem = TypedDict(
    "LibraryMediumBoxesItem",
    {
        # Pixels from the left edge
        "x": "float",
        # Pixels from the upper edge
        "y": "float",
        # Pixels from the left to the right side
        "width": "float",
        # Pixels from the upper to the lower side
        "height": "float",
        # Type of the track, such as FACE
        "type": "str",
        # CLASSIFICATION of the track; null: it has none
        "class": "str | None",
    },
)


class LibraryMedium(TypedDict):
    """A medium with what was found in it"""

    #: <hostname>-<job number>
    jobId: str
    #: The caller's id of the job; null: it has none
    externalId: str | None
    #: When the job ended
    jobEndDate: str
    #: Place of the medium in the document, from 0
    mediaIndex: int
    #: mediaId of the medium in the document
    mediaId: int
    #: As the document has it
    mediaUri: str
    #: VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN
    mediaType: str
    #: Media type, such as video/mp4
    mimeType: str
    #: Frames of a video, pages of a document
    length: float
    #: Length in milliseconds; null: it has none, or it is unknown
    durationMs: float | None
    #: Pixels, as a viewer shows it
    width: float | None
    #: Pixels, as a viewer shows it; null: it has no picture
    height: float | None
    #: A frame that shows what was found; null: the medium has no frames
    frame: float | None
    #: Most tracks first
    findings: list[LibraryMediumFindingsItem]
    #: Findings whose exemplar is on this frame: pixels of the medium as a viewer shows it
    boxes: list[LibraryMediumBoxesItem]
    #: Different people whom FACE EMBEDDING found; null: none, or it did not run
    people: int | None
    #: With group=label: the one under which it is listed; null: its job has none
    label: str | None


class LibraryPage(TypedDict):
    """A page of media. It may be short although more follow."""

    #: In the order of group and sort
    media: list[LibraryMedium]
    #: The cursor of the next page; null: this is the last one
    next: str | None
    #: false: the index is being built and does not have all media
    complete: bool


class Line(TypedDict):
    #: Letters, digits, spaces, "_" and "-"
    name: str
    #: Start and end; TO_RIGHT is to the right of this direction
    points: Any


class LineRequest(TypedDict):
    #: Letters, digits, spaces, "_" and "-"
    name: str
    #: Start and end; TO_RIGHT is to the right of this direction
    points: list[tuple[float, float]]


class ListActionsQuery(TypedDict, total=False):
    """Parameters of GET /rest/actions"""

    #: true: with the members that the specification does not list
    details: bool


class ListActorsQuery(TypedDict, total=False):
    """Parameters of GET /rest/actors"""

    #: Maximum number of actors on a page
    limit: int
    #: Only actors of this kind, such as batch-job; kinds lists all
    kind: str
    #: true: only actors with recorded failures since the server started
    failed: bool
    #: Value of next from the previous page
    after: str


class ListAlgorithmsQuery(TypedDict, total=False):
    """Parameters of GET /rest/algorithms"""

    #: true: with the members that the specification does not list
    details: bool


class ListBoxesOfMediumQuery(TypedDict, total=False):
    """Parameters of GET /rest/jobs/{id}/media/{mediaId}/boxes"""

    #: The first frame, from 0
    fromFrame: int
    #: The last frame
    toFrame: int
    #: Maximum number of boxes
    limit: int


class ListDeliveriesQuery(TypedDict, total=False):
    """Parameters of GET /rest/deliveries"""

    #: Maximum number of deliveries on a page
    limit: int
    #: Value of next from the previous page
    before: str
    #: Only the delivery of this job
    job: str
    #: Only deliveries in this state
    state: Literal["PENDING", "DELIVERED", "FAILED"]
    #: Only those to this host, with or without its port, or to this origin
    receiver: str


ListFailuresQuery = TypedDict(
    "ListFailuresQuery",
    {
        # Maximum number of groups
        "limit": "int",
        # Only groups with a failure since then
        "from": "str",
        # Only failures of this component, in any case of letters
        "component": "str",
        # Only failures with this error code, in any case of letters
        "code": "str",
    },
    total=False,
)


class ListJobsQuery(TypedDict, total=False):
    """Parameters of GET /rest/jobs"""

    #: Maximum number of jobs on a page
    limit: int
    #: Value of next from the previous page
    before: str
    #: Only jobs with one of these statuses
    status: list[JobStatus]
    #: Only jobs of this pipeline
    pipelineName: str
    #: Only jobs with this external id
    externalId: str
    #: Only jobs with all of these labels
    label: list[str]
    #: Only jobs with this in the URI of a medium
    medium: str
    #: Only jobs of this group of GET /rest/failures
    failure: str
    #: Only jobs that started then or later
    startedFrom: str
    #: Only jobs that started before it
    startedTo: str
    #: Only jobs that ended then or later
    endedFrom: str
    #: Only jobs that ended before it
    endedTo: str
    #: true: jobs that have ended; false: the others
    terminal: bool


class ListKeysQuery(TypedDict, total=False):
    """Parameters of GET /rest/keys"""

    #: true: the keys of all users; needs the role ADMIN
    all: Literal["true", "false"]


ListLibraryQuery = TypedDict(
    "ListLibraryQuery",
    {
        # Only media with a finding of this type, such as FACE, in any case
        "type": "str",
        # Only media with a finding of this class, such as person, in any case
        "class": "str",
        # UNKNOWN: documents
        "mediaType": "Literal[\"VIDEO\", \"IMAGE\", \"AUDIO\", \"UNKNOWN\"]",
        # A part of the URI, in any case
        "name": "str",
        # Only of jobs with this label
        "label": "str",
        # Only of jobs whose endDate is not before it
        "from": "str",
        # Only of jobs whose endDate is before it
        "to": "str",
        # Only the first medium of each of these jobs: at most 100 ids with commas between
        "firstOf": "list[str]",
        # newest: of the job that ended last first; name: by file name; length: the longest first, then those of most pages
        "sort": "Literal[\"newest\", \"name\", \"length\"]",
        # What stays together; sort orders the media of a group. label: a medium is listed under each label of its job
        "group": "Literal[\"day\", \"job\", \"label\"]",
        # With group=day: minutes by which your time is ahead of UTC
        "utcOffset": "int",
        # The maximum number of media of a page
        "limit": "int",
        # Value of next from the previous page
        "cursor": "str",
    },
    total=False,
)


class ListMediaOfJobQuery(TypedDict, total=False):
    """Parameters of GET /rest/jobs/{id}/media"""

    #: Maximum number of media
    limit: int
    #: Number of media to skip
    offset: int
    #: Only the medium with this mediaId
    mediaId: int


class ListOperationsQuery(TypedDict, total=False):
    """Parameters of GET /rest/operations"""

    #: Maximum number of operations on a page
    limit: int
    #: Value of next from the previous page
    before: str


class ListPeopleQuery(TypedDict, total=False):
    """Parameters of GET /rest/people"""

    #: A part of the name, in any case of letters
    name: str
    #: true: only people with a name. false: only people without
    named: bool
    #: Only people in this job: its id
    job: str
    #: With job: only people in this medium of it
    mediaId: int
    #: Maximum number of people on a page
    limit: int
    #: Value of next from the previous page
    cursor: str


class ListPipelinesQuery(TypedDict, total=False):
    """Parameters of GET /rest/pipelines"""

    #: true: with the members that the specification does not list
    details: bool


class ListRecordingsQuery(TypedDict, total=False):
    """Parameters of GET /rest/streaming/jobs/{id}/recordings"""

    #: Only what was recorded after it
    start: str
    #: Only what was recorded before it
    stop: str


class ListSessionsQuery(TypedDict, total=False):
    """Parameters of GET /rest/sessions"""

    #: true: of all users; needs the role ADMIN
    all: Literal["true", "false"]


class ListStreamingJobsQuery(TypedDict, total=False):
    """Parameters of GET /rest/streaming/jobs"""

    #: true leaves out jobs that are TERMINATED, ERROR or CANCELLED; true when absent or empty
    isActive: bool


class ListTasksQuery(TypedDict, total=False):
    """Parameters of GET /rest/tasks"""

    #: true: with the members that the specification does not list
    details: bool


class ListTracksOfMediumQuery(TypedDict, total=False):
    """Parameters of GET /rest/jobs/{id}/media/{mediaId}/tracks"""

    #: Tracks that have not ended by then
    fromMs: int
    #: Tracks that have begun by then
    toMs: int
    #: Only those of this lane
    lane: int
    #: Only tracks with at least this confidence
    minConfidence: float
    #: A property of the track contains it; ASCII letters in any case
    text: str
    #: Maximum number of tracks
    limit: int
    #: Number of tracks to skip
    offset: int


class ListZoneEventsQuery(TypedDict, total=False):
    """Parameters of GET /rest/streaming/jobs/{id}/zone-events"""

    #: RULE: events of rules only; OTHER: all others
    kind: Literal["RULE", "OTHER"]
    #: Number of newest events; default: 100
    limit: int


class _ListedJob(TypedDict):
    #: <hostname>-<job number>
    jobId: str
    #: 0 is the lowest, 9 the highest
    jobPriority: int
    #: Percent
    jobProgress: float
    #: 
    jobStatus: JobStatus
    #: Whether the job has ended
    terminal: bool
    #: When the job was created, or resubmitted
    startDate: str
    #: When it ended; null: it has not
    endDate: str | None
    #: The first 20; data: URIs of more than 8,192 characters only with their type. GET /rest/jobs/{id} has all in full
    mediaUris: list[str]
    #: Path of the detection document on the server
    outputObjectPath: str | None
    #: The pipeline that the job runs
    pipelineName: str
    #: PAST JOB FOUND: the results of an earlier job are used for this one; COPY ERROR: they could not be copied into its bucket
    archiveStatus: DeliveryStatus | Literal["PAST JOB FOUND"] | str
    #: 
    callbackStatus: DeliveryStatus
    #: The caller's id
    externalId: str | None
    #: Labels of the job
    labels: list[str]
    #: How many media the job has
    mediaCount: int


class ListedJob(_ListedJob, total=False):
    #: With details=true: who created the job
    owner: Owner
    #: With details=true: the actions of a pipeline that belongs to this job alone
    pipelineActions: list[str]
    #: With details=true, once the job has ended: how many of mediaUris were processed without an error; absent when it was cancelled
    mediaSucceeded: int
    #: With details=true, for each of mediaUris: the path of the medium, relative to /rest/jobs/{jobId}/; null: it is available at its own address
    mediaHrefs: list[str | None]
    #: With details=true, of a job that is read alone: its runs, the oldest first
    runs: list[JobRun]
    #: With details=true, once an attempt has failed
    callbackAttempts: DeliveryAttempts
    #: With details=true, once an attempt has failed
    archiveAttempts: DeliveryAttempts
    #: With details=true; absent while a sub-job runs, and when the job has ended
    waitingFor: WaitingFor
    #: With details=true; absent while nothing is known, and when the job has ended
    remaining: RemainingTime


class LiveIssuesErrorsShownItem(TypedDict):
    #: null: of the job as a whole
    mediaId: int | None
    #: As in the list of jobs
    mediaUri: str | None
    #: What reports it: an action, an algorithm or the server
    source: str
    #: Stable name of the cause; docs/reference/error-codes.md lists all
    code: str
    #: Description of the problem
    message: str


class LiveIssuesErrors(TypedDict):
    #: The first 100
    shown: list[LiveIssuesErrorsShownItem]
    #: How many errors there are
    count: int


class LiveIssuesWarningsShownItem(TypedDict):
    #: null: of the job as a whole
    mediaId: int | None
    #: As in the list of jobs
    mediaUri: str | None
    #: What reports it: an action, an algorithm or the server
    source: str
    #: Stable name of the cause; docs/reference/error-codes.md lists all
    code: str
    #: Description of the problem
    message: str


class LiveIssuesWarnings(TypedDict):
    #: The first 100
    shown: list[LiveIssuesWarningsShownItem]
    #: How many warnings there are
    count: int


class LiveIssues(TypedDict):
    #: What has failed so far
    errors: LiveIssuesErrors
    #: What went wrong without a failure
    warnings: LiveIssuesWarnings


class MediaCheckMediaItem(TypedDict):
    #: Whether a job can use it, checked without opening it
    usable: bool
    #: Why it is not usable; null: it is
    message: str | None


class MediaCheck(TypedDict):
    #: In the order of the request
    media: list[MediaCheckMediaItem]


class MediaCheckRequest(TypedDict):
    #: URIs of media, as a job would name them
    mediaUris: list[str]


class MediaOfJobIssuesItem(TypedDict):
    #: errors: something failed; warnings: nothing failed
    kind: Literal["errors", "warnings"]
    #: What reports it: an action, an algorithm or the server
    source: str
    #: Stable name of the cause; docs/reference/error-codes.md lists all
    code: str
    #: Description of the problem
    message: str


class MediaOfJob(TypedDict):
    #: Media that fit the query, in the order of the document
    media: list[ViewedMedium]
    #: All media of the job, independent of limit and offset
    total: int
    #: Of the job as a whole; the first 100
    issues: list[MediaOfJobIssuesItem]


class MediumProgress(TypedDict):
    """Progress of a running job on a medium. Absent when the job has ended: then the answer is final"""

    #: Share of the work on the medium that is done
    percent: float
    #: In pipeline order; empty: the medium is not inspected yet
    actions: list[ActionProgress]


class MediumZoneRunEventsItemBox(TypedDict):
    #: Left edge: pixels
    x: float
    #: Upper edge: pixels
    y: float
    #: Width of the box: pixels
    width: float
    #: Height of the box: pixels
    height: float


_MediumZoneRunEventsItem = TypedDict(
    "_MediumZoneRunEventsItem",
    {
        # What happened
        "event": "Literal[\"trackBegan\", \"classChanged\", \"trackEnded\", \"entered\", \"left\", \"crossed\", \"rule\"]",
        # When it happened: milliseconds since the epoch; of a file: since its start
        "at": "float",
        # Number of the frame
        "frame": "int",
        # The track, by the name of its first component
        "track": "str",
        # CLASSIFICATION or type of the track, in upper case
        "class": "str",
        # Confidence of the detection
        "confidence": "float",
        # Box of the detection: pixels of the picture
        "box": "MediumZoneRunEventsItemBox",
    },
)


class MediumZoneRunEventsItem(_MediumZoneRunEventsItem, total=False):
    #: Zone in which it happened
    zone: str
    #: Line that was crossed
    line: str
    #: Rule that caused the event
    rule: str
    #: Of a crossing
    direction: Literal["TO_RIGHT", "TO_LEFT"]
    #: Tracks in the zone from now on
    occupancy: int
    #: Since when the track was in the zone
    since: float
    #: Time in the zone: milliseconds
    dwellMs: float
    #: The class before, when it changed
    before: str
    #: Of a rule: its kind of event
    kind: Literal["ENTER", "LEAVE", "DWELL", "CROSS", "COUNT"]


class MediumZoneRunCountsZonesValue(TypedDict):
    #: Tracks that came in
    entered: int
    #: Tracks that went out or ended
    left: int
    #: Time in the zone of those that left: milliseconds
    dwellMs: float


class MediumZoneRunCountsLinesValue(TypedDict):
    #: Crossings to the right, seen along the line
    toRight: int
    #: Crossings to the left
    toLeft: int


class MediumZoneRunCounts(TypedDict):
    #: Tracks that began, by class
    classes: dict[str, int]
    #: Entries, exits, and the sum of the times of those who left (milliseconds), by zone
    zones: dict[str, MediumZoneRunCountsZonesValue]
    #: Crossings by line
    lines: dict[str, MediumZoneRunCountsLinesValue]
    #: Events by rule
    rules: dict[str, int]


class MediumZoneRun(TypedDict):
    #: The first 1000, in the order of their times
    events: list[MediumZoneRunEventsItem]
    #: Number of further events
    omitted: int
    #: All events, counted
    counts: MediumZoneRunCounts
    #: The most tracks at a time, by zone
    most: dict[str, int]
    #: Parts of the request without effect
    warnings: list[str]


class ModelListModelsItem(TypedDict):
    #: Path below its root; of an ONNX file, the value of MODEL_NAME
    name: str
    #: ONNX: *.onnx; WHISPER: ggml-*.bin
    kind: Literal["ONNX", "WHISPER"]
    #: Size of the file: bytes
    bytes: int
    #: When the file was changed last
    modified: str


class ModelList(TypedDict):
    #: The files, by name
    models: list[ModelListModelsItem]
    #: There are more than are listed
    more: bool


class _MqttReceiver(TypedDict):
    #: Broker, such as mqtts://user:password@host:8883
    url: str


class MqttReceiver(_MqttReceiver, total=False):
    #: Start of all topics; troupe/{jobId} when absent
    topic: str | None
    #: Topic of Home Assistant discovery; "" for none; homeassistant when absent
    discoveryPrefix: str | None


class NewApiKeyOwner(TypedDict):
    #: Name of the user who made the key
    name: str
    #: Subject of the user at the provider; null: unknown
    subject: str | None
    #: Group of the user; null: none
    group: str | None


class NewApiKey(TypedDict):
    #: Id of the key; it is no secret
    id: str
    #: What the key is for
    name: str
    #: What the key may do; ADMIN includes USER
    role: Literal["USER", "ADMIN"]
    #: The user as whom a script acts with the key
    owner: NewApiKeyOwner
    #: When the key was made
    created: str
    #: When it ends
    expires: str
    #: To the minute; null: never
    lastUsed: str | None
    #: The key itself, shown this once: send it as a bearer token
    key: str


class NodeClass(TypedDict):
    #: Name of the class
    name: str
    #: The services that each of its nodes runs
    services: list[ServiceModel]


class NodeClassRequest(TypedDict):
    #: Name of the class
    name: str
    #: The services that each of its nodes runs
    services: list[ServiceModelRequest]


class NodeInfoDraining(TypedDict):
    #: When it was paused
    since: str
    #: Name of the administrator
    by: str


class _NodeInfo(TypedDict):
    #: Host name, or NODE_NAME
    host: str
    #: The node of the server itself
    own: bool
    #: true: it is connected to the server
    connected: bool
    #: The configuration names it
    configured: bool
    #: Of Troupe; null: it was never connected
    version: str | None
    #: Its last message; null: none, or it shut down normally
    lastHeard: str | None
    #: Number of services that it must run
    services: int
    #: Services that run there now
    running: int


class NodeInfo(_NodeInfo, total=False):
    #: Its node class; absent: none
    nodeClass: str
    #: The node or its server gets no new work; absent: it does
    draining: NodeInfoDraining


class NodeManagerModel(TypedDict):
    #: Host name, or NODE_NAME of a node; no port
    host: str
    #: The services that the node must run
    services: list[ServiceModel]


class NodeManagerModelRequest(TypedDict):
    #: Host name, or NODE_NAME of a node; no port
    host: str
    #: The services that the node must run
    services: list[ServiceModelRequest]


class OccurrenceStream(TypedDict):
    #: Without credentials
    streamUri: str
    #: When the track was seen first
    startDate: str
    #: When the track was seen last
    stopDate: str


class OccurrenceBox(TypedDict):
    #: Pixels from the left edge
    x: float
    #: Pixels from the upper edge
    y: float
    #: Pixels from the left to the right side
    width: float
    #: Pixels from the upper to the lower side
    height: float


class Occurrence(TypedDict):
    """A face track of a person"""

    #: <hostname>-<job number>
    jobId: str
    #: mediaId of the medium in the document
    mediaId: int
    #: As in the document
    mediaUri: str
    #: VIDEO or IMAGE
    mediaType: str
    #: Id of the track in the document
    trackId: str
    #: The first frame of the track, from 0
    startOffsetFrame: float
    #: The last frame of the track, inclusive
    stopOffsetFrame: float
    #: Milliseconds from the start of the medium, or since a streaming job was created
    startOffsetTime: float
    #: Milliseconds from the start of the medium
    stopOffsetTime: float
    #: Of a live stream: jobId is that of the streaming job. null: of a batch job
    stream: OccurrenceStream | None
    #: Confidence of the exemplar
    confidence: float
    #: Frame of the exemplar
    frame: float
    #: The face in that frame: pixels of the medium as a viewer shows it
    box: OccurrenceBox
    #: Of the medium, as a viewer shows it; null: unknown
    width: float | None
    #: Of the medium, as a viewer shows it; null: unknown
    height: float | None
    #: Picture of the frame of the exemplar: a path on this service. Cut the box out of it. Of a live stream, only a recording has it.
    frameUrl: str


class OperationRefusalsItem(TypedDict):
    #: Such as NOT_ENDED
    reason: str
    #: Why, in words
    message: str
    #: Jobs that were refused for this reason
    count: int
    #: The first 3 jobs
    examples: list[str]


class _Operation(TypedDict):
    #: op-<number>
    operationId: str
    #: What is done to each job
    action: Literal["resubmit", "retry", "cancel", "delete", "priority", "label", "archiverepost"]
    #: MATCHING: its jobs are being found; nothing is done yet
    status: Literal["MATCHING", "RUNNING", "CANCELLING", "COMPLETE", "CANCELLED", "ERROR"]
    #: Whether it has ended
    terminal: bool
    #: true: the jobs are counted, and nothing is changed
    dryRun: bool
    #: The name of the user
    startedBy: str
    #: When the operation was created
    startDate: str
    #: When it ended; null: it has not
    endDate: str | None
    #: Jobs that it selects
    matched: int
    #: Jobs for which the action was done, or would be (dryRun)
    done: int
    #: Jobs for which the action was refused
    refused: int
    #: Percent of the jobs that were handled
    progress: int
    #: Why jobs were refused, by reason
    refusals: list[OperationRefusalsItem]
    #: What it waits for, or why it ended with ERROR
    message: str | None
    #: null: ids were given
    filter: JobFilter | None


class Operation(_Operation, total=False):
    """One action on many jobs; kept for 7 days after its end"""

    #: The priority that the jobs get; only for priority and resubmit
    priority: int
    #: What runs again; only for retry
    what: Literal["FAILED_SUB_JOBS", "FAILED_MEDIA"]
    #: Labels that the jobs get; only for label
    add: list[str]
    #: Labels that the jobs lose; only for label
    remove: list[str]


class OperationList(TypedDict):
    #: Newest first
    operations: list[Operation]
    #: Value of before for the next page; null: this is the last page
    next: str | None


class _OperationRequest(TypedDict):
    #: What is done to each job
    action: Literal["resubmit", "retry", "cancel", "delete", "priority", "label", "archiverepost"]


class OperationRequest(_OperationRequest, total=False):
    #: Jobs that match it; {}: all jobs
    filter: JobFilterRequest
    #: Ids of jobs, instead of a filter
    ids: list[str | int]
    #: true: counts what would be done, and changes nothing
    dryRun: bool
    #: For the actions priority and resubmit
    priority: int
    #: For the action retry; absent: FAILED_SUB_JOBS
    what: Literal["FAILED_SUB_JOBS", "FAILED_MEDIA"]
    #: For the action retry: override those of the jobs
    jobProperties: dict[str, str | float | bool]
    #: For the action label: labels to add
    add: list[str]
    #: For the action label: labels to remove
    remove: list[str]


class _Owner(TypedDict):
    #: Subject of the token, else its client, else the name of the user
    user: str


class Owner(_Owner, total=False):
    #: By OIDC_GROUP_CLAIM_NAME
    group: str


class PeoplePage(TypedDict):
    """A page of people"""

    #: Those with most tracks first
    people: list[Person]
    #: People on all pages
    total: int
    #: The cursor of the next page; null: this is the last one
    next: str | None
    #: false: new faces join no group, because FACE_EMBEDDING or SEARCH is false
    grouping: bool
    #: false: faces of the job that the query names are not in groups yet, or not at all
    complete: bool


class Person(TypedDict):
    """A group of faces that look like one person; only what is in jobs that you may see"""

    #: The id of the person
    id: str
    #: null: the person has no name
    name: str | None
    #: When the group got its first face
    created: str
    #: The model that made the vectors of the faces
    model: str
    #: Face tracks of the person
    tracks: int
    #: Media that show the person, by URI
    media: int
    #: Jobs that found the person
    jobs: int
    #: The best face
    face: Occurrence


class PersonChange(TypedDict):
    """The name of a person"""

    #: The new name; null: without a name
    name: str | None


class PersonMerge(TypedDict):
    """Two groups that show one person"""

    #: Id of the person that becomes a part of this one
    person: str


class PersonPage(TypedDict):
    """A person, and a page of where the person is seen"""

    #: 
    person: Person
    #: Those of the newest job first
    tracks: list[Occurrence]
    #: The cursor of the next page; null: this is the last one
    next: str | None


class PersonSplitTracksItem(TypedDict):
    #: Job of the track
    jobId: str
    #: Medium of the track
    mediaId: int
    #: Id of the track
    trackId: str


class PersonSplit(TypedDict):
    """Tracks of a person that show somebody else"""

    #: Tracks that show somebody else
    tracks: list[PersonSplitTracksItem]


class PieceUpload(TypedDict):
    #: The id from the answer to the upload
    id: str
    #: Bytes of the whole medium
    bytes: int
    #: Bytes that are stored; the next piece begins here
    received: int
    #: The mediaUri for jobs of this service; null: pieces are missing
    mediaUri: str | None
    #: When it is removed; each piece of an unfinished upload extends this to a day
    expires: str


class _PieceUploadRequest(TypedDict):
    #: Bytes of the whole medium
    bytes: int


class PieceUploadRequest(_PieceUploadRequest, total=False):
    #: Name of the file. mediaUri ends with it, with unusual characters replaced; its extension helps to distinguish text formats
    name: str


class _Pipeline(TypedDict):
    #: Trimmed and in upper case
    name: str
    #: What the pipeline is for
    description: str
    #: Names, in the order in which they run
    tasks: list[str]


class Pipeline(_Pipeline, total=False):
    #: With details=true: problems for jobs that use it
    warnings: list[str]
    #: With details=true: whether the caller may remove it
    removable: bool
    #: With details=true: the component that registered it; null: a user stored it
    component: str | None


class PipelineCreation(TypedDict):
    #: Name of the pipeline
    name: str
    #: What it does, in a sentence
    description: str
    #: Names of tasks, in the order in which they run
    tasks: list[str]


class PostSystemMessageQuery(TypedDict, total=False):
    """Parameters of POST /rest/system-message"""

    #: Who sees it (case-insensitive); any other value means all
    msgType: Literal["all", "admin", "login"]
    #: When it is removed: at the next start of the server, or when it is deleted; any other value means manual
    removeStrategy: Literal["atServerStartup", "manual"]
    #: How it is shown
    severity: Literal["info", "warning", "error"]


class Problem(TypedDict):
    """An error"""

    #: What is wrong, and what to do
    message: str
    #: Stable name of the error; docs/reference/rest-errors.md lists all codes
    code: str
    #: Address of the documentation of this code
    help: str


class QueueInfoPaused(TypedDict):
    #: When it was paused
    since: str
    #: Name of the administrator
    by: str


class _QueueInfo(TypedDict):
    #: Name of the queue: SUBJOB and the algorithm, or TRANSFER and a host
    name: str
    #: Sub-jobs that wait; those that a component has leased are not counted
    messagesInQueue: int


class QueueInfo(_QueueInfo, total=False):
    #: Absent: the queue is not paused
    paused: QueueInfoPaused


class RegisterComponentQuery(TypedDict, total=False):
    """Parameters of POST /rest/components/registerUnmanaged"""

    #: true: with the members that the specification does not list
    details: bool


class _Registered(TypedDict):
    #: What happened, or what is wrong and what can be done
    message: str


class Registered(_Registered, total=False):
    #: With details=true: problems for jobs that use it
    warnings: list[str]


class RemainingTime(TypedDict):
    """Estimated remaining time, by the duration of finished sub-jobs and the processes that work for the job"""

    #: Seconds until its end
    seconds: int
    #: true: the time of later tasks is not known, so the job takes at least this long
    atLeast: bool


class ResponseMessage(TypedDict):
    #: What happened, or what is wrong and what can be done
    message: str


class ResubmitJobQuery(TypedDict, total=False):
    """Parameters of POST /rest/jobs/{id}/resubmit"""

    #: 0 lowest; absent or empty: the default priority
    jobPriority: int


class _Rule(TypedDict):
    #: Letters, digits, spaces, "_" and "-"
    name: str


class Rule(_Rule, total=False):
    #: Name of the zone that it is about
    zone: str
    #: Name of the line that it is about, in place of a zone
    line: str
    #: Default: DWELL with longerThan, COUNT with atLeast, CROSS with line, else ENTER
    event: Literal["ENTER", "LEAVE", "DWELL", "CROSS", "COUNT"]
    #: Types of tracks, or values of CLASSIFICATION; all when absent
    classes: list[str]
    #: Minimum confidence of the best detection in the zone
    minConfidence: float
    #: Seconds in the zone
    longerThan: float
    #: Tracks in the zone at the same time
    atLeast: float
    #: Both when absent
    direction: Literal["TO_RIGHT", "TO_LEFT"]
    #: When the rule applies; absent: always
    between: RuleSchedule
    #: Minimum seconds between two events of this rule
    coolDown: float


class _RuleRequest(TypedDict):
    #: Letters, digits, spaces, "_" and "-"
    name: str


class RuleRequest(_RuleRequest, total=False):
    #: Name of the zone that it is about
    zone: str
    #: Name of the line that it is about, in place of a zone
    line: str
    #: Default: DWELL with longerThan, COUNT with atLeast, CROSS with line, else ENTER
    event: Literal["ENTER", "LEAVE", "DWELL", "CROSS", "COUNT"]
    #: Types of tracks, or values of CLASSIFICATION; all when absent
    classes: list[str]
    #: Minimum confidence of the best detection in the zone
    minConfidence: float
    #: Seconds in the zone
    longerThan: float
    #: Tracks in the zone at the same time
    atLeast: float
    #: Both when absent
    direction: Literal["TO_RIGHT", "TO_LEFT"]
    #: When the rule applies; absent: always
    between: RuleScheduleRequest
    #: Minimum seconds between two events of this rule
    coolDown: float


_RuleSchedule = TypedDict(
    "_RuleSchedule",
    {
        # Time of day, such as 22:00
        "from": "str",
        # Time of day when it ends, also on the next day
        "to": "str",
    },
)


class RuleSchedule(_RuleSchedule, total=False):
    #: Such as Europe/Berlin; UTC when absent
    timeZone: str
    #: Days on which it begins; all when absent
    days: list[Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]]


_RuleScheduleRequest = TypedDict(
    "_RuleScheduleRequest",
    {
        # Time of day, such as 22:00
        "from": "str",
        # Time of day when it ends, also on the next day
        "to": "str",
    },
)


class RuleScheduleRequest(_RuleScheduleRequest, total=False):
    #: Such as Europe/Berlin; UTC when absent
    timeZone: str
    #: Days on which it begins; all when absent
    days: list[Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]]


class SavedSearch(TypedDict):
    #: Id of the saved search
    id: str
    #: The name that the user gave it
    name: str
    #: Parameters of GET /rest/search except limit and cursor. days: instead of from, this many days up to today
    query: dict[str, str]
    #: When it was saved
    created: str


class SavedSearchList(TypedDict):
    #: Oldest first
    searches: list[SavedSearch]


class SavedSearchRequest(TypedDict):
    #: By this name the user finds it again
    name: str
    #: Parameters of GET /rest/search except limit and cursor. days: instead of from, this many days up to today
    query: dict[str, str]


SearchCountsFindingsItem = TypedDict(
    "SearchCountsFindingsItem",
    {
        # Type of the tracks
        "type": "str",
        # Their CLASSIFICATION; null: they have none
        "class": "str | None",
        # Tracks that have it
        "tracks": "int",
    },
)


class SearchCountsColoursItem(TypedDict):
    #: Like their DOMINANT_COLOR
    colour: Literal["red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "grey", "white"]
    #: Tracks that have it
    tracks: int


class SearchCountsMediaItem(TypedDict):
    #: URI of the medium, as in the document
    mediaUri: str
    #: Tracks that have it
    tracks: int


class SearchCountsConfidencesItem(TypedDict):
    #: 0.5, 0.75 or 0.9
    minConfidence: float
    #: Tracks with at least this confidence
    tracks: int


SearchCountsSinceItem = TypedDict(
    "SearchCountsSinceItem",
    {
        # A time of the query
        "from": "str",
        # Tracks that match with this from
        "tracks": "int",
    },
)


class SearchCounts(TypedDict):
    """What the hits of a query have, most tracks first"""

    #: Tracks that were counted: the newest ones
    tracks: int
    #: true: there are more tracks than were counted
    isPart: bool
    #: Tracks by type and class
    findings: list[SearchCountsFindingsItem]
    #: Tracks by colour
    colours: list[SearchCountsColoursItem]
    #: The 30 with most tracks
    media: list[SearchCountsMediaItem]
    #: Tracks by confidence
    confidences: list[SearchCountsConfidencesItem]
    #: Tracks by the times of the query
    since: list[SearchCountsSinceItem]
    #: false: the index is being made
    complete: bool


SearchDuplicatesQuery = TypedDict(
    "SearchDuplicatesQuery",
    {
        # Words of a text, "several in a row", beginnings*, one OR another
        "text": "str",
        # Words of a text, or names of classes, types or colours
        "anything": "str",
        # Only tracks of this class (CLASSIFICATION), such as car
        "class": "str",
        # Only tracks of this type, such as TEXT
        "type": "str",
        # Only jobs that ended, and streams seen, then or later
        "from": "str",
        # Only jobs that ended, and streams seen, before it
        "to": "str",
        # Only this job
        "job": "str",
        # Only tracks of this colour (DOMINANT_COLOR)
        "colour": "Literal[\"red\", \"orange\", \"yellow\", \"green\", \"blue\", \"purple\", \"pink\", \"brown\", \"black\", \"grey\", \"white\"]",
        # Only tracks with at least this confidence
        "minConfidence": "float",
        # Only media with this in their URI
        "medium": "str",
        # Maximum number of groups
        "limit": "int",
    },
    total=False,
)


class SearchHitStream(TypedDict):
    #: Without credentials
    streamUri: str
    #: When the track was seen first
    startDate: str
    #: When the track was seen last
    stopDate: str


class SearchHitPage(TypedDict):
    #: SLIDE: of a presentation; SHEET: of a spreadsheet; PAGE: of other documents
    kind: Literal["PAGE", "SLIDE", "SHEET"]
    #: From 1; a picture on several pages has all of them: 3; 7
    number: str


class SearchHitPerson(TypedDict):
    #: The id of the person
    id: str
    #: null: the person has no name
    name: str | None


class SearchHitBox(TypedDict):
    #: Pixels from the left edge
    x: float
    #: Pixels from the upper edge
    y: float
    #: Pixels from the left to the right side
    width: float
    #: Pixels from the upper to the lower side
    height: float


class SearchHitSnippetMarksItem(TypedDict):
    #: The first code unit of the match
    start: int
    #: The code unit after the match
    end: int


class SearchHitSnippet(TypedDict):
    #: Empty for a track without text
    text: str
    #: The matches in it: from start to before end, in UTF-16 code units, in order
    marks: list[SearchHitSnippetMarksItem]


SearchHit = TypedDict(
    "SearchHit",
    {
        # <hostname>-<job number>
        "jobId": "str",
        # The caller's id of the job
        "externalId": "str | None",
        # When the job ended; of a live stream, when its segment ended
        "jobEndDate": "str",
        # Place of the medium in the document, from 0
        "mediaIndex": "int",
        # mediaId of the medium in the document
        "mediaId": "int",
        # As in the document
        "mediaUri": "str",
        # VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN
        "mediaType": "str",
        # Id of the track in the document
        "trackId": "str",
        # Name of the task
        "task": "str",
        # The source of the track
        "action": "str",
        # The algorithm that found it
        "algorithm": "str",
        # Type of the track, such as TEXT or SPEECH
        "type": "str",
        # CLASSIFICATION of the track, such as car; null: it has none
        "class": "str | None",
        # The first frame of the track, from 0
        "startOffsetFrame": "float",
        # The last frame of the track, inclusive
        "stopOffsetFrame": "float",
        # Milliseconds; of a live stream, since the job was created
        "startOffsetTime": "float",
        # Milliseconds
        "stopOffsetTime": "float",
        # Of a live stream: jobId is that of the streaming job. null: of a batch job
        "stream": "SearchHitStream | None",
        # Where it was found in a document, or in a picture from a document (PAGE_NUM). null: no component reported a page.
        "page": "SearchHitPage | None",
        # Confidence of the exemplar; -1: the detector gives none
        "confidence": "float",
        # Of DOMINANT_COLOR; null: unknown
        "colour": "Literal[\"red\", \"orange\", \"yellow\", \"green\", \"blue\", \"purple\", \"pink\", \"brown\", \"black\", \"grey\", \"white\"] | None",
        # Model of the vector by which similar tracks are found; null: the track has none
        "vectorModel": "str | None",
        # Of a face track: whom it shows. null: it is in no group of `GET /rest/people`
        "person": "SearchHitPerson | None",
        # Of the exemplar; null: it has no box
        "frame": "float | None",
        # Of the exemplar: pixels of the medium as a viewer shows it
        "box": "SearchHitBox | None",
        # Of the medium, as a viewer shows it
        "width": "float | None",
        # Pixels, as a viewer shows it; null: it has no picture
        "height": "float | None",
        # The text around the match; … shows that it continues
        "snippet": "SearchHitSnippet",
        # Share of the text that matches; 1: all of it, or the query has no text
        "score": "float",
    },
)


class SearchPage(TypedDict):
    """A page of hits. It may be short, or empty, although more follow: continue until next is null."""

    #: Most recently indexed first
    hits: list[SearchHit]
    #: Value of cursor for the next page; null: this is the last page
    next: str | None
    #: false: the index is being made, and does not have all documents yet
    complete: bool


SearchQuery = TypedDict(
    "SearchQuery",
    {
        # Words of a text, "several in a row", beginnings*, one OR another
        "text": "str",
        # Words of a text, or names of classes, types or colours
        "anything": "str",
        # Only tracks of this class (CLASSIFICATION), such as car
        "class": "str",
        # Only tracks of this type, such as TEXT
        "type": "str",
        # Only jobs that ended, and streams seen, then or later
        "from": "str",
        # Only jobs that ended, and streams seen, before it
        "to": "str",
        # Only this job
        "job": "str",
        # Only tracks of this colour (DOMINANT_COLOR)
        "colour": "Literal[\"red\", \"orange\", \"yellow\", \"green\", \"blue\", \"purple\", \"pink\", \"brown\", \"black\", \"grey\", \"white\"]",
        # Only tracks with at least this confidence
        "minConfidence": "float",
        # Only media with this in their URI
        "medium": "str",
        # Only live streams with this job id or, if not a number, this in their URI
        "camera": "str",
        # Only face tracks of this person, by id or name
        "person": "str",
        # true: only the newest of tracks that several jobs found
        "distinct": "bool",
        # newest or oldest: by the time of indexing. best: of the newest 20,000 hits those first that match most of the query
        "sort": "Literal[\"newest\", \"oldest\", \"best\"]",
        # Maximum number of hits on a page
        "limit": "int",
        # Value of next from the previous page
        "cursor": "str",
    },
    total=False,
)


class SendPieceQuery(TypedDict):
    """Parameters of PUT /rest/media/{id}/pieces"""

    #: Where the piece begins in the medium: bytes; it must be `received`
    offset: int


class ServiceLogLinesItem(TypedDict):
    #: When it was written
    at: str
    #: The process: name of the service, "#" and the number of earlier starts
    process: str
    #: process: when a process began and why it ended, reported by the node
    source: Literal["stdout", "stderr", "process"]
    #: Text of the line; long lines are cut
    text: str


class ServiceLog(TypedDict):
    #: <host>:<service>:<n>
    name: str
    #: The newest last
    lines: list[ServiceLogLinesItem]


class _ServiceModelEnvironmentVariablesItem(TypedDict):
    #: Name of the variable
    name: str
    #: Its value; secret ones are hidden
    value: str


class ServiceModelEnvironmentVariablesItem(_ServiceModelEnvironmentVariablesItem, total=False):
    #: Separator to append the value to an existing one
    sep: str


class ServiceModel(TypedDict):
    #: Name of a component, or any other
    serviceName: str
    #: What the service is for
    serviceDescription: str
    #: Both run cmd with args
    serviceLauncher: Literal["simple", "generic"]
    #: An executable file, or a program in PATH
    cmd: str
    #: Number of services to start
    serviceCount: int
    #: Relative to the folder of the server package
    workingDirectory: str
    #: Arguments of cmd
    args: list[str]
    #: Variables of the environment of its processes
    environmentVariables: list[ServiceModelEnvironmentVariablesItem]


class _ServiceModelRequest(TypedDict):
    #: Name of a component, or any other
    serviceName: str
    #: What the service is for
    serviceDescription: str
    #: Both run cmd with args
    serviceLauncher: Literal["simple", "generic"]
    #: An executable file, or a program in PATH
    cmd: str
    #: Number of services to start
    serviceCount: int
    #: Relative to the folder of the server package
    workingDirectory: str


class ServiceModelRequest(_ServiceModelRequest, total=False):
    #: Arguments of cmd
    args: list[str] | None
    #: Variables of the environment of its processes
    environmentVariables: list[EnvironmentVariableModel] | None


class SimilarPageHitsItemStream(TypedDict):
    #: Without credentials
    streamUri: str
    #: When the track was seen first
    startDate: str
    #: When the track was seen last
    stopDate: str


class SimilarPageHitsItemPage(TypedDict):
    #: SLIDE: of a presentation; SHEET: of a spreadsheet; PAGE: of other documents
    kind: Literal["PAGE", "SLIDE", "SHEET"]
    #: From 1; a picture on several pages has all of them: 3; 7
    number: str


class SimilarPageHitsItemPerson(TypedDict):
    #: The id of the person
    id: str
    #: null: the person has no name
    name: str | None


class SimilarPageHitsItemBox(TypedDict):
    #: Pixels from the left edge
    x: float
    #: Pixels from the upper edge
    y: float
    #: Pixels from the left to the right side
    width: float
    #: Pixels from the upper to the lower side
    height: float


class SimilarPageHitsItemSnippetMarksItem(TypedDict):
    #: The first code unit of the match
    start: int
    #: The code unit after the match
    end: int


class SimilarPageHitsItemSnippet(TypedDict):
    #: Empty for a track without text
    text: str
    #: The matches in it: from start to before end, in UTF-16 code units, in order
    marks: list[SimilarPageHitsItemSnippetMarksItem]


SimilarPageHitsItem = TypedDict(
    "SimilarPageHitsItem",
    {
        # <hostname>-<job number>
        "jobId": "str",
        # The caller's id of the job
        "externalId": "str | None",
        # When the job ended; of a live stream, when its segment ended
        "jobEndDate": "str",
        # Place of the medium in the document, from 0
        "mediaIndex": "int",
        # mediaId of the medium in the document
        "mediaId": "int",
        # As in the document
        "mediaUri": "str",
        # VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN
        "mediaType": "str",
        # Id of the track in the document
        "trackId": "str",
        # Name of the task
        "task": "str",
        # The source of the track
        "action": "str",
        # The algorithm that found it
        "algorithm": "str",
        # Type of the track, such as TEXT or SPEECH
        "type": "str",
        # CLASSIFICATION of the track, such as car; null: it has none
        "class": "str | None",
        # The first frame of the track, from 0
        "startOffsetFrame": "float",
        # The last frame of the track, inclusive
        "stopOffsetFrame": "float",
        # Milliseconds; of a live stream, since the job was created
        "startOffsetTime": "float",
        # Milliseconds
        "stopOffsetTime": "float",
        # Of a live stream: jobId is that of the streaming job. null: of a batch job
        "stream": "SimilarPageHitsItemStream | None",
        # Where it was found in a document, or in a picture from a document (PAGE_NUM). null: no component reported a page.
        "page": "SimilarPageHitsItemPage | None",
        # Confidence of the exemplar; -1: the detector gives none
        "confidence": "float",
        # Of DOMINANT_COLOR; null: unknown
        "colour": "Literal[\"red\", \"orange\", \"yellow\", \"green\", \"blue\", \"purple\", \"pink\", \"brown\", \"black\", \"grey\", \"white\"] | None",
        # Model of the vector by which similar tracks are found; null: the track has none
        "vectorModel": "str | None",
        # Of a face track: whom it shows. null: it is in no group of `GET /rest/people`
        "person": "SimilarPageHitsItemPerson | None",
        # Of the exemplar; null: it has no box
        "frame": "float | None",
        # Of the exemplar: pixels of the medium as a viewer shows it
        "box": "SimilarPageHitsItemBox | None",
        # Of the medium, as a viewer shows it
        "width": "float | None",
        # Pixels, as a viewer shows it; null: it has no picture
        "height": "float | None",
        # The text around the match; … shows that it continues
        "snippet": "SimilarPageHitsItemSnippet",
        # Share of the text that matches; 1: all of it, or the query has no text
        "score": "float",
        # Cosine of the angle between the vectors, from -1 to 1; 1: the same direction
        "similarity": "float",
    },
)


class SimilarPage(TypedDict):
    """Similar tracks"""

    #: Model whose vectors were compared
    model: str
    #: The track that hits are similar to; null: a vector, a picture or words were given
    like: SearchHit | None
    #: The most similar first; the track itself is left out
    hits: list[SimilarPageHitsItem]
    #: Part of the vectors that were compared; below 1, the index of vectors is being built
    searched: float
    #: false: the search does not have all documents yet
    complete: bool


class SimilarRequestBox(TypedDict):
    #: Pixels from the left edge
    x: int
    #: Pixels from the upper edge
    y: int
    #: Pixels from the left to the right side
    width: int
    #: Pixels from the upper to the lower side
    height: int


SimilarRequestFilter = TypedDict(
    "SimilarRequestFilter",
    {
        # Words of a text, "several in a row", beginnings*, one OR another
        "text": "str",
        # Words of a text, or names of classes, types or colours
        "anything": "str",
        # Only tracks of this class (CLASSIFICATION), such as car
        "class": "str",
        # Only tracks of this type, such as TEXT
        "type": "str",
        # Only jobs that ended, and streams seen, then or later
        "from": "str",
        # Only jobs that ended, and streams seen, before it
        "to": "str",
        # Only this job
        "job": "str",
        # Only tracks of this colour (DOMINANT_COLOR)
        "colour": "Literal[\"red\", \"orange\", \"yellow\", \"green\", \"blue\", \"purple\", \"pink\", \"brown\", \"black\", \"grey\", \"white\"]",
        # Only tracks with at least this confidence
        "minConfidence": "float",
        # Only media with this in their URI
        "medium": "str",
        # Only live streams with this job id or, if not a number, this in their URI
        "camera": "str",
        # Only face tracks of this person, by id or name
        "person": "str",
        # true: only the newest of tracks that several jobs found
        "distinct": "bool",
    },
    total=False,
)


class SimilarRequest(TypedDict, total=False):
    """A track, a vector, a picture or words, and which tracks are compared with it"""

    #: Job of the track to which hits must be similar
    jobId: str
    #: Medium of the track
    mediaId: int
    #: Id of the track
    trackId: str
    #: Instead of a track: a vector, as numbers or as FEATURE has it
    vector: list[float] | str
    #: The model that made the vector, as vectorModel of a hit. With mediaUri or text: the model to use; absent: the one of the newest vectors
    model: str
    #: Instead of a track: a picture or video that a job could use, such as an upload. A temporary job makes its vector
    mediaUri: str
    #: With mediaUri: only this part of the picture as a viewer shows it
    box: SimilarRequestBox
    #: With mediaUri: the frame of a video, from 0
    frame: int
    #: Instead of a track: words that pictures may show. The text half of the model (TEXT_MODEL_NAME) makes their vector
    text: str
    #: As the parameters of GET /rest/search
    filter: SimilarRequestFilter
    #: Minimum similarity, from -1 to 1
    minSimilarity: float
    #: Maximum number of hits
    limit: int


class _SingleJobInfo(TypedDict):
    #: <hostname>-<job number>
    jobId: str
    #: 0 is the lowest, 9 the highest
    jobPriority: int
    #: Percent
    jobProgress: float
    #: 
    jobStatus: JobStatus
    #: Whether the job has ended
    terminal: bool
    #: When the job was created, or resubmitted
    startDate: str
    #: When it ended; null: it has not
    endDate: str | None
    #: The media of the request
    mediaUris: list[str]
    #: Path of the detection document on the server
    outputObjectPath: str | None
    #: The pipeline that the job runs
    pipelineName: str
    #: PAST JOB FOUND: the results of an earlier job are used for this one; COPY ERROR: they could not be copied into its bucket
    archiveStatus: DeliveryStatus | Literal["PAST JOB FOUND"] | str
    #: 
    callbackStatus: DeliveryStatus


class SingleJobInfo(_SingleJobInfo, total=False):
    #: With details=true: the caller's id
    externalId: str | None
    #: With details=true: who created the job
    owner: Owner
    #: With details=true
    labels: list[str]
    #: With details=true: the actions of a pipeline that belongs to this job alone
    pipelineActions: list[str]
    #: With details=true, once the job has ended: how many of mediaUris were processed without an error; absent when it was cancelled
    mediaSucceeded: int
    #: With details=true, for each of mediaUris: the path of the medium, relative to /rest/jobs/{jobId}/; null: it is available at its own address
    mediaHrefs: list[str | None]
    #: With details=true, of a job that is read alone: its runs, the oldest first
    runs: list[JobRun]
    #: With details=true, once an attempt has failed
    callbackAttempts: DeliveryAttempts
    #: With details=true, once an attempt has failed
    archiveAttempts: DeliveryAttempts
    #: With details=true; absent while a sub-job runs, and when the job has ended
    waitingFor: WaitingFor
    #: With details=true; absent while nothing is known, and when the job has ended
    remaining: RemainingTime


class StreamEventList(TypedDict):
    #: The newest first; the newest 400 to 500 of each kind are kept
    events: list[ZoneEvent]


class StreamEventWebhook(TypedDict):
    #: stream. and the event, such as stream.rule
    type: str
    #: When it happened: ISO 8601, UTC
    timestamp: str
    #: What happened, as GET .../zone-events lists it
    data: ZoneEvent


class _StreamRecording(TypedDict):
    #: Older pictures are removed
    days: float
    #: Of all files of the recording; the oldest go first
    bytes: int


class StreamRecording(_StreamRecording, total=False):
    #: Another address of the camera to record, with more pixels; absent: that of the stream
    streamUri: str


class StreamRecordingListStretchesItem(TypedDict):
    #: Time of its first picture
    startTime: str
    #: When its last picture ended
    stopTime: str
    #: Number in the stream; null: another address is recorded
    startFrame: int | None
    #: Number in the stream; null: another address is recorded
    stopFrame: int | None


class StreamRecordingList(TypedDict):
    #: Of all files of the recording
    bytes: int
    #: Recorded without a break, in order of time; the newest 1,000
    stretches: list[StreamRecordingListStretchesItem]


class StreamRecordingRequest(TypedDict, total=False):
    #: Another address of the camera to record, with more pixels; absent: that of the stream
    streamUri: str
    #: Older pictures are removed
    days: float
    #: Of all files of the recording; the oldest go first
    bytes: int


class StreamingJobCancelProblem(TypedDict):
    #: -1: the job was not created
    jobId: int
    #: As requested
    doCleanup: bool
    #: Folder of all files of the job; null when it writes none
    outputObjectDirectory: str | None
    #: 
    coreResponse: CoreResponse
    #: What is wrong, and what to do
    message: str
    #: Stable name of the error; docs/reference/rest-errors.md lists all codes
    code: str
    #: Address of the documentation of this code
    help: str


class StreamingJobCancelResponse(TypedDict):
    #: -1: the job was not created
    jobId: int
    #: As requested
    doCleanup: bool
    #: Folder of all files of the job; null when it writes none
    outputObjectDirectory: str | None
    #: 
    coreResponse: CoreResponse


class StreamingJobCreationProblem(TypedDict):
    #: -1: the job was not created
    jobId: int
    #: Folder of all files of the job; null when it writes none
    outputObjectDirectory: str | None
    #: 
    coreResponse: CoreResponse
    #: What is wrong, and what to do
    message: str
    #: Stable name of the error; docs/reference/rest-errors.md lists all codes
    code: str
    #: Address of the documentation of this code
    help: str


class _StreamingJobCreationRequest(TypedDict):
    #: true: reports and segments are written into a folder of the server as well
    enableOutputToDisk: bool
    #: The stream, and how it is cut into segments
    stream: JobCreationStreamData
    #: Milliseconds; -1: a stall never ends the job
    stallTimeout: int
    #: A stored pipeline whose component processes streams
    pipelineName: str


class StreamingJobCreationRequest(_StreamingJobCreationRequest, total=False):
    #: The caller's id of the job: in reports
    externalId: str | float | None
    #: Values of properties for all actions of the job
    jobProperties: dict[str, str | float | bool] | None
    #: Values of properties by algorithm, over jobProperties
    algorithmProperties: dict[str, dict[str, str | float | bool]] | None
    #: Gets a POST with the state of the job, at intervals and at each change: an http or https URI
    healthReportCallbackUri: str | None
    #: Gets a POST with the findings of each segment: an http or https URI
    summaryReportCallbackUri: str | None
    #: Gets a health report of this job when the stream stalls
    stallCallbackUri: str | None
    #: Areas of the picture, in fractions
    zones: list[ZoneRequest] | None
    #: Lines in the picture whose crossings are counted
    lines: list[LineRequest] | None
    #: When something in a zone or at a line is an event
    rules: list[RuleRequest] | None
    #: The point of a box that counts: BOTTOM (middle of the lower edge; default) or CENTER
    anchor: Literal["BOTTOM", "CENTER"] | None
    #: Who gets events of zones and rules, and which
    events: EventReceivers | None


class StreamingJobCreationResponse(TypedDict):
    #: -1: the job was not created
    jobId: int
    #: Folder of all files of the job; null when it writes none
    outputObjectDirectory: str | None
    #: 
    coreResponse: CoreResponse


class StreamingJobInfoPicture(TypedDict):
    #: Width of a frame: pixels
    width: int
    #: Height of a frame: pixels
    height: int
    #: Frames a second, as the stream says
    fps: float


class StreamingJobInfoFrames(TypedDict):
    #: Frames decoded
    read: int
    #: Frames analyzed
    processed: int
    #: Frames dropped because a newer one was available
    dropped: int
    #: Frames skipped because nothing moved (motion gate)
    skipped: int
    #: New connections to the stream after a failure
    reconnects: int


class StreamingJobInfoReportsHealth(TypedDict):
    #: When it was sent
    at: str
    #: Why it failed; null: it arrived
    error: str | None


class StreamingJobInfoReportsSummary(TypedDict):
    #: When it was sent
    at: str
    #: Why it failed; null: it arrived
    error: str | None


class StreamingJobInfoReports(TypedDict):
    #: The last health report; null: none was sent
    health: StreamingJobInfoReportsHealth | None
    #: The last summary report; null: none was sent
    summary: StreamingJobInfoReportsSummary | None
    #: Reports that were lost because their receiver is too slow
    dropped: int


class _StreamingJobInfoZones(TypedDict):
    #: Zones of the job
    zones: list[Zone]
    #: Lines of the job
    lines: list[Line]
    #: Rules of the job
    rules: list[Rule]
    #: Tracks in each zone now
    occupancy: dict[str, int]
    #: Webhooks and messages that are not delivered yet
    pending: int
    #: Webhooks and messages that were dropped
    dropped: int
    #: Why the last delivery failed; null: it arrived
    trouble: str | None
    #: Detections dropped because there were too many tracks
    ignored: int


class StreamingJobInfoZones(_StreamingJobInfoZones, total=False):
    #: The point of a box that counts; absent: BOTTOM
    anchor: Literal["BOTTOM", "CENTER"]


class _StreamingJobInfo(TypedDict):
    #: Number of the job, from one sequence with batch jobs
    jobId: int
    #: Folder of all files of the job; null when it writes none
    outputObjectDirectory: str | None
    #: The stream of the request without secrets
    streamUri: str
    #: When the job was created, in local time
    startDate: str
    #: When it ended, in local time; null: it has not
    endDate: str | None
    #: Specification 3.2
    jobStatus: Literal["INITIALIZING", "IN_PROGRESS", "CANCELLING", "CANCELLED", "TERMINATED", "STALLED", "JOB_CREATION_ERROR", "ERROR", "CANCELLED_BY_SHUTDOWN"]
    #: Reason for the status; null: there is none
    jobStatusDetail: str | None
    #: The pipeline that the job runs
    pipelineName: str
    #: Frame at which the first track of the current segment starts, or of the last segment that had tracks
    activityFrameId: str | None
    #: When that frame was decoded; null: nothing was found yet
    activityTimestamp: str | None


class StreamingJobInfo(_StreamingJobInfo, total=False):
    #: With details=true: the externalId of the request; null: it had none
    externalId: str | None
    #: Who created the job
    owner: Owner
    #: What is recorded; absent: nothing
    recording: StreamRecording
    #: Number of reported segments
    segments: int
    #: Pixels, and frames a second as the stream says
    picture: StreamingJobInfoPicture | None
    #: Frames decoded, analyzed, overtaken by newer ones, skipped by the motion gate; new connections after a failure
    frames: StreamingJobInfoFrames
    #: Parts of the request without effect, and parts that the detector could not process; each once
    warnings: list[str]
    #: Outcome of the last reports since the server started
    reports: StreamingJobInfoReports
    #: With details=true: zones, lines and rules, and their counts
    zones: StreamingJobInfoZones


class StreamingJobRestartRequestStream(TypedDict, total=False):
    #: One stream: rtsp, rtsps, http or https
    streamUri: str
    #: Frames of a segment, at least 10
    segmentSize: int
    #: Override all other properties for this stream
    mediaProperties: dict[str, str | float | bool] | None
    #: Keeps the pictures of the camera; absent: nothing is kept
    recording: StreamRecordingRequest | None


class StreamingJobRestartRequest(TypedDict, total=False):
    #: true: reports and segments are written into a folder of the server as well
    enableOutputToDisk: bool
    #: The caller's id of the job: in reports
    externalId: str | float | None
    #: Values of properties for all actions of the job
    jobProperties: dict[str, str | float | bool] | None
    #: Values of properties by algorithm, over jobProperties
    algorithmProperties: dict[str, dict[str, str | float | bool]] | None
    #: Members of the stream that change
    stream: StreamingJobRestartRequestStream
    #: Milliseconds; -1: a stall never ends the job
    stallTimeout: int
    #: A stored pipeline whose component processes streams
    pipelineName: str
    #: Gets a POST with the state of the job, at intervals and at each change: an http or https URI
    healthReportCallbackUri: str | None
    #: Gets a POST with the findings of each segment: an http or https URI
    summaryReportCallbackUri: str | None
    #: Gets a health report of this job when the stream stalls
    stallCallbackUri: str | None
    #: Areas of the picture, in fractions
    zones: list[ZoneRequest] | None
    #: Lines in the picture whose crossings are counted
    lines: list[LineRequest] | None
    #: When something in a zone or at a line is an event
    rules: list[RuleRequest] | None
    #: The point of a box that counts: BOTTOM (middle of the lower edge; default) or CENTER
    anchor: Literal["BOTTOM", "CENTER"] | None
    #: Who gets events of zones and rules, and which
    events: EventReceivers | None


class SummaryReportOutputValueItemExemplar(TypedDict):
    #: Number of the frame since the start of the stream, from 0
    offsetFrame: int
    #: When the frame was decoded
    timestamp: str
    #: Left edge of the box: pixels from the left edge of the frame
    x: int
    #: Upper edge of the box: pixels from the upper edge of the frame
    y: int
    #: Width of the box: pixels
    width: int
    #: Height of the box: pixels
    height: int
    #: Confidence, usually from 0 to 1; -1: the detector gives none
    confidence: float
    #: Properties of the detection, by name
    detectionProperties: dict[str, str]


class SummaryReportOutputValueItemDetectionsItem(TypedDict):
    #: Number of the frame since the start of the stream, from 0
    offsetFrame: int
    #: When the frame was decoded
    timestamp: str
    #: Left edge of the box: pixels from the left edge of the frame
    x: int
    #: Upper edge of the box: pixels from the upper edge of the frame
    y: int
    #: Width of the box: pixels
    width: int
    #: Height of the box: pixels
    height: int
    #: Confidence, usually from 0 to 1; -1: the detector gives none
    confidence: float
    #: Properties of the detection, by name
    detectionProperties: dict[str, str]


class _SummaryReportOutputValueItem(TypedDict):
    #: The same input gives the same id
    id: str
    #: Frame of the first detection in this segment, from the start of the stream
    startOffsetFrame: int
    #: Frame of the last detection in this segment, inclusive
    stopOffsetFrame: int
    #: When the first of these frames was decoded
    startTimestamp: str
    #: When the last of these frames was decoded
    stopTimestamp: str
    #: Type of the track, such as FACE, CLASS, SPEECH or MOTION
    type: str
    #: Highest confidence of its detections
    confidence: float
    #: Properties of the whole track, by name
    trackProperties: dict[str, str]
    #: The detection that shows the track best
    exemplar: SummaryReportOutputValueItemExemplar
    #: The detections in this segment, by frame
    detections: list[SummaryReportOutputValueItemDetectionsItem]


class SummaryReportOutputValueItem(_SummaryReportOutputValueItem, total=False):
    #: With OUTPUT_DETAILS=TRUE: the same in each segment of the track
    liveId: str
    #: Task that found the track; absent: the pipeline has one action
    task: str
    #: Its action; absent: the pipeline has one action
    action: str


class SummaryReport(TypedDict):
    #: When the report was made
    reportDate: str
    #: Number of the streaming job
    jobId: int
    #: The externalId of the request; null: it had none
    externalId: str | None
    #: Number of the segment, from 0
    segmentId: int
    #: First frame of the segment, from the start of the stream
    segmentStartFrame: int
    #: Last frame of the segment, inclusive
    segmentStopFrame: int
    #: Empty: the segment was processed
    errorMessage: str
    #: By type of track
    output: dict[str, list[SummaryReportOutputValueItem]]


class SystemMessage(TypedDict):
    #: Number of the message
    id: int
    #: Text of the message
    msg: str
    #: When it was posted
    datePosted: str
    #: Name of a predefined message; there are none
    msgEnum: str | None
    #: Who sees it
    msgType: Literal["all", "admin", "login"]
    #: When it is removed: at the next start of the server, or when it is deleted
    removeStrategy: Literal["atServerStartup", "manual"]
    #: How it is shown
    severity: Literal["info", "warning", "error"]


class _Task(TypedDict):
    #: Trimmed and in upper case
    name: str
    #: What the task does
    description: str
    #: Names; all run at a time
    actions: list[str]


class Task(_Task, total=False):
    #: With details=true: problems for jobs that use it
    warnings: list[str]
    #: With details=true: whether the caller may remove it
    removable: bool
    #: With details=true: the component that registered it; null: a user stored it
    component: str | None


class TaskCreation(TypedDict):
    #: Name of the task
    name: str
    #: What it does, in a sentence
    description: str
    #: Names of actions, which run at a time
    actions: list[str]


class Track(TypedDict):
    #: The same input gives the same id
    id: str
    #: Number of the track within its action and medium
    index: int
    #: Frame of the first detection, from 0
    startOffsetFrame: int
    #: Frame of the last detection, inclusive
    stopOffsetFrame: int
    #: Milliseconds from the start of the medium
    startOffsetTime: int
    #: Milliseconds; of a video the time of the last frame
    stopOffsetTime: int
    #: Type of the track, such as FACE, CLASS, TEXT, SPEECH or MOTION
    type: str
    #: Name of the action
    source: str
    #: Confidence of the exemplar; -1: the detector gives none
    confidence: float
    #: Properties of the whole track, by name
    trackProperties: dict[str, str]
    #: The detection that shows the track best; EXEMPLAR_POLICY chooses it
    exemplar: Detection
    #: All its detections, by frame
    detections: list[Detection]


TrackCountsSeriesItem = TypedDict(
    "TrackCountsSeriesItem",
    {
        # Type of the tracks
        "type": "str",
        # Their CLASSIFICATION
        "class": "str | None",
        # Tracks in the whole medium
        "total": "int",
        # Tracks that begin in each interval
        "begins": "list[int]",
        # Tracks with a part in each interval
        "present": "list[int]",
    },
)


class _TrackCounts(TypedDict):
    #: Length of an interval: milliseconds
    intervalMs: int
    #: Intervals from the start of the medium to its last finding
    intervals: int
    #: The most frequent first, at most 50
    series: list[TrackCountsSeriesItem]
    #: Less frequent series that are left out
    omitted: int


class TrackCounts(_TrackCounts, total=False):
    #: 
    partial: MediumProgress


class TrackPageTracksItem(TypedDict):
    #: Number within the medium, from 0
    n: int
    #: The lane of the track, as the lanes of the medium number them
    lane: int
    #: Id of the track in the document
    id: str
    #: Begin of the track: milliseconds from the start of the medium
    startMs: int
    #: End of the track: milliseconds from the start of the medium
    stopMs: int
    #: The first frame of the track, from 0
    startFrame: int
    #: The last frame of the track, inclusive
    stopFrame: int
    #: Confidence of the exemplar; -1: the detector gives none
    confidence: float
    #: Class or text of the track
    label: str | None
    #: Properties of the track, and of its exemplar. Long values are cut
    properties: dict[str, str]
    #: The frame of the exemplar; null: it has no box
    exemplarFrame: int | None
    #: The time of the exemplar: milliseconds; null: it has no box
    exemplarMs: int | None
    #: artifactPath of the exemplar
    artifact: str | None


class _TrackPage(TypedDict):
    #: The tracks that fit the query
    tracks: list[TrackPageTracksItem]
    #: Number of all tracks that match
    total: int


class TrackPage(_TrackPage, total=False):
    """In the order in which they begin"""

    #: 
    partial: MediumProgress


class UploadMediumQuery(TypedDict, total=False):
    """Parameters of POST /rest/media"""

    #: Name of the file. mediaUri ends with it, with unusual characters replaced; its extension helps to distinguish text formats
    name: str


class UploadedMedium(TypedDict):
    #: The id from the answer to the upload
    id: str
    #: The mediaUri for jobs of this service
    mediaUri: str
    #: SHA-256 of the file in hexadecimal digits; equal files are stored once
    sha256: str
    #: Size of the file: bytes
    bytes: int
    #: When the server removes it; later if a live job still uses it
    expires: str


class UsageReportUsageItem(TypedDict):
    #: User, group, pipeline or algorithm
    name: str
    #: Runs of jobs that ended in these days
    jobs: int
    #: Media of their requests
    media: int
    #: Of the files of all media, also of extracted media
    bytes: int
    #: Time that components worked on them: wall time of processes, no CPU time
    processingSeconds: float
    #: CPU time of their processes, of all cores together, as far as components report it
    cpuSeconds: float
    #: The part of processingSeconds for which the component reported no CPU time
    processingSecondsWithoutCpu: float


UsageReport = TypedDict(
    "UsageReport",
    {
        # Group of each total
        "by": "Literal[\"user\", \"group\", \"pipeline\", \"component\"]",
        # The first day, in UTC
        "from": "str",
        # The last day, in UTC
        "to": "str",
        # Most processing time first
        "usage": "list[UsageReportUsageItem]",
    },
)


class VectorModelsModelsItem(TypedDict):
    #: As vectorModel of a hit
    model: str
    #: Algorithm of its tracks; words need ONNX
    algorithm: str


class VectorModels(TypedDict):
    """Models that can make vectors of other pictures"""

    #: The one of the newest vectors first; it is used if a request names no model
    models: list[VectorModelsModelsItem]
    #: false: the search does not have all documents yet
    complete: bool


ViewedMediumFindingsItem = TypedDict(
    "ViewedMediumFindingsItem",
    {
        # Type of the tracks, such as FACE
        "type": "str",
        # Their CLASSIFICATION; null: they have none, or the job runs
        "class": "str | None",
        # Tracks of this type and class
        "tracks": "int",
    },
)


class ViewedMediumIssuesItem(TypedDict):
    #: errors: something failed; warnings: nothing failed
    kind: Literal["errors", "warnings"]
    #: What reports it: an action, an algorithm or the server
    source: str
    #: Stable name of the cause; docs/reference/error-codes.md lists all
    code: str
    #: Description of the problem
    message: str


class _ViewedMedium(TypedDict):
    #: Place in the document, from 0
    n: int
    #: mediaId of the medium in the document
    mediaId: int
    #: The medium that it was extracted from; -1: the request named it
    parentMediaId: int
    #: Its URI without secrets
    uri: str
    #: Media type, such as video/mp4
    mimeType: str
    #: VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN
    mediaType: str
    #: Frames of a video, 1 for an image, -1 for all else
    length: int
    #: As in the document; WAITING or IN_PROGRESS while the job works on it
    status: str
    #: What the inspection found, such as FPS, DURATION (milliseconds) and FRAME_WIDTH (pixels)
    metadata: dict[str, str]
    #: While an action runs, as many as its finished parts have reported; some may be joined later
    tracks: int
    #: While the job runs, those of finished actions
    detections: int
    #: What was found, most tracks first; the first 20. While the job runs, of finished actions
    findings: list[ViewedMediumFindingsItem]
    #: Different people in it; null: FACE EMBEDDING did not run, or its faces are not in groups (yet)
    people: int | None
    #: Cues of the formats vtt and srt; 0: those formats are refused
    cues: int
    #: Events in the zones of the job; null: it has no zones or still runs, or the medium has no pictures
    zoneEvents: int | None
    #: The first 100
    issues: list[ViewedMediumIssuesItem]


class ViewedMedium(_ViewedMedium, total=False):
    #: 
    partial: MediumProgress


class _WaitingFor(TypedDict):
    #: ADMISSION: too many jobs are in progress. ARCHIVE: the search for an equal earlier job. TRANSFER: another host. PAUSED: the queue is paused, or the server drains. COMPONENT: a component that does not run. QUEUE: work before it.
    kind: Literal["ADMISSION", "ARCHIVE", "TRANSFER", "PAUSED", "COMPONENT", "QUEUE"]
    #: A sentence for people
    reason: str


class WaitingFor(_WaitingFor, total=False):
    """Why no sub-job of a live job runs"""

    #: Where its next sub-job waits, as GET /rest/queues names it
    queue: str
    #: 1: it is the next one
    position: int
    #: The service that processes the queue
    service: str


class WatchJobsQuery(TypedDict, total=False):
    """Parameters of GET /rest/jobs/events"""

    #: Maximum number of jobs on a page
    limit: int
    #: Value of next from the previous page
    before: str
    #: Only jobs with one of these statuses
    status: list[JobStatus]
    #: Only jobs of this pipeline
    pipelineName: str
    #: Only jobs with this external id
    externalId: str
    #: Only jobs with all of these labels
    label: list[str]
    #: Only jobs with this in the URI of a medium
    medium: str
    #: Only jobs of this group of GET /rest/failures
    failure: str
    #: Only jobs that started then or later
    startedFrom: str
    #: Only jobs that started before it
    startedTo: str
    #: Only jobs that ended then or later
    endedFrom: str
    #: Only jobs that ended before it
    endedTo: str
    #: true: jobs that have ended; false: the others
    terminal: bool


class Zone(TypedDict):
    #: Letters, digits, spaces, "_" and "-"
    name: str
    #: At least 3 corners, in fractions of the picture
    points: list[tuple[float, float]]


class ZoneEventBox(TypedDict):
    #: Left edge: pixels
    x: float
    #: Upper edge: pixels
    y: float
    #: Width of the box: pixels
    width: float
    #: Height of the box: pixels
    height: float


_ZoneEvent = TypedDict(
    "_ZoneEvent",
    {
        # What happened
        "event": "Literal[\"trackBegan\", \"classChanged\", \"trackEnded\", \"entered\", \"left\", \"crossed\", \"rule\"]",
        # When it happened: milliseconds since the epoch; of a file: since its start
        "at": "float",
        # Number of the frame
        "frame": "int",
        # The track, by the name of its first component
        "track": "str",
        # CLASSIFICATION or type of the track, in upper case
        "class": "str",
        # Confidence of the detection
        "confidence": "float",
        # Box of the detection: pixels of the picture
        "box": "ZoneEventBox",
        # The same in each delivery
        "id": "str",
        # The streaming job
        "jobId": "int",
        # `at` in ISO 8601, UTC
        "time": "str",
    },
)


class ZoneEvent(_ZoneEvent, total=False):
    #: Zone in which it happened
    zone: str
    #: Line that was crossed
    line: str
    #: Rule that caused the event
    rule: str
    #: Of a crossing
    direction: Literal["TO_RIGHT", "TO_LEFT"]
    #: Tracks in the zone from now on
    occupancy: int
    #: Since when the track was in the zone
    since: float
    #: Time in the zone: milliseconds
    dwellMs: float
    #: The class before, when it changed
    before: str
    #: Of a rule: its kind of event
    kind: Literal["ENTER", "LEAVE", "DWELL", "CROSS", "COUNT"]
    #: Newest picture of the track: a data: URI of a JPEG
    crop: str
    #: Frame of the picture; absent: that of the event
    cropFrame: int
    #: Time of the picture; absent: that of the event
    cropAt: float
    #: Path of its clip, 5 seconds longer at both ends; in webhooks and on MQTT a URL, if BASE_URL is set; absent: not recorded
    clip: str


class ZoneRequest(TypedDict):
    #: Letters, digits, spaces, "_" and "-"
    name: str
    #: At least 3 corners, in fractions of the picture
    points: list[tuple[float, float]]


class ZoneRunEventsItemBox(TypedDict):
    #: Left edge: pixels
    x: float
    #: Upper edge: pixels
    y: float
    #: Width of the box: pixels
    width: float
    #: Height of the box: pixels
    height: float


_ZoneRunEventsItem = TypedDict(
    "_ZoneRunEventsItem",
    {
        # What happened
        "event": "Literal[\"trackBegan\", \"classChanged\", \"trackEnded\", \"entered\", \"left\", \"crossed\", \"rule\"]",
        # When it happened: milliseconds since the epoch; of a file: since its start
        "at": "float",
        # Number of the frame
        "frame": "int",
        # The track, by the name of its first component
        "track": "str",
        # CLASSIFICATION or type of the track, in upper case
        "class": "str",
        # Confidence of the detection
        "confidence": "float",
        # Box of the detection: pixels of the picture
        "box": "ZoneRunEventsItemBox",
    },
)


class ZoneRunEventsItem(_ZoneRunEventsItem, total=False):
    #: Zone in which it happened
    zone: str
    #: Line that was crossed
    line: str
    #: Rule that caused the event
    rule: str
    #: Of a crossing
    direction: Literal["TO_RIGHT", "TO_LEFT"]
    #: Tracks in the zone from now on
    occupancy: int
    #: Since when the track was in the zone
    since: float
    #: Time in the zone: milliseconds
    dwellMs: float
    #: The class before, when it changed
    before: str
    #: Of a rule: its kind of event
    kind: Literal["ENTER", "LEAVE", "DWELL", "CROSS", "COUNT"]


class ZoneRunCountsZonesValue(TypedDict):
    #: Tracks that came in
    entered: int
    #: Tracks that went out or ended
    left: int
    #: Time in the zone of those that left: milliseconds
    dwellMs: float


class ZoneRunCountsLinesValue(TypedDict):
    #: Crossings to the right, seen along the line
    toRight: int
    #: Crossings to the left
    toLeft: int


class ZoneRunCounts(TypedDict):
    #: Tracks that began, by class
    classes: dict[str, int]
    #: Entries, exits, and the sum of the times of those who left (milliseconds), by zone
    zones: dict[str, ZoneRunCountsZonesValue]
    #: Crossings by line
    lines: dict[str, ZoneRunCountsLinesValue]
    #: Events by rule
    rules: dict[str, int]


class _ZoneRun(TypedDict):
    #: The first 1000, in the order of their times
    events: list[ZoneRunEventsItem]
    #: Number of further events
    omitted: int
    #: All events, counted
    counts: ZoneRunCounts
    #: The most tracks at a time, by zone
    most: dict[str, int]
    #: Parts of the request without effect
    warnings: list[str]


class ZoneRun(_ZoneRun, total=False):
    #: 
    partial: MediumProgress


class ZoneRunRequest(TypedDict, total=False):
    #: Areas of the picture, in fractions
    zones: list[ZoneRequest] | None
    #: Lines in the picture whose crossings are counted
    lines: list[LineRequest] | None
    #: When something in a zone or at a line is an event
    rules: list[RuleRequest] | None
    #: The point of a box that counts: BOTTOM (middle of the lower edge; default) or CENTER
    anchor: Literal["BOTTOM", "CENTER"] | None
    #: Time at which the medium begins, for rules with times; absent: they always apply
    startsAt: str


class _LabelStudioTasksItemData(TypedDict):
    #: mediaId of the medium
    mediaId: int


class LabelStudioTasksItemData(_LabelStudioTasksItemData, total=False):
    #: URI of the image; absent: it is a video
    image: str
    #: URI of the video; absent: it is an image
    video: str


class LabelStudioTasksItemPredictionsItemResultItem1Value(TypedDict):
    #: Left edge of the box: percent of the width of the picture
    x: float
    #: Upper edge of the box: percent of the height of the picture
    y: float
    #: Width of the box: percent of the width of the picture
    width: float
    #: Height of the box: percent of the height of the picture
    height: float
    #: Always 0: boxes are upright
    rotation: Literal[0]
    #: The class or type of the track
    rectanglelabels: list[str]


class _LabelStudioTasksItemPredictionsItemResultItem1(TypedDict):
    #: Id of the region, unique in its prediction
    id: str
    #: A box in an image
    type: Literal["rectanglelabels"]
    #: Name of the control tag in the labeling configuration
    from_name: Literal["label"]
    #: Name of the object tag in the labeling configuration
    to_name: Literal["image"]
    #: Width of the image: pixels
    original_width: int
    #: Height of the image: pixels
    original_height: int
    #: Always 0: the image is shown without rotation
    image_rotation: Literal[0]
    #: The box and its label
    value: LabelStudioTasksItemPredictionsItemResultItem1Value


class LabelStudioTasksItemPredictionsItemResultItem1(_LabelStudioTasksItemPredictionsItemResultItem1, total=False):
    #: Confidence; absent: the detector gives none
    score: float


class LabelStudioTasksItemPredictionsItemResultItem2ValueSequenceItem(TypedDict):
    #: From 1
    frame: int
    #: Seconds
    time: float
    #: false: it ends at this frame, until the next one of the list
    enabled: bool
    #: Left edge of the box: percent of the width of the picture
    x: float
    #: Upper edge of the box: percent of the height of the picture
    y: float
    #: Width of the box: percent of the width of the picture
    width: float
    #: Height of the box: percent of the height of the picture
    height: float
    #: Always 0: boxes are upright
    rotation: Literal[0]


class LabelStudioTasksItemPredictionsItemResultItem2Value(TypedDict):
    #: Number of frames of the video
    framesCount: int
    #: Seconds
    duration: float
    #: The class or type of the track
    labels: list[str]
    #: The boxes of the track, by frame
    sequence: list[LabelStudioTasksItemPredictionsItemResultItem2ValueSequenceItem]


class _LabelStudioTasksItemPredictionsItemResultItem2(TypedDict):
    #: Id of the region, unique in its prediction
    id: str
    #: A track in a video
    type: Literal["videorectangle"]
    #: Name of the control tag in the labeling configuration
    from_name: Literal["box"]
    #: Name of the object tag in the labeling configuration
    to_name: Literal["video"]
    #: The track and its label
    value: LabelStudioTasksItemPredictionsItemResultItem2Value


class LabelStudioTasksItemPredictionsItemResultItem2(_LabelStudioTasksItemPredictionsItemResultItem2, total=False):
    #: Confidence; absent: the detector gives none
    score: float


class LabelStudioTasksItemPredictionsItem(TypedDict):
    #: The job that made the prediction
    model_version: str
    #: Its boxes, or tracks
    result: list[LabelStudioTasksItemPredictionsItemResultItem1 | LabelStudioTasksItemPredictionsItemResultItem2]


class LabelStudioTasksItem(TypedDict):
    #: The media to label
    data: LabelStudioTasksItemData
    #: What the job has found
    predictions: list[LabelStudioTasksItemPredictionsItem]


class _LanesItem(TypedDict):
    #: Number of the lane within the medium, from 0
    lane: int
    #: Type of the tracks, such as FACE
    type: str
    #: Name of the action
    action: str
    #: The algorithm that it ran
    algorithm: str
    #: Name of the task; null: the document does not say
    task: str | None
    #: Tracks in the lane
    tracks: int
    #: Detections of these tracks
    detections: int
    #: Milliseconds
    binMs: float
    #: Detections in each part of binMs milliseconds. The only detection of a track counts in every part from the start to the stop of the track.
    bins: list[int]


class LanesItem(_LanesItem, total=False):
    #: Progress of the action; absent when the job has ended
    partial: ActionProgress
