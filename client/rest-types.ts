/**
 * The bodies and queries of the REST interface, generated from its OpenAPI document by `npm run docs:generate`.
 */
/* oxlint-disable typescript/no-redundant-type-constituents, typescript/no-duplicate-type-constituents -- Known values beside any text. */

export interface Action {
  /** Trimmed and in upper case */
  readonly name: string;
  /** What the action does */
  readonly description: string;
  /** The algorithm that it runs */
  readonly algorithm: string;
  /** Values that replace the defaults of the algorithm */
  readonly properties: readonly {
    /** A property of the algorithm */
    readonly name: string;
    /** The value that the action gives it */
    readonly value: string;
  }[];
  /** With details=true: problems for jobs that use it */
  readonly warnings?: readonly string[] | undefined;
  /** With details=true: whether the caller may remove it */
  readonly removable?: boolean | undefined;
  /** With details=true: the component that registered it; null: a user stored it */
  readonly component?: string | null | undefined;
}

export interface ActionCreation {
  /** Name of the action */
  readonly name: string;
  /** What it does, in a sentence */
  readonly description: string;
  /** The algorithm that it runs */
  readonly algorithm: string;
  /** Values that replace the defaults of the algorithm */
  readonly properties?: readonly {
    /** A property of the algorithm */
    readonly name: string;
    /** The value that the action gives it */
    readonly value: string | number | boolean;
  }[] | null | undefined;
}

/** Progress of an action of a running job on a medium */
export interface ActionProgress {
  /** Name of the task */
  readonly task: string;
  /** Name of the action */
  readonly action: string;
  /** WAITING: no part of it has begun; DONE: all findings are in the answer */
  readonly state: 'WAITING' | 'RUNNING' | 'DONE';
  /** Share of the medium that it has processed */
  readonly percent: number;
  /** Unit of done; null: the action processes the medium as a whole, or tracks of earlier tasks */
  readonly unit: 'FRAMES' | 'MILLISECONDS' | null;
  /** Parts of the medium whose findings are in the answer, with both ends; the longest 500 */
  readonly done: readonly {
    /** The first frame, or millisecond */
    readonly start: number;
    /** The last one, inclusive */
    readonly stop: number;
  }[];
}

export interface ActorInfo {
  /** <kind>/<id>, as in the log */
  readonly name: string;
  /** Such as batch-job or service; kinds lists all */
  readonly kind: string;
  /** Number of the job, name of the service, or receiver of the deliveries */
  readonly id: string;
  /** Name of the actor that supervises it; null: it is at the top */
  readonly parent: string | null;
  /** BACKING_OFF: it failed and is loaded again after a delay; ESCALATED: it failed too often and is not loaded until its next message */
  readonly state: 'IDLE' | 'WORKING' | 'BACKING_OFF' | 'ESCALATED';
  /** State of the service or status of the job, while the actor is loaded */
  readonly status: string | null;
  /** Messages in its mailbox, without the one in progress */
  readonly messagesWaiting: number;
  /** Maximum messages in its mailbox; more are refused */
  readonly mailboxLimit: number;
  /** Failures within failureWindowMs */
  readonly recentFailures: number;
  /** More recent failures than this escalate */
  readonly allowedFailures: number;
  /** Time within which failures count as recent: milliseconds */
  readonly failureWindowMs: number;
  /** Recorded failures since the server started */
  readonly totalFailures: number;
  /** Its last failure; null: none is recorded */
  readonly lastFailure: {
    /** Message, as in the log */
    readonly message: string;
    /** When it failed */
    readonly at: string;
    /** false: the cause was outside of the actor, such as a full disk */
    readonly counted: boolean;
  } | null;
  /** The last message that it began to process */
  readonly lastMessage: {
    /** Kind of the message */
    readonly type: string;
    /** When processing began */
    readonly at: string;
  } | null;
  /** How long it has been processing the last message: milliseconds */
  readonly runningMs: number | null;
  /** null: it is not in memory, or just being loaded */
  readonly loadedAt: string | null;
}

export interface ActorKindInfo {
  /** Such as batch-job or service */
  readonly kind: string;
  /** The kind of the actors that supervise them */
  readonly parent: string | null;
  /** How many are listed */
  readonly actors: number;
  /** Since the server started, as the other counts */
  readonly restarts: number;
  /** How often one of them escalated */
  readonly escalations: number;
  /** Messages to them that were not delivered */
  readonly undelivered: number;
}

export interface ActorPage {
  /** All kinds, also those that are not listed */
  readonly kinds: readonly ActorKindInfo[];
  /** By kind, in the order in which they were loaded; supervised actors follow their supervisor */
  readonly actors: readonly ActorInfo[];
  /** Value of after for the next page; null: this is the last page */
  readonly next: string | null;
}

/** Parameters of POST /rest/actions */
export interface AddActionQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

/** Parameters of POST /rest/pipelines */
export interface AddPipelineQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

/** Parameters of POST /rest/tasks */
export interface AddTaskQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

export interface AggregatePipelineStatsModel {
  /** Jobs in any status */
  readonly count: number;
  /** Milliseconds */
  readonly maxTime: number;
  /** Milliseconds */
  readonly minTime: number;
  /** Milliseconds */
  readonly totalTime: number;
  /** Jobs by status */
  readonly states: Readonly<Record<string, number>>;
  /** Jobs with status COMPLETE; the times are theirs */
  readonly validCount: number;
}

export interface Algorithm {
  /** Trimmed and in upper case */
  readonly name: string;
  /** What the algorithm finds */
  readonly description: string;
  /** DETECTION: it finds something; MARKUP: it draws findings into a copy */
  readonly actionType: 'DETECTION' | 'MARKUP';
  /** Whether batch jobs may use it */
  readonly supportsBatchProcessing: boolean;
  /** Whether streaming jobs may use it */
  readonly supportsStreamProcessing: boolean;
  /** What the task before must provide */
  readonly requiresCollection: {
    /** Words for what a task provides or needs, such as DETECTION_FACE */
    readonly states: readonly string[];
  };
  /** What it provides for later tasks, and its properties */
  readonly providesCollection: {
    /** Words for what a task provides or needs, such as DETECTION_FACE */
    readonly states: readonly string[];
    /** Properties that it reads */
    readonly properties: readonly AlgorithmProperty[];
  };
}

export interface AlgorithmProperty {
  /** Name of the property */
  readonly name: string;
  /** What the property does, with its unit and range */
  readonly description: string;
  /** Type of its value; values are always sent as text */
  readonly type: 'BOOLEAN' | 'FLOAT' | 'DOUBLE' | 'INT' | 'LONG' | 'STRING';
  /** The value when nothing else sets the property */
  readonly defaultValue: string | null;
  /** The server property that supplies the default */
  readonly propertiesKey: string | null;
}

export interface AllJobsStatisticsModel {
  /** Time it took to build this answer */
  readonly elapsedTimeMs: number;
  /** By name of the pipeline */
  readonly aggregatePipelineStatsMap: Readonly<Record<string, AggregatePipelineStatsModel>>;
  /** Number of entries in aggregatePipelineStatsMap */
  readonly jobTypes: number;
  /** All jobs that the server knows */
  readonly totalJobs: number;
}

export interface AllStreamingJobsInfoModel {
  /** Numbers of the jobs; empty: none fits */
  readonly jobIds: readonly number[];
}

export interface ApiKey {
  /** Id of the key; it is no secret */
  readonly id: string;
  /** What the key is for */
  readonly name: string;
  /** What the key may do; ADMIN includes USER */
  readonly role: 'USER' | 'ADMIN';
  /** The user as whom a script acts with the key */
  readonly owner: {
    /** Name of the user who made the key */
    readonly name: string;
    /** Subject of the user at the provider; null: unknown */
    readonly subject: string | null;
    /** Group of the user; null: none */
    readonly group: string | null;
  };
  /** When the key was made */
  readonly created: string;
  /** When it ends */
  readonly expires: string;
  /** To the minute; null: never */
  readonly lastUsed: string | null;
}

export interface ApiKeyList {
  /** Newest first, at most 1,000 */
  readonly keys: readonly ApiKey[];
}

export interface ApiKeyRequest {
  /** What the key is for */
  readonly name: string;
  /** At most that of the caller */
  readonly role?: 'USER' | 'ADMIN' | undefined;
  /** Days until it expires, at most 366 */
  readonly days?: number | undefined;
}

export interface ArchivePost {
  /** Id of this post, the same in each attempt */
  readonly assertionId: string;
  /** What is posted: the name of the system and the word Tracks */
  readonly informationType: string;
  /** Always UNCLASSIFIED */
  readonly securityTag: string;
  /** Name of the system that posts */
  readonly system: string;
  /** What the job found in the medium */
  readonly dataObject: Readonly<Record<string, unknown>>;
}

export interface ArchiveRepostProblem {
  /** Jobs that were posted again */
  readonly success: readonly number[];
  /** Jobs that were not posted */
  readonly failures: readonly {
    /** Number of the job */
    readonly jobId: number;
    /** Why it was not posted */
    readonly error: string;
  }[];
  /** What is wrong, and what to do */
  readonly message: string;
  /** Stable name of the error; docs/reference/rest-errors.md lists all codes */
  readonly code: string;
  /** Address of the documentation of this code */
  readonly help: string;
}

export interface ArchiveRepostResponse {
  /** Jobs that were posted again */
  readonly success: readonly number[];
  /** Jobs that were not posted */
  readonly failures: readonly {
    /** Number of the job */
    readonly jobId: number;
    /** Why it was not posted */
    readonly error: string;
  }[];
}

/** A page of the audit trail. With a filter it may be short, or empty, although more follow: continue until next is null. */
export interface AuditPage {
  /** The newest first */
  readonly entries: readonly {
    /** When the request was answered */
    readonly at: string;
    /** Name */
    readonly user: string;
    /** Subject at the provider; null: unknown */
    readonly subject: string | null;
    /** Client of the token; null: unknown */
    readonly client: string | null;
    /** Method of the request */
    readonly method: string;
    /** Without the query */
    readonly path: string;
    /** Status of the answer */
    readonly status: number;
    /** forbidden: the role is missing; refused: the request was wrong; failed: by the server */
    readonly outcome: 'done' | 'forbidden' | 'refused' | 'failed';
    /** The job that was made, or that the path names */
    readonly jobId?: string | undefined;
    /** Address of the client */
    readonly ip: string;
    /** As in the log */
    readonly requestId: string;
  }[];
  /** Value of before for the next page; null: this is the last page */
  readonly next: string | null;
}

/** By frame, in pixels of the stored frame */
export interface BoxPage {
  /** The boxes, by frame */
  readonly boxes: readonly {
    /** Number of the frame, from 0 */
    readonly frame: number;
    /** The n of its track */
    readonly track: number;
    /** The lane of its track */
    readonly lane: number;
    /** Class or text of the track; null: none */
    readonly label: string | null;
    /** Left edge: pixels from the left edge of the frame */
    readonly x: number;
    /** Upper edge: pixels from the upper edge of the frame */
    readonly y: number;
    /** Pixels from the left to the right side */
    readonly width: number;
    /** Pixels from the upper to the lower side */
    readonly height: number;
    /** Confidence of the detection; -1: the detector gives none */
    readonly confidence: number;
    /** x,y of the four corners, if the box is rotated in the stored frame */
    readonly corners: string | null;
  }[];
  /** The last frame with boxes; later ones are left out, because there are too many */
  readonly toFrame: number;
  readonly partial?: MediumProgress | undefined;
}

export interface BrowserSession {
  /** Id of the session; it is no secret */
  readonly id: string;
  /** Who has logged in */
  readonly user: {
    /** Name of the user */
    readonly name: string;
    /** Subject at the provider; null: unknown */
    readonly subject: string | null;
  };
  /** Such as Firefox on Linux; null: unknown */
  readonly browser: string | null;
  /** When the user logged in */
  readonly began: string;
  /** To the minute */
  readonly lastUsed: string;
  /** When it ends without further requests; at most SESSION_MS after the login */
  readonly ends: string;
  /** true: the request came with it */
  readonly current: boolean;
}

export interface BrowserSessionList {
  /** The one that ends last first, at most 1,000 */
  readonly sessions: readonly BrowserSession[];
}

export interface Caller {
  /** Name of the user, or of the client to which the token was given */
  readonly name: string;
  /** Subject at the provider; null: unknown */
  readonly subject: string | null;
  /** ADMIN includes USER */
  readonly roles: readonly ('USER' | 'ADMIN')[];
  /** Session of the browser; null: the request has a token */
  readonly session: {
    /** The latest time at which it ends */
    readonly expires: string;
    /** When it ends without further requests */
    readonly idleUntil: string;
  } | null;
}

/** Parameters of POST /rest/streaming/jobs/{id}/cancel */
export interface CancelStreamingJobQuery {
  /** true removes all files of the job; false when absent or empty */
  readonly doCleanup?: boolean | undefined;
}

/** With format=coco */
export interface CocoDocument {
  /** Where the data comes from */
  readonly info: {
    /** What the file has, in words */
    readonly description: string;
    /** Version of this form of the file */
    readonly version: string;
    /** The program that wrote it */
    readonly contributor: string;
  };
  /** Always empty: the server does not know the rights to the media */
  readonly licenses: readonly unknown[];
  /** Images, and frames of videos on which something was found */
  readonly images: readonly {
    /** Number of the image in this file, from 1 */
    readonly id: number;
    /** Pixels */
    readonly width: number;
    /** Pixels */
    readonly height: number;
    /** Name of the frame as a file; the ZIP of format=yolo has it under the same name */
    readonly file_name: string;
    /** URI of the medium */
    readonly coco_url: string;
    /** mediaId of the medium */
    readonly media_id: number;
    /** Number of the frame in the medium, from 0 */
    readonly frame: number;
  }[];
  /** What was found, by name */
  readonly categories: readonly {
    /** Number of the category, from 1 */
    readonly id: number;
    /** CLASSIFICATION of the tracks, or their type */
    readonly name: string;
    /** Type of the tracks */
    readonly supercategory: string;
  }[];
  /** The boxes */
  readonly annotations: readonly {
    /** Number of the box, from 1 */
    readonly id: number;
    /** The image that it is on */
    readonly image_id: number;
    /** The category that it has */
    readonly category_id: number;
    /** x, y, width and height: pixels from the upper left corner */
    readonly bbox: readonly number[];
    /** Square pixels */
    readonly area: number;
    /** Always 0: a box is one object */
    readonly iscrowd: 0;
    /** Confidence; absent: the detector gives none */
    readonly score?: number | undefined;
    /** Properties of the detection, and the track that it belongs to */
    readonly attributes: Readonly<Record<string, string | number>>;
  }[];
}

export interface Component {
  /** Name in its descriptor */
  readonly componentName: string;
  /** Version in its descriptor */
  readonly componentVersion: string;
  /** The server starts and stops its processes; otherwise clients run it */
  readonly managed: boolean;
  /** The user who registered it; null for managed ones */
  readonly registeredBy: string | null;
  /** Name of the algorithm that its processes run */
  readonly algorithm: string;
  /** Of a managed one: the registered component that replaces it until it is removed */
  readonly replacedBy: string | null;
  /** Whether batch jobs may use it: its descriptor has a batchLibrary */
  readonly supportsBatchProcessing: boolean;
  /** Whether streaming jobs may use it: its descriptor has a streamLibrary */
  readonly supportsStreamProcessing: boolean;
}

export interface ComponentDescriptor {
  /** Name of the component */
  readonly componentName: string;
  /** Version of the component, as its maker counts */
  readonly componentVersion: string | number | boolean;
  /** Version of the framework that it was made for */
  readonly middlewareVersion: string | number | boolean;
  /** java, c++, python, javascript or typescript */
  readonly sourceLanguage: string;
  /** What runs batch jobs; absent: it runs none */
  readonly batchLibrary?: string | null | undefined;
  /** What runs streaming jobs; absent: it runs none */
  readonly streamLibrary?: string | null | undefined;
  /** Variables of the environment of its processes */
  readonly environmentVariables: readonly {
    /** Name of the variable */
    readonly name: string;
    /** Its value */
    readonly value: string | number | boolean;
    /** The value is appended to an existing one with this between */
    readonly sep?: ':' | null | undefined;
  }[];
  /** The one algorithm of the component */
  readonly algorithm: {
    /** Name of the algorithm */
    readonly name: string;
    /** What the algorithm finds */
    readonly description: string;
    /** DETECTION; the markup component of the server alone has MARKUP */
    readonly actionType: string;
    /** Type of its tracks, such as FACE */
    readonly trackType?: string | null | undefined;
    /** Raise it when the same media give other results: earlier results are then not reused */
    readonly outputChangedCounter?: number | null | undefined;
    /** Types of media that it processes: VIDEO, IMAGE, AUDIO, UNKNOWN; absent: all */
    readonly mediaTypes?: readonly string[] | null | undefined;
    /** Values of CLASSIFICATION that it finds; empty: its tracks have none; absent: unknown */
    readonly classes?: readonly string[] | null | undefined;
    /** What the task before must provide */
    readonly requiresCollection: {
      /** Words for what a task provides or needs, such as DETECTION_FACE */
      readonly states: readonly string[];
    };
    /** What it provides for later tasks, and its properties */
    readonly providesCollection: {
      /** Words for what a task provides or needs, such as DETECTION_FACE */
      readonly states: readonly string[];
      /** Properties that the algorithm reads */
      readonly properties: readonly {
        /** Name of the property */
        readonly name: string;
        /** What the property does, with its unit and range */
        readonly description?: string | null | undefined;
        /** What its value is read as: BOOLEAN, FLOAT, DOUBLE, INT, LONG or STRING */
        readonly type: string;
        /** The value when nothing else sets the property; either this or propertiesKey */
        readonly defaultValue?: string | number | boolean | null | undefined;
        /** The server property that supplies the default; either this or defaultValue */
        readonly propertiesKey?: string | null | undefined;
      }[];
      /** The same as trackType of the algorithm, in older descriptors */
      readonly trackType?: string | null | undefined;
    };
  };
  /** Actions that come with it; absent: one is made */
  readonly actions?: readonly {
    /** Name of the action */
    readonly name: string;
    /** What it does, in a sentence */
    readonly description: string;
    /** The algorithm that it runs */
    readonly algorithm: string;
    /** Values that replace the defaults of the algorithm */
    readonly properties?: readonly {
      /** A property of the algorithm */
      readonly name: string;
      /** The value that the action gives it */
      readonly value: string | number | boolean;
    }[] | null | undefined;
  }[] | null | undefined;
  /** Tasks that come with it; absent: one is made */
  readonly tasks?: readonly {
    /** Name of the task */
    readonly name: string;
    /** What it does, in a sentence */
    readonly description: string;
    /** Names of actions, which run at a time */
    readonly actions: readonly string[];
  }[] | null | undefined;
  /** Pipelines that come with it; absent: one is made */
  readonly pipelines?: readonly {
    /** Name of the pipeline */
    readonly name: string;
    /** What it does, in a sentence */
    readonly description: string;
    /** Names of tasks, in the order in which they run */
    readonly tasks: readonly string[];
  }[] | null | undefined;
}

/** The result of a call (specification 2.1) */
export interface CoreResponse {
  /** 0 success, 1 error, 2 warning */
  readonly responseCode: 0 | 1 | 2;
  /** What went wrong; may be null when responseCode is 0 */
  readonly message: string | null;
}

export interface CoreResponseProblem {
  /** 0 success, 1 error, 2 warning */
  readonly responseCode: 0 | 1 | 2;
  /** What is wrong, and what to do */
  readonly message: string;
  /** Stable name of the error; docs/reference/rest-errors.md lists all codes */
  readonly code: string;
  /** Address of the documentation of this code */
  readonly help: string;
}

/** Parameters of GET /rest/search/counts */
export interface CountSearchQuery {
  /** Words of a text, "several in a row", beginnings*, one OR another */
  readonly text?: string | undefined;
  /** Words of a text, or names of classes, types or colours */
  readonly anything?: string | undefined;
  /** Only tracks of this class (CLASSIFICATION), such as car */
  readonly class?: string | undefined;
  /** Only tracks of this type, such as TEXT */
  readonly type?: string | undefined;
  /** Only jobs that ended, and streams seen, then or later */
  readonly from?: string | undefined;
  /** Only jobs that ended, and streams seen, before it */
  readonly to?: string | undefined;
  /** Only this job */
  readonly job?: string | undefined;
  /** Only tracks of this colour (DOMINANT_COLOR) */
  readonly colour?: 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'pink' | 'brown' | 'black' | 'grey' | 'white' | undefined;
  /** Only tracks with at least this confidence */
  readonly minConfidence?: number | undefined;
  /** Only media with this in their URI */
  readonly medium?: string | undefined;
  /** Only live streams with this job id or, if not a number, this in their URI */
  readonly camera?: string | undefined;
  /** Only face tracks of this person, by id or name */
  readonly person?: string | undefined;
  /** true: only the newest of tracks that several jobs found */
  readonly distinct?: boolean | undefined;
  /** At most 10 times with commas between: how many hits each has as from */
  readonly since?: readonly string[] | undefined;
}

/** Parameters of GET /rest/jobs/{id}/media/{mediaId}/counts */
export interface CountTracksOfMediumQuery {
  /** Length of an interval: milliseconds. Absent: a round length. At most 10000 intervals */
  readonly interval?: number | undefined;
  /** Form of the answer */
  readonly format?: 'json' | 'csv' | undefined;
}

/** Parameters of POST /rest/jobs */
export interface CreateJobQuery {
  /** true: checks the request and returns the plan of the job with 200; nothing is stored */
  readonly dryRun?: boolean | undefined;
}

/** A callback of a job that has ended */
export interface Delivery {
  /** The webhook-id of each attempt */
  readonly id: string;
  /** <hostname>-<job number> */
  readonly jobId: string;
  readonly state: DeliveryState;
  /** callbackMethod of the job */
  readonly method: 'GET' | 'POST';
  /** The callback URL of the job, without passwords and tokens */
  readonly url: string;
  readonly jobStatus: JobStatus;
  /** The end of the job */
  readonly createdAt: string;
  /** The last 20, the oldest first */
  readonly attempts: readonly {
    /** The end of the attempt */
    readonly at: string;
    /** HTTP status of the answer; null: there was none */
    readonly status: number | null;
    /** Why it failed; null: it did not */
    readonly error: string | null;
  }[];
  /** null: none is planned, or the first one has not been made yet */
  readonly nextAttempt: string | null;
}

/** Present once an attempt has failed */
export interface DeliveryAttempts {
  /** Attempts that failed */
  readonly attempts: number;
  /** Why the last attempt failed; null: unknown */
  readonly lastError: string | null;
  /** null: none is planned */
  readonly nextAttempt: string | null;
}

/** A page of deliveries. With a filter it may be short, or empty, although more follow: continue until next is null. */
export interface DeliveryPage {
  /** Those of the jobs that ended last come first */
  readonly deliveries: readonly Delivery[];
  /** Value of before for the next page; null: this is the last page */
  readonly next: string | null;
}

/** PENDING: attempts follow; DELIVERED: the receiver accepted it; FAILED: no further attempts */
export type DeliveryState = 'PENDING' | 'DELIVERED' | 'FAILED';

/** On failure ERROR, or ERROR: and a description */
export type DeliveryStatus = 'JOB RUNNING' | 'IN PROGRESS' | 'NOT REQUESTED' | 'COMPLETE' | 'ERROR' | string;

export interface DeployedNodeManagerModel {
  /** All deployed services, one entry for each process */
  readonly nodeModels: readonly DeployedServiceModel[];
}

export interface DeployedServiceModel {
  /** <host>:<service>:<n> */
  readonly name: string;
  /** serviceLauncher of the service */
  readonly kind: 'simple' | 'generic';
  /** Number of this process of the service, from 1 */
  readonly rank: number;
  /** serviceCount of the service: the number of processes */
  readonly serviceCount: number;
  /** Specification 3.3 */
  readonly lastKnownState: 'Unknown' | 'Configured' | 'Launching' | 'Running' | 'ShuttingDown' | 'ShuttingDownNoRestart' | 'Inactive' | 'InactiveNoStart' | 'Delete' | 'DeleteInactive';
  /** Restarts of the process since it was configured */
  readonly restartCount: number;
  /** The service can no longer be launched */
  readonly unlaunchable: boolean;
  /** It gets no new work; absent: it does */
  readonly draining?: {
    /** When it was paused */
    readonly since: string;
    /** Name of the administrator */
    readonly by: string;
  } | undefined;
}

/** A box in a frame, in pixels of the stored medium */
export interface Detection {
  /** Number of the frame in the medium, from 0 */
  readonly offsetFrame: number;
  /** Milliseconds from the start of the medium */
  readonly offsetTime: number;
  /** Pixels from the left edge of the stored frame */
  readonly x: number;
  /** Pixels from the upper edge of the stored frame */
  readonly y: number;
  /** Pixels from the left to the right side of the box */
  readonly width: number;
  /** Pixels from the upper to the lower side of the box */
  readonly height: number;
  /** -1 when the detector gives none */
  readonly confidence: number;
  /** Properties of the detection, by name */
  readonly detectionProperties: Readonly<Record<string, string>>;
  /** Whether the picture was cut out; NOT_ATTEMPTED: it was not requested */
  readonly artifactExtractionStatus: 'NOT_ATTEMPTED' | 'REQUESTED' | 'COMPLETED' | 'FAILED';
  /** URI of the picture that was cut out; null: there is none */
  readonly artifactPath: string | null;
  /** With OUTPUT_DETAILS, if the URI of the picture is a file of the server: its path, relative to /rest/jobs/{jobId}/ */
  readonly artifactHref?: string | null | undefined;
  /** With OUTPUT_DETAILS: the box in the picture as a viewer shows it, if that differs from the stored one */
  readonly uprightBox?: {
    /** Pixels from the left edge of the picture as shown */
    readonly x: number;
    /** Pixels from the upper edge of the picture as shown */
    readonly y: number;
    /** Pixels */
    readonly width: number;
    /** Pixels */
    readonly height: number;
  } | undefined;
}

export interface DetectionMedium {
  /** Number of the medium, unique on the server */
  readonly mediaId: number;
  /** The medium that it was extracted from; -1: the request named it */
  readonly parentMediaId: number;
  /** Of results that were copied: its URI in the earlier job */
  readonly archiveSourceMediaPath?: string | undefined;
  /** Its URI without secrets, and without the content of data: URIs */
  readonly path: string;
  /** With OUTPUT_DETAILS, if the URI of the medium is a file of the server: its path, relative to /rest/jobs/{jobId}/ */
  readonly href?: string | null | undefined;
  /** SHA-256 of its bytes in hexadecimal digits; empty: it could not be read */
  readonly sha256: string;
  /** Media type, such as video/mp4 */
  readonly mimeType: string;
  /** UNKNOWN: neither picture, video nor sound, such as a document */
  readonly mediaType: 'VIDEO' | 'IMAGE' | 'AUDIO' | 'UNKNOWN';
  /** Frames of a video, 1 for an image, -1 for all else */
  readonly length: number;
  /** The frames of the request, or pages of a document; empty: all */
  readonly frameRanges: readonly {
    /** The first frame, or millisecond */
    readonly start: number;
    /** The last one, inclusive */
    readonly stop: number;
  }[];
  /** The milliseconds of the request; empty: all */
  readonly timeRanges: readonly {
    /** The first frame, or millisecond */
    readonly start: number;
    /** The last one, inclusive */
    readonly stop: number;
  }[];
  /** What the inspection found, such as DURATION (milliseconds), FPS and FRAME_WIDTH (pixels) */
  readonly mediaMetadata: Readonly<Record<string, string>>;
  /** Properties of the request for this medium alone */
  readonly mediaProperties: Readonly<Record<string, string>>;
  /** ERROR: the medium is unusable, or something failed; INCOMPLETE: a part failed, or the job was cancelled */
  readonly status: 'COMPLETE' | 'ERROR' | 'INCOMPLETE';
  /** By action */
  readonly detectionProcessingErrors: Readonly<Record<string, readonly {
    /** The first frame of the part that failed */
    readonly startOffsetFrame: number;
    /** The last frame of that part, inclusive */
    readonly stopOffsetFrame: number;
    /** Milliseconds from the start of the medium to the start of that part */
    readonly startOffsetTime: number;
    /** Milliseconds from the start of the medium to the end of that part */
    readonly stopOffsetTime: number;
    /** Stable name of the cause; docs/reference/error-codes.md lists all */
    readonly code: string;
    /** Description of the problem */
    readonly message: string;
  }[]>>;
  /** A copy of the medium with the findings drawn in; null: there is none */
  readonly markupResult: {
    /** Number of the copy, unique on the server */
    readonly id: number;
    /** URI of the copy with the tracks drawn in */
    readonly path: string;
    /** COMPLETE_WITH_WARNING: some boxes could not be drawn */
    readonly status: 'COMPLETE' | 'COMPLETE_WITH_WARNING' | 'FAILED';
    /** Why it failed, or what could not be drawn; null: nothing is wrong */
    readonly message: string | null;
    /** With OUTPUT_DETAILS, if the URI of the copy is a file of the server: its path, relative to /rest/jobs/{jobId}/ */
    readonly href?: string | null | undefined;
  } | null;
  /** The document with results in place of the selected text */
  readonly mediaSelectorsOutputUri?: string | undefined;
  /** With OUTPUT_DETAILS, if the URI of that document is a file of the server: its path, relative to /rest/jobs/{jobId}/ */
  readonly mediaSelectorsOutputHref?: string | null | undefined;
  /** By track type; NO TRACKS when there are none, TRACKS SUPPRESSED when they are not to be shown */
  readonly output: Readonly<Record<string, readonly {
    /** Name of the action */
    readonly source: string;
    /** The algorithm that the action ran */
    readonly algorithm: string;
    /** Actions that gave the tracks more properties */
    readonly annotators?: readonly string[] | undefined;
    /** What was found; absent below NO TRACKS and TRACKS SUPPRESSED */
    readonly tracks?: readonly Track[] | undefined;
  }[]>>;
  /** What happened in the zones and at the lines of the request. Absent: it named none, or the medium has no pictures */
  readonly zoneRun?: MediumZoneRun | undefined;
}

export interface DetectionOutputObject {
  /** <hostname>-<job number> */
  readonly jobId: string;
  /** The earlier job, known to an archive, whose results were copied for this one */
  readonly archiveSourceJobId?: string | undefined;
  /** UUID of this document; each run of a job has a new one */
  readonly objectId: string;
  /** The pipeline as it was when the job was created */
  readonly pipeline: {
    /** Name of the pipeline, in upper case */
    readonly name: string;
    /** What it is for */
    readonly description: string;
    /** Its tasks in the order in which they ran */
    readonly tasks: readonly {
      /** DETECTION, or MARKUP for a task that draws */
      readonly actionType: string;
      /** Name of the task, in upper case */
      readonly name: string;
      /** What the task does */
      readonly description: string;
      /** Its actions, which ran at a time */
      readonly actions: readonly {
        /** The algorithm that the action runs */
        readonly algorithm: string;
        /** Name of the action, in upper case */
        readonly name: string;
        /** What the action does */
        readonly description: string;
        /** Values that the action sets */
        readonly properties: Readonly<Record<string, string>>;
      }[];
    }[];
  };
  /** 0 is the lowest, 9 the highest */
  readonly priority: number;
  /** SITE_ID of the server */
  readonly siteId: string;
  /** externalId of the request; null: it had none */
  readonly externalJobId: string | null;
  /** When the job was created, or resubmitted, in UTC */
  readonly timeStart: string;
  /** When it ended, in UTC */
  readonly timeStop: string;
  /** Milliseconds that components worked, in all and for each action */
  readonly timing: {
    /** Milliseconds that components worked for the job */
    readonly processingTime: number;
    /** By action, in pipeline order */
    readonly actions: readonly {
      /** Name of the action */
      readonly name: string;
      /** Milliseconds that components worked for it */
      readonly processingTime: number;
    }[];
  };
  /** How the job ended */
  readonly status: JobStatus;
  /** Properties of the request by algorithm */
  readonly algorithmProperties: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Properties of the request */
  readonly jobProperties: Readonly<Record<string, string>>;
  /** Properties that the environment of the server sets (TROUPE_PROP_<NAME>) */
  readonly environmentVariableProperties: Readonly<Record<string, string>>;
  /** The media of the job, and media extracted from them */
  readonly media: readonly DetectionMedium[];
  /** What failed, by medium */
  readonly errors: readonly {
    /** Absent: it is of the job as a whole */
    readonly mediaId?: number | undefined;
    /** What went wrong with this medium */
    readonly details: readonly {
      /** What reports it: an action, an algorithm or the server */
      readonly source: string;
      /** Stable name of the cause; docs/reference/error-codes.md lists all */
      readonly code: string;
      /** Description of the problem */
      readonly message: string;
    }[];
  }[];
  /** What went wrong without a failure, by medium */
  readonly warnings: readonly {
    /** Absent: it is of the job as a whole */
    readonly mediaId?: number | undefined;
    /** What went wrong with this medium */
    readonly details: readonly {
      /** What reports it: an action, an algorithm or the server */
      readonly source: string;
      /** Stable name of the cause; docs/reference/error-codes.md lists all */
      readonly code: string;
      /** Description of the problem */
      readonly message: string;
    }[];
  }[];
  /** With OUTPUT_DETAILS: the versions of the components that have answered; several when one was replaced meanwhile */
  readonly componentVersions?: readonly {
    /** Name of the action */
    readonly action: string;
    /** The algorithm that it ran */
    readonly algorithm: string;
    /** componentVersion of each component that answered */
    readonly versions: readonly string[];
  }[] | undefined;
  /** With OUTPUT_DETAILS: the values that applied to each action on media of the types of the job, without their own mediaProperties */
  readonly effectiveProperties?: readonly {
    /** Name of the action */
    readonly action: string;
    /** The algorithm that it ran */
    readonly algorithm: string;
    /** The values apply to media of this type */
    readonly mediaType: 'VIDEO' | 'IMAGE' | 'AUDIO' | 'UNKNOWN';
    /** Values by name of the property */
    readonly properties: Readonly<Record<string, string>>;
  }[] | undefined;
}

export interface Drain {
  /** Name of the service, node or server */
  readonly name: string;
  /** Absent: it gets work */
  readonly draining?: {
    /** When it was paused */
    readonly since: string;
    /** Name of the administrator */
    readonly by: string;
  } | undefined;
  /** Sub-jobs that its processes still work on */
  readonly working: number;
}

/** What a job would do; nothing is stored */
export interface DryRunResponse {
  /** Code 2: parts of the request without effect, one line each */
  readonly coreResponse: CoreResponse;
  /** The priority that the job would have */
  readonly priority: number;
  /** What would run */
  readonly pipeline: {
    /** Name of the pipeline */
    readonly name: string;
    /** Its tasks, in the order in which they run */
    readonly tasks: readonly {
      /** Name of the task */
      readonly name: string;
      /** DETECTION: it finds something; MARKUP: it draws findings into a copy */
      readonly actionType: 'DETECTION' | 'MARKUP';
      /** Its actions, which run at a time */
      readonly actions: readonly {
        /** Name of the action */
        readonly name: string;
        /** The algorithm that the action runs */
        readonly algorithm: string;
        /** Values that apply and are not the defaults; without those of single media */
        readonly properties: Readonly<Record<string, string>>;
        /** Name in GET /rest/queues */
        readonly queue: string;
        /** Whether a component processes the queue, or starts when there is work */
        readonly served: boolean;
        /** Why no component processes the queue */
        readonly reason: string | null;
      }[];
    }[];
  };
  /** What would be processed, in the order of the request */
  readonly media: readonly {
    /** As in the request */
    readonly mediaUri: string;
    /** By the MIME_TYPE of its metadata or its data: URI; null: known only after inspection */
    readonly mediaType: 'IMAGE' | 'VIDEO' | 'AUDIO' | 'UNKNOWN' | null;
    /** Why it cannot be used, or why the pipeline finds nothing in it */
    readonly problem: string | null;
    /** The frames of the request; empty: no frames are named */
    readonly frameRanges: readonly {
      /** The first frame, page or millisecond */
      readonly start: number;
      /** The last one, inclusive */
      readonly stop: number;
    }[];
    /** The milliseconds of the request; empty: no times are named */
    readonly timeRanges: readonly {
      /** The first frame, page or millisecond */
      readonly start: number;
      /** The last one, inclusive */
      readonly stop: number;
    }[];
  }[];
}

/** Near duplicates of pictures */
export interface DuplicateGroups {
  /** The one with the newest picture first */
  readonly groups: readonly {
    /** Pictures of different media that look alike, at most 100, the newest first */
    readonly hits: readonly {
      /** <hostname>-<job number> */
      readonly jobId: string;
      /** The caller's id of the job */
      readonly externalId: string | null;
      /** When the job ended; of a live stream, when its segment ended */
      readonly jobEndDate: string;
      /** Place of the medium in the document, from 0 */
      readonly mediaIndex: number;
      /** mediaId of the medium in the document */
      readonly mediaId: number;
      /** As in the document */
      readonly mediaUri: string;
      /** VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN */
      readonly mediaType: string;
      /** Id of the track in the document */
      readonly trackId: string;
      /** Name of the task */
      readonly task: string;
      /** The source of the track */
      readonly action: string;
      /** The algorithm that found it */
      readonly algorithm: string;
      /** Type of the track, such as TEXT or SPEECH */
      readonly type: string;
      /** CLASSIFICATION of the track, such as car; null: it has none */
      readonly class: string | null;
      /** The first frame of the track, from 0 */
      readonly startOffsetFrame: number;
      /** The last frame of the track, inclusive */
      readonly stopOffsetFrame: number;
      /** Milliseconds; of a live stream, since the job was created */
      readonly startOffsetTime: number;
      /** Milliseconds */
      readonly stopOffsetTime: number;
      /** Of a live stream: jobId is that of the streaming job. null: of a batch job */
      readonly stream: {
        /** Without credentials */
        readonly streamUri: string;
        /** When the track was seen first */
        readonly startDate: string;
        /** When the track was seen last */
        readonly stopDate: string;
      } | null;
      /** Where it was found in a document, or in a picture from a document (PAGE_NUM). null: no component reported a page. */
      readonly page: {
        /** SLIDE: of a presentation; SHEET: of a spreadsheet; PAGE: of other documents */
        readonly kind: 'PAGE' | 'SLIDE' | 'SHEET';
        /** From 1; a picture on several pages has all of them: 3; 7 */
        readonly number: string;
      } | null;
      /** Confidence of the exemplar; -1: the detector gives none */
      readonly confidence: number;
      /** Of DOMINANT_COLOR; null: unknown */
      readonly colour: 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'pink' | 'brown' | 'black' | 'grey' | 'white' | null;
      /** Model of the vector by which similar tracks are found; null: the track has none */
      readonly vectorModel: string | null;
      /** Of a face track: whom it shows. null: it is in no group of `GET /rest/people` */
      readonly person: {
        /** The id of the person */
        readonly id: string;
        /** null: the person has no name */
        readonly name: string | null;
      } | null;
      /** Of the exemplar; null: it has no box */
      readonly frame: number | null;
      /** Of the exemplar: pixels of the medium as a viewer shows it */
      readonly box: {
        /** Pixels from the left edge */
        readonly x: number;
        /** Pixels from the upper edge */
        readonly y: number;
        /** Pixels from the left to the right side */
        readonly width: number;
        /** Pixels from the upper to the lower side */
        readonly height: number;
      } | null;
      /** Of the medium, as a viewer shows it */
      readonly width: number | null;
      /** Pixels, as a viewer shows it; null: it has no picture */
      readonly height: number | null;
      /** The text around the match; … shows that it continues */
      readonly snippet: {
        /** Empty for a track without text */
        readonly text: string;
        /** The matches in it: from start to before end, in UTF-16 code units, in order */
        readonly marks: readonly {
          /** The first code unit of the match */
          readonly start: number;
          /** The code unit after the match */
          readonly end: number;
        }[];
      };
      /** Share of the text that matches; 1: all of it, or the query has no text */
      readonly score: number;
      /** Bits of PERCEPTUAL_HASH that differ from the first picture of the group */
      readonly distance: number;
    }[];
  }[];
  /** true: there are more pictures than were compared */
  readonly isPart: boolean;
  /** false: the search does not have all documents yet */
  readonly complete: boolean;
}

export interface EnvironmentVariableModel {
  /** Name of the variable */
  readonly name: string;
  /** ${NAME} in it is replaced by the value of this variable */
  readonly value: string;
  /** Separator to append the value to an existing variable; absent: the value replaces it */
  readonly sep?: string | null | undefined;
}

export interface EventReceivers {
  /** RULE: events of rules. ZONE: entries, exits, crossings. TRACK: begin, change of class, end. RULE and ZONE when absent */
  readonly kinds?: readonly ('RULE' | 'ZONE' | 'TRACK')[] | null | undefined;
  /** Gets a signed POST for each event */
  readonly callbackUri?: string | null | undefined;
  /** Gets each event, and the newest state of each zone */
  readonly mqtt?: MqttReceiver | null | undefined;
}

/** Parameters of GET /rest/exports */
export interface ExportJobsQuery {
  /** One file for all jobs */
  readonly format: 'ndjson' | 'csv' | 'parquet' | 'coco' | 'labelstudio' | 'yolo';
  /** true: the ZIP of the format yolo has the frames as JPEG files, at most 2,000 */
  readonly pictures?: boolean | undefined;
  /** Only these jobs, at most 1,000; the parameter may also be repeated */
  readonly ids?: readonly string[] | undefined;
  /** Only jobs with one of these statuses */
  readonly status?: readonly JobStatus[] | undefined;
  /** Only jobs of this pipeline */
  readonly pipelineName?: string | undefined;
  /** Only jobs with this external id */
  readonly externalId?: string | undefined;
  /** Only jobs with all of these labels */
  readonly label?: readonly string[] | undefined;
  /** Only jobs with this in the URI of a medium */
  readonly medium?: string | undefined;
  /** Only jobs of this group of GET /rest/failures */
  readonly failure?: string | undefined;
  /** Only jobs that started then or later */
  readonly startedFrom?: string | undefined;
  /** Only jobs that started before it */
  readonly startedTo?: string | undefined;
  /** Only jobs that ended then or later */
  readonly endedFrom?: string | undefined;
  /** Only jobs that ended before it */
  readonly endedTo?: string | undefined;
  /** true: jobs that have ended; false: the others */
  readonly terminal?: boolean | undefined;
}

export interface FailureGroup {
  /** For `failure` in GET /rest/jobs; the same after a restart */
  readonly id: string;
  /** Name of the algorithm, or WORKFLOW_MANAGER for the server itself */
  readonly component: string;
  /** Error code */
  readonly code: string;
  /** What the messages have in common: numbers, ids and paths are blanked; *: any message */
  readonly pattern: string;
  /** The message of the newest job */
  readonly message: string;
  /** Failed sub-jobs */
  readonly count: number;
  /** Jobs with these failures */
  readonly jobs: number;
  /** Of the earliest of these jobs */
  readonly first: string;
  /** Of the latest of these jobs */
  readonly last: string;
  /** Ids of up to three jobs, the newest first */
  readonly examples: readonly string[];
  /** What to do */
  readonly advice: string;
}

export interface FrameTable {
  /** Number of frames */
  readonly frames: number;
  /** Frames per second, or the mean of a variable rate; 0: unknown */
  readonly fps: number;
  /** true: each frame is shown for the same time */
  readonly constantRate: boolean;
  /** Frames one after the other: [start, delta, count]. The i-th frame of a run (from 0) is shown from floor(start + i * delta + 0.000001) milliseconds on */
  readonly runs: readonly (readonly [number, number, number])[];
}

/** Parameters of GET /rest/actions/{name} */
export interface GetActionQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

/** Parameters of GET /rest/algorithms/{name} */
export interface GetAlgorithmQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

/** Parameters of GET /rest/audit */
export interface GetAuditQuery {
  /** Maximum number of entries */
  readonly limit?: number | undefined;
  /** Value of next from the previous page */
  readonly before?: string | undefined;
  /** Only of this user: the name or the subject, exactly */
  readonly user?: string | undefined;
  /** Only requests whose path has this in it */
  readonly path?: string | undefined;
  /** Only requests about this job */
  readonly job?: string | undefined;
  /** Only entries that are not before it */
  readonly from?: string | undefined;
  /** Only entries before it */
  readonly to?: string | undefined;
}

/** Parameters of GET /rest/streaming/jobs/{id}/recordings/clip.mp4 */
export interface GetClipQuery {
  /** When the clip begins */
  readonly start?: string | undefined;
  /** When it ends; absent: as `start` */
  readonly stop?: string | undefined;
  /** Frame with which it begins, in place of `start` */
  readonly startFrame?: number | undefined;
  /** Frame with which it ends; absent: as `startFrame` */
  readonly stopFrame?: number | undefined;
  /** Seconds to add before the beginning */
  readonly before?: number | undefined;
  /** Seconds to add after the end */
  readonly after?: number | undefined;
}

/** Parameters of GET /rest/jobs/{id}/output/detection */
export interface GetDetectionDocumentQuery {
  /** Format of the results (docs/reference/exports.md); default: json, the document itself */
  readonly format?: 'json' | 'ndjson' | 'csv' | 'cvat' | 'coco' | 'vtt' | 'srt' | 'parquet' | 'labelstudio' | 'yolo' | 'html' | undefined;
  /** In other formats than json: only this medium, by its mediaId */
  readonly media?: number | undefined;
  /** true: the ZIP of the format yolo has the frames as JPEG files, at most 2,000 */
  readonly pictures?: boolean | undefined;
}

/** Parameters of GET /rest/jobs/{id}/media/{mediaId}/frames/{k}.jpg */
export interface GetFrameQuery {
  /** true: with the detections of this frame drawn into it */
  readonly boxes?: boolean | undefined;
  /** true: at most 480 pixels wide and high, without boxes, and cached */
  readonly small?: boolean | undefined;
}

/** Parameters of GET /rest/jobs/{id}/media/{mediaId}/heat-map */
export interface GetHeatMapOfMediumQuery {
  /** Cells from left to right */
  readonly columns?: number | undefined;
  /** Only boxes of this lane */
  readonly lane?: number | undefined;
}

/** Parameters of GET /rest/jobs/{id} */
export interface GetJobQuery {
  /** true: with the members that the specification does not list */
  readonly details?: string | undefined;
}

/** Parameters of GET /rest/people/{id} */
export interface GetPersonQuery {
  /** Maximum number of tracks on a page */
  readonly limit?: number | undefined;
  /** Value of next from the previous page */
  readonly cursor?: string | undefined;
}

/** Parameters of GET /rest/pipelines/{name} */
export interface GetPipelineQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

/** Parameters of GET /rest/streaming/jobs/{id}/recordings/snapshot.jpg */
export interface GetSnapshotQuery {
  /** Time of the picture */
  readonly at?: string | undefined;
  /** Number of the frame in the stream, in place of `at` */
  readonly frame?: number | undefined;
}

/** Parameters of GET /rest/streaming/jobs/{id}/counts */
export interface GetStreamCountsQuery {
  /** Only hours that end after it */
  readonly start?: string | undefined;
  /** Form of the answer; absent: as `Accept` says */
  readonly format?: 'json' | 'csv' | undefined;
}

/** Parameters of GET /rest/streaming/jobs/{id} */
export interface GetStreamingJobQuery {
  /** true: with the members that the specification does not list */
  readonly details?: string | undefined;
}

/** Parameters of GET /rest/tasks/{name} */
export interface GetTaskQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

/** Parameters of GET /rest/usage */
export interface GetUsageQuery {
  /** Group of each total */
  readonly by?: 'user' | 'group' | 'pipeline' | 'component' | undefined;
  /** The first day, in UTC; default: 30 days before the last one */
  readonly from?: string | undefined;
  /** The last day; default: today */
  readonly to?: string | undefined;
}

export interface HealthReport {
  /** When the report was made */
  readonly reportDate: string;
  /** One for each streaming job that names this URI, or for the one that has changed */
  readonly reports: readonly {
    /** Number of the streaming job */
    readonly jobId: number;
    /** The externalId of the request; null: it had none */
    readonly externalId: string | null;
    /** Status of the job (specification 3.2) */
    readonly jobStatus: 'INITIALIZING' | 'IN_PROGRESS' | 'STALLED' | 'CANCELLING' | 'CANCELLED' | 'TERMINATED' | 'JOB_CREATION_ERROR' | 'ERROR' | 'CANCELLED_BY_SHUTDOWN';
    /** Reason for the status, in a sentence; null: there is none */
    readonly jobStatusDetail: string | null;
    /** The last frame in which something was found */
    readonly activityFrameId: string | null;
    /** When that frame was decoded; null: nothing was found yet */
    readonly activityTimestamp: string | null;
    /** Of streams with zones, lines, rules or events */
    readonly events?: {
      /** Webhooks and messages of events that are not delivered yet */
      readonly pending: number;
      /** Failed deliveries that are not retried */
      readonly dropped: number;
      /** Why the last delivery failed; null: it arrived */
      readonly trouble: string | null;
    } | undefined;
  }[];
}

export interface HeatMap {
  /** Width of the stored picture: pixels */
  readonly width: number;
  /** Height of the stored picture: pixels */
  readonly height: number;
  /** Cells from left to right */
  readonly columns: number;
  /** Cells from top to bottom */
  readonly rows: number;
  /** Number of boxes that cover each cell, row by row from the top left */
  readonly cells: readonly number[];
  readonly partial?: MediumProgress | undefined;
}

export interface HourlyCounts {
  /** Hours with events of the last 31 days, the oldest first */
  readonly hours: readonly {
    /** Start of the hour: ISO 8601, UTC */
    readonly start: string;
    /** Tracks that began, by class */
    readonly classes: Readonly<Record<string, number>>;
    /** Entries, exits, and the sum of the times of those who left (milliseconds), by zone */
    readonly zones: Readonly<Record<string, {
      /** Tracks that came in */
      readonly entered: number;
      /** Tracks that went out or ended */
      readonly left: number;
      /** Time in the zone of those that left: milliseconds */
      readonly dwellMs: number;
    }>>;
    /** Crossings by line */
    readonly lines: Readonly<Record<string, {
      /** Crossings to the right, seen along the line */
      readonly toRight: number;
      /** Crossings to the left */
      readonly toLeft: number;
    }>>;
    /** Events by rule */
    readonly rules: Readonly<Record<string, number>>;
  }[];
}

export interface InfoModel {
  /** Name of the product */
  readonly app: string;
  /** The framework that the interface comes from */
  readonly appFamily: string;
  /** 0: an unofficial build */
  readonly buildNum: string;
  /** unknown: an unofficial build */
  readonly gitBranch: string;
  /** unknown: an unofficial build */
  readonly gitHash: string;
  /** Version of the server: three numbers */
  readonly version: string;
}

export interface JobCallback {
  /** <hostname>-<job number> */
  readonly jobId: string;
  /** The externalId of the request; null: it had none */
  readonly externalId: string | null;
  /** URI or path of the detection document, as RESULT_LINKS sets; null: there is none */
  readonly outputObjectUri: string | null;
  readonly jobStatus: JobStatus;
}

export interface JobChange {
  /** Of a job that has not ended */
  readonly priority?: number | undefined;
  /** Replace all labels */
  readonly labels?: readonly string[] | undefined;
  /** The document of a job that has ended keeps the id that it has */
  readonly externalId?: string | number | null | undefined;
}

export interface JobCreationProblem {
  /** <hostname>-<job number>; null when the job was refused */
  readonly jobId: string | null;
  readonly coreResponse: CoreResponse;
  /** The archive check before the job; null when the job was refused */
  readonly archiveCheckStatus: 'NOT_REQUESTED' | 'NO_ARCHIVE_URL_IN_JOB' | 'MEDIA_HASHES_ABSENT' | 'MEDIA_MIME_TYPES_ABSENT' | 'NO_MATCH' | 'FOUND_MATCH' | null;
  /** The output object of a compatible job that the archive knows, if there is one */
  readonly outputObjectUri?: string | null | undefined;
  /** What is wrong, and what to do */
  readonly message: string;
  /** Stable name of the error; docs/reference/rest-errors.md lists all codes */
  readonly code: string;
  /** Address of the documentation of this code */
  readonly help: string;
}

export interface JobCreationRequest {
  /** What is processed. Each medium gets the whole pipeline */
  readonly media: readonly {
    /** Properly encoded URI of one medium: file, http, https or data, or s3 with credentials */
    readonly mediaUri: string;
    /** Known metadata of the medium. With MEDIA_HASH, MIME_TYPE and the sizes of its type, Troupe does not inspect it */
    readonly metadata?: Readonly<Record<string, string | number | boolean>> | null | undefined;
    /** Properties that apply to this medium alone, over all others but those of selectors */
    readonly properties?: Readonly<Record<string, string | number | boolean>> | null | undefined;
    /** Of a video: frames, from 0. Of a document: pages, from 1. Other media: no effect, with a warning */
    readonly frameRanges?: readonly {
      /** The first frame, page or millisecond */
      readonly start: number;
      /** The last one, inclusive */
      readonly stop: number;
    }[] | null | undefined;
    /** Of a video: milliseconds. Other media: no effect, with a warning */
    readonly timeRanges?: readonly {
      /** The first frame, page or millisecond */
      readonly start: number;
      /** The last one, inclusive */
      readonly stop: number;
    }[] | null | undefined;
    /** The action whose findings are written into the document; required with mediaSelectors */
    readonly mediaSelectorsOutputAction?: string | null | undefined;
    /** Sections of a JSON document; only these are processed */
    readonly mediaSelectors?: readonly {
      /** The syntax of expression; there is no other */
      readonly type: 'JSON_PATH';
      /** Which sections of the document are processed, such as $.messages[*].text */
      readonly expression: string;
      /** The detection property whose value replaces the section in the document that is written */
      readonly resultDetectionProperty: string;
      /** Properties that apply to these sections alone, over all others */
      readonly selectionProperties?: Readonly<Record<string, string | number | boolean>> | null | undefined;
    }[] | null | undefined;
  }[];
  /** A stored pipeline as GET /rest/pipelines lists it. Either this or pipelineDefinition is given */
  readonly pipelineName?: string | null | undefined;
  /** A pipeline of this job alone. Either this or pipelineName is given */
  readonly pipelineDefinition?: {
    /** Names of the tasks in the order in which they run: those of this request, or stored ones */
    readonly pipeline: readonly string[];
    /** Tasks of this job alone; their order has no meaning */
    readonly tasks?: readonly {
      /** Name for use in the pipeline; takes precedence over a stored task of the same name */
      readonly name: string;
      /** Names of actions of this request, or of stored ones; all run at a time */
      readonly actions: readonly string[];
    }[] | null | undefined;
    /** Actions of this job alone */
    readonly actions?: readonly {
      /** Name for use in tasks; takes precedence over a stored action of the same name */
      readonly name: string;
      /** An algorithm as GET /rest/algorithms lists it */
      readonly algorithm: string;
      /** Values that replace the defaults of the algorithm */
      readonly properties?: readonly {
        /** A property of the algorithm */
        readonly name: string;
        /** Its value; numbers and booleans become text */
        readonly value: string | number | boolean;
      }[] | null | undefined;
    }[] | null | undefined;
  } | null | undefined;
  /** false: no detection document is written; absent: true */
  readonly buildOutput?: boolean | null | undefined;
  /** The caller's id of the job: in callbacks, in the document and in the list of jobs */
  readonly externalId?: string | number | null | undefined;
  /** Labels by which jobs can be filtered and changed together */
  readonly labels?: readonly string[] | null | undefined;
  /** Values of properties for all actions of the job */
  readonly jobProperties?: Readonly<Record<string, string | number | boolean>> | null | undefined;
  /** Values of properties by algorithm, over jobProperties */
  readonly algorithmProperties?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>> | null | undefined;
  /** 0 is the lowest; absent: the default of the server (DEFAULT_PRIORITY) */
  readonly priority?: number | null | undefined;
  /** Where the server sends a request when the job has ended: a properly encoded http or https URL */
  readonly callbackURL?: string | null | undefined;
  /** GET or POST; absent: GET */
  readonly callbackMethod?: string | null | undefined;
  /** Areas of the picture, in fractions */
  readonly zones?: readonly ZoneRequest[] | null | undefined;
  /** Lines in the picture whose crossings are counted */
  readonly lines?: readonly LineRequest[] | null | undefined;
  /** When something in a zone or at a line is an event */
  readonly rules?: readonly RuleRequest[] | null | undefined;
  /** The point of a box that counts: BOTTOM (middle of the lower edge; default) or CENTER */
  readonly anchor?: 'BOTTOM' | 'CENTER' | null | undefined;
}

export interface JobCreationResponse {
  /** <hostname>-<job number>; null when the job was refused */
  readonly jobId: string | null;
  readonly coreResponse: CoreResponse;
  /** The archive check before the job; null when the job was refused */
  readonly archiveCheckStatus: 'NOT_REQUESTED' | 'NO_ARCHIVE_URL_IN_JOB' | 'MEDIA_HASHES_ABSENT' | 'MEDIA_MIME_TYPES_ABSENT' | 'NO_MATCH' | 'FOUND_MATCH' | null;
  /** The output object of a compatible job that the archive knows, if there is one */
  readonly outputObjectUri?: string | null | undefined;
}

export interface JobCreationStreamData {
  /** One stream: rtsp, rtsps, http or https */
  readonly streamUri: string;
  /** Frames of a segment, at least 10 */
  readonly segmentSize: number;
  /** Override all other properties for this stream */
  readonly mediaProperties?: Readonly<Record<string, string | number | boolean>> | null | undefined;
  /** Keeps the pictures of the camera; absent: nothing is kept */
  readonly recording?: StreamRecordingRequest | null | undefined;
}

export interface JobFilter {
  /** Only jobs with one of these statuses */
  readonly status?: readonly JobStatus[] | undefined;
  /** Only jobs of this pipeline */
  readonly pipelineName?: string | undefined;
  /** Only jobs with this external id */
  readonly externalId?: string | undefined;
  /** Only jobs with all of these labels */
  readonly label?: readonly string[] | undefined;
  /** Only jobs with this in the URI of a medium */
  readonly medium?: string | undefined;
  /** Only jobs of this group of GET /rest/failures */
  readonly failure?: string | undefined;
  /** Only jobs that started then or later */
  readonly startedFrom?: string | undefined;
  /** Only jobs that started before it */
  readonly startedTo?: string | undefined;
  /** Only jobs that ended then or later */
  readonly endedFrom?: string | undefined;
  /** Only jobs that ended before it */
  readonly endedTo?: string | undefined;
  /** true: jobs that have ended; false: the others */
  readonly terminal?: boolean | undefined;
}

export interface JobFilterRequest {
  /** Only jobs with one of these statuses */
  readonly status?: string | readonly string[] | undefined;
  /** Only jobs of this pipeline */
  readonly pipelineName?: string | undefined;
  /** Only jobs with this external id */
  readonly externalId?: string | undefined;
  /** Only jobs with all of these labels */
  readonly label?: string | readonly string[] | undefined;
  /** Only jobs with this in the URI of a medium */
  readonly medium?: string | undefined;
  /** Only jobs of this group of GET /rest/failures */
  readonly failure?: string | undefined;
  /** Only jobs that started then or later */
  readonly startedFrom?: string | undefined;
  /** Only jobs that started before it */
  readonly startedTo?: string | undefined;
  /** Only jobs that ended then or later */
  readonly endedFrom?: string | undefined;
  /** Only jobs that ended before it */
  readonly endedTo?: string | undefined;
  /** true: jobs that have ended; false: the others */
  readonly terminal?: boolean | 'true' | 'false' | undefined;
}

/** A page of jobs. With a filter it may be short, or empty, although more follow: continue until next is null. */
export interface JobPage {
  /** Newest first: by the time of a filter by time or failure, else by number */
  readonly jobs: readonly ListedJob[];
  /** Value of before for the next page; null: this is the last page */
  readonly next: string | null;
}

export interface JobRetryRequest {
  /** FAILED_SUB_JOBS: the sub-jobs that failed, and what depended on them; FAILED_MEDIA: all sub-jobs of each medium with a failure */
  readonly what: 'FAILED_SUB_JOBS' | 'FAILED_MEDIA';
  /** Override those of the job in all repeated sub-jobs; a failed action then runs again on the whole medium */
  readonly jobProperties?: Readonly<Record<string, string | number | boolean>> | null | undefined;
}

export interface JobRetryResponse {
  readonly coreResponse: CoreResponse;
  /** <hostname>-<job number> */
  readonly jobId: string;
  /** Number of the new run */
  readonly run: number;
}

/** The first run of a job, a retry, or a run after a resubmission */
export interface JobRun {
  /** 1: the first */
  readonly run: number;
  /** What it processed: everything, or what a retry asked for */
  readonly what: 'ALL' | 'FAILED_SUB_JOBS' | 'FAILED_MEDIA';
  readonly jobStatus: JobStatus;
  /** When the run began */
  readonly startDate: string;
  /** null: it has not ended */
  readonly endDate: string | null;
  /** Media of the request that had failed at its end; absent when it was cancelled */
  readonly mediaFailed?: number | undefined;
  /** Job properties that the retry changed */
  readonly jobProperties?: Readonly<Record<string, string>> | undefined;
}

/** Specification 3.1 */
export type JobStatus = 'UNKNOWN' | 'INITIALIZED' | 'IN_PROGRESS' | 'IN_PROGRESS_ERRORS' | 'IN_PROGRESS_WARNINGS' | 'COMPLETE' | 'COMPLETE_WITH_WARNINGS' | 'CANCELLING' | 'CANCELLED' | 'CANCELLED_BY_SHUTDOWN' | 'ERROR';

/** With format=labelstudio; places are percent of the picture */
export type LabelStudioTasks = readonly {
  /** The media to label */
  readonly data: {
    /** URI of the image; absent: it is a video */
    readonly image?: string | undefined;
    /** URI of the video; absent: it is an image */
    readonly video?: string | undefined;
    /** mediaId of the medium */
    readonly mediaId: number;
  };
  /** What the job has found */
  readonly predictions: readonly {
    /** The job that made the prediction */
    readonly model_version: string;
    /** Its boxes, or tracks */
    readonly result: readonly ({
      /** Id of the region, unique in its prediction */
      readonly id: string;
      /** Confidence; absent: the detector gives none */
      readonly score?: number | undefined;
      /** A box in an image */
      readonly type: 'rectanglelabels';
      /** Name of the control tag in the labeling configuration */
      readonly from_name: 'label';
      /** Name of the object tag in the labeling configuration */
      readonly to_name: 'image';
      /** Width of the image: pixels */
      readonly original_width: number;
      /** Height of the image: pixels */
      readonly original_height: number;
      /** Always 0: the image is shown without rotation */
      readonly image_rotation: 0;
      /** The box and its label */
      readonly value: {
        /** Left edge of the box: percent of the width of the picture */
        readonly x: number;
        /** Upper edge of the box: percent of the height of the picture */
        readonly y: number;
        /** Width of the box: percent of the width of the picture */
        readonly width: number;
        /** Height of the box: percent of the height of the picture */
        readonly height: number;
        /** Always 0: boxes are upright */
        readonly rotation: 0;
        /** The class or type of the track */
        readonly rectanglelabels: readonly string[];
      };
    } | {
      /** Id of the region, unique in its prediction */
      readonly id: string;
      /** Confidence; absent: the detector gives none */
      readonly score?: number | undefined;
      /** A track in a video */
      readonly type: 'videorectangle';
      /** Name of the control tag in the labeling configuration */
      readonly from_name: 'box';
      /** Name of the object tag in the labeling configuration */
      readonly to_name: 'video';
      /** The track and its label */
      readonly value: {
        /** Number of frames of the video */
        readonly framesCount: number;
        /** Seconds */
        readonly duration: number;
        /** The class or type of the track */
        readonly labels: readonly string[];
        /** The boxes of the track, by frame */
        readonly sequence: readonly {
          /** From 1 */
          readonly frame: number;
          /** Seconds */
          readonly time: number;
          /** false: it ends at this frame, until the next one of the list */
          readonly enabled: boolean;
          /** Left edge of the box: percent of the width of the picture */
          readonly x: number;
          /** Upper edge of the box: percent of the height of the picture */
          readonly y: number;
          /** Width of the box: percent of the width of the picture */
          readonly width: number;
          /** Height of the box: percent of the height of the picture */
          readonly height: number;
          /** Always 0: boxes are upright */
          readonly rotation: 0;
        }[];
      };
    })[];
  }[];
}[];

/** Everything of one type that one action found in a medium is a lane */
export type Lanes = readonly {
  /** Number of the lane within the medium, from 0 */
  readonly lane: number;
  /** Type of the tracks, such as FACE */
  readonly type: string;
  /** Name of the action */
  readonly action: string;
  /** The algorithm that it ran */
  readonly algorithm: string;
  /** Name of the task; null: the document does not say */
  readonly task: string | null;
  /** Tracks in the lane */
  readonly tracks: number;
  /** Detections of these tracks */
  readonly detections: number;
  /** Milliseconds */
  readonly binMs: number;
  /** Detections in each part of binMs milliseconds. The only detection of a track counts in every part from the start to the stop of the track. */
  readonly bins: readonly number[];
  /** Progress of the action; absent when the job has ended */
  readonly partial?: ActionProgress | undefined;
}[];

/** Numbers of media by type, finding and label */
export interface LibraryCounts {
  /** Media that fit the query */
  readonly total: number;
  /** Media by type */
  readonly mediaTypes: Readonly<Record<string, number>>;
  /** The 100 types and classes of most media */
  readonly findings: readonly {
    /** Type of the tracks */
    readonly type: string;
    /** Their CLASSIFICATION; null: they have none */
    readonly class: string | null;
    /** Media with such tracks */
    readonly media: number;
  }[];
  /** The 100 labels of most media */
  readonly labels: readonly {
    /** Label of jobs */
    readonly label: string;
    /** Media of jobs with this label */
    readonly media: number;
  }[];
  /** false: the index is being built and does not have all media */
  readonly complete: boolean;
}

/** A medium with what was found in it */
export interface LibraryMedium {
  /** <hostname>-<job number> */
  readonly jobId: string;
  /** The caller's id of the job; null: it has none */
  readonly externalId: string | null;
  /** When the job ended */
  readonly jobEndDate: string;
  /** Place of the medium in the document, from 0 */
  readonly mediaIndex: number;
  /** mediaId of the medium in the document */
  readonly mediaId: number;
  /** As the document has it */
  readonly mediaUri: string;
  /** VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN */
  readonly mediaType: string;
  /** Media type, such as video/mp4 */
  readonly mimeType: string;
  /** Frames of a video, pages of a document */
  readonly length: number;
  /** Length in milliseconds; null: it has none, or it is unknown */
  readonly durationMs: number | null;
  /** Pixels, as a viewer shows it */
  readonly width: number | null;
  /** Pixels, as a viewer shows it; null: it has no picture */
  readonly height: number | null;
  /** A frame that shows what was found; null: the medium has no frames */
  readonly frame: number | null;
  /** Most tracks first */
  readonly findings: readonly {
    /** Type of the tracks, such as FACE */
    readonly type: string;
    /** CLASSIFICATION of the tracks; null: they have none */
    readonly class: string | null;
    /** Tracks of this type and class */
    readonly tracks: number;
  }[];
  /** Findings whose exemplar is on this frame: pixels of the medium as a viewer shows it */
  readonly boxes: readonly {
    /** Pixels from the left edge */
    readonly x: number;
    /** Pixels from the upper edge */
    readonly y: number;
    /** Pixels from the left to the right side */
    readonly width: number;
    /** Pixels from the upper to the lower side */
    readonly height: number;
    /** Type of the track, such as FACE */
    readonly type: string;
    /** CLASSIFICATION of the track; null: it has none */
    readonly class: string | null;
  }[];
  /** Different people whom FACE EMBEDDING found; null: none, or it did not run */
  readonly people: number | null;
  /** With group=label: the one under which it is listed; null: its job has none */
  readonly label: string | null;
}

/** A page of media. It may be short although more follow. */
export interface LibraryPage {
  /** In the order of group and sort */
  readonly media: readonly LibraryMedium[];
  /** The cursor of the next page; null: this is the last one */
  readonly next: string | null;
  /** false: the index is being built and does not have all media */
  readonly complete: boolean;
}

export interface Line {
  /** Letters, digits, spaces, "_" and "-" */
  readonly name: string;
  /** Start and end; TO_RIGHT is to the right of this direction */
  readonly points: unknown;
}

export interface LineRequest {
  /** Letters, digits, spaces, "_" and "-" */
  readonly name: string;
  /** Start and end; TO_RIGHT is to the right of this direction */
  readonly points: readonly (readonly [number, number])[];
}

/** Parameters of GET /rest/actions */
export interface ListActionsQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

/** Parameters of GET /rest/actors */
export interface ListActorsQuery {
  /** Maximum number of actors on a page */
  readonly limit?: number | undefined;
  /** Only actors of this kind, such as batch-job; kinds lists all */
  readonly kind?: string | undefined;
  /** true: only actors with recorded failures since the server started */
  readonly failed?: boolean | undefined;
  /** Value of next from the previous page */
  readonly after?: string | undefined;
}

/** Parameters of GET /rest/algorithms */
export interface ListAlgorithmsQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

/** Parameters of GET /rest/jobs/{id}/media/{mediaId}/boxes */
export interface ListBoxesOfMediumQuery {
  /** The first frame, from 0 */
  readonly fromFrame?: number | undefined;
  /** The last frame */
  readonly toFrame?: number | undefined;
  /** Maximum number of boxes */
  readonly limit?: number | undefined;
}

/** Parameters of GET /rest/deliveries */
export interface ListDeliveriesQuery {
  /** Maximum number of deliveries on a page */
  readonly limit?: number | undefined;
  /** Value of next from the previous page */
  readonly before?: string | undefined;
  /** Only the delivery of this job */
  readonly job?: string | undefined;
  /** Only deliveries in this state */
  readonly state?: 'PENDING' | 'DELIVERED' | 'FAILED' | undefined;
  /** Only those to this host, with or without its port, or to this origin */
  readonly receiver?: string | undefined;
}

/** Parameters of GET /rest/failures */
export interface ListFailuresQuery {
  /** Maximum number of groups */
  readonly limit?: number | undefined;
  /** Only groups with a failure since then */
  readonly from?: string | undefined;
  /** Only failures of this component, in any case of letters */
  readonly component?: string | undefined;
  /** Only failures with this error code, in any case of letters */
  readonly code?: string | undefined;
}

/** Parameters of GET /rest/jobs */
export interface ListJobsQuery {
  /** Maximum number of jobs on a page */
  readonly limit?: number | undefined;
  /** Value of next from the previous page */
  readonly before?: string | undefined;
  /** Only jobs with one of these statuses */
  readonly status?: readonly JobStatus[] | undefined;
  /** Only jobs of this pipeline */
  readonly pipelineName?: string | undefined;
  /** Only jobs with this external id */
  readonly externalId?: string | undefined;
  /** Only jobs with all of these labels */
  readonly label?: readonly string[] | undefined;
  /** Only jobs with this in the URI of a medium */
  readonly medium?: string | undefined;
  /** Only jobs of this group of GET /rest/failures */
  readonly failure?: string | undefined;
  /** Only jobs that started then or later */
  readonly startedFrom?: string | undefined;
  /** Only jobs that started before it */
  readonly startedTo?: string | undefined;
  /** Only jobs that ended then or later */
  readonly endedFrom?: string | undefined;
  /** Only jobs that ended before it */
  readonly endedTo?: string | undefined;
  /** true: jobs that have ended; false: the others */
  readonly terminal?: boolean | undefined;
}

/** Parameters of GET /rest/keys */
export interface ListKeysQuery {
  /** true: the keys of all users; needs the role ADMIN */
  readonly all?: 'true' | 'false' | undefined;
}

/** Parameters of GET /rest/library */
export interface ListLibraryQuery {
  /** Only media with a finding of this type, such as FACE, in any case */
  readonly type?: string | undefined;
  /** Only media with a finding of this class, such as person, in any case */
  readonly class?: string | undefined;
  /** UNKNOWN: documents */
  readonly mediaType?: 'VIDEO' | 'IMAGE' | 'AUDIO' | 'UNKNOWN' | undefined;
  /** A part of the URI, in any case */
  readonly name?: string | undefined;
  /** Only of jobs with this label */
  readonly label?: string | undefined;
  /** Only of jobs whose endDate is not before it */
  readonly from?: string | undefined;
  /** Only of jobs whose endDate is before it */
  readonly to?: string | undefined;
  /** Only the first medium of each of these jobs: at most 100 ids with commas between */
  readonly firstOf?: readonly string[] | undefined;
  /** newest: of the job that ended last first; name: by file name; length: the longest first, then those of most pages */
  readonly sort?: 'newest' | 'name' | 'length' | undefined;
  /** What stays together; sort orders the media of a group. label: a medium is listed under each label of its job */
  readonly group?: 'day' | 'job' | 'label' | undefined;
  /** With group=day: minutes by which your time is ahead of UTC */
  readonly utcOffset?: number | undefined;
  /** The maximum number of media of a page */
  readonly limit?: number | undefined;
  /** Value of next from the previous page */
  readonly cursor?: string | undefined;
}

/** Parameters of GET /rest/jobs/{id}/media */
export interface ListMediaOfJobQuery {
  /** Maximum number of media */
  readonly limit?: number | undefined;
  /** Number of media to skip */
  readonly offset?: number | undefined;
  /** Only the medium with this mediaId */
  readonly mediaId?: number | undefined;
}

/** Parameters of GET /rest/operations */
export interface ListOperationsQuery {
  /** Maximum number of operations on a page */
  readonly limit?: number | undefined;
  /** Value of next from the previous page */
  readonly before?: string | undefined;
}

/** Parameters of GET /rest/people */
export interface ListPeopleQuery {
  /** A part of the name, in any case of letters */
  readonly name?: string | undefined;
  /** true: only people with a name. false: only people without */
  readonly named?: boolean | undefined;
  /** Only people in this job: its id */
  readonly job?: string | undefined;
  /** With job: only people in this medium of it */
  readonly mediaId?: number | undefined;
  /** Maximum number of people on a page */
  readonly limit?: number | undefined;
  /** Value of next from the previous page */
  readonly cursor?: string | undefined;
}

/** Parameters of GET /rest/pipelines */
export interface ListPipelinesQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

/** Parameters of GET /rest/streaming/jobs/{id}/recordings */
export interface ListRecordingsQuery {
  /** Only what was recorded after it */
  readonly start?: string | undefined;
  /** Only what was recorded before it */
  readonly stop?: string | undefined;
}

/** Parameters of GET /rest/sessions */
export interface ListSessionsQuery {
  /** true: of all users; needs the role ADMIN */
  readonly all?: 'true' | 'false' | undefined;
}

/** Parameters of GET /rest/streaming/jobs */
export interface ListStreamingJobsQuery {
  /** true leaves out jobs that are TERMINATED, ERROR or CANCELLED; true when absent or empty */
  readonly isActive?: boolean | undefined;
}

/** Parameters of GET /rest/tasks */
export interface ListTasksQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

/** Parameters of GET /rest/jobs/{id}/media/{mediaId}/tracks */
export interface ListTracksOfMediumQuery {
  /** Tracks that have not ended by then */
  readonly fromMs?: number | undefined;
  /** Tracks that have begun by then */
  readonly toMs?: number | undefined;
  /** Only those of this lane */
  readonly lane?: number | undefined;
  /** Only tracks with at least this confidence */
  readonly minConfidence?: number | undefined;
  /** A property of the track contains it; ASCII letters in any case */
  readonly text?: string | undefined;
  /** Maximum number of tracks */
  readonly limit?: number | undefined;
  /** Number of tracks to skip */
  readonly offset?: number | undefined;
}

/** Parameters of GET /rest/streaming/jobs/{id}/zone-events */
export interface ListZoneEventsQuery {
  /** RULE: events of rules only; OTHER: all others */
  readonly kind?: 'RULE' | 'OTHER' | undefined;
  /** Number of newest events; default: 100 */
  readonly limit?: number | undefined;
}

export interface ListedJob {
  /** <hostname>-<job number> */
  readonly jobId: string;
  /** 0 is the lowest, 9 the highest */
  readonly jobPriority: number;
  /** Percent */
  readonly jobProgress: number;
  readonly jobStatus: JobStatus;
  /** Whether the job has ended */
  readonly terminal: boolean;
  /** When the job was created, or resubmitted */
  readonly startDate: string;
  /** When it ended; null: it has not */
  readonly endDate: string | null;
  /** The first 20; data: URIs of more than 8,192 characters only with their type. GET /rest/jobs/{id} has all in full */
  readonly mediaUris: readonly string[];
  /** Path of the detection document on the server */
  readonly outputObjectPath: string | null;
  /** The pipeline that the job runs */
  readonly pipelineName: string;
  /** PAST JOB FOUND: the results of an earlier job are used for this one; COPY ERROR: they could not be copied into its bucket */
  readonly archiveStatus: DeliveryStatus | 'PAST JOB FOUND' | string;
  readonly callbackStatus: DeliveryStatus;
  /** The caller's id */
  readonly externalId: string | null;
  /** With details=true: who created the job */
  readonly owner?: Owner | undefined;
  /** Labels of the job */
  readonly labels: readonly string[];
  /** With details=true: the actions of a pipeline that belongs to this job alone */
  readonly pipelineActions?: readonly string[] | undefined;
  /** With details=true, once the job has ended: how many of mediaUris were processed without an error; absent when it was cancelled */
  readonly mediaSucceeded?: number | undefined;
  /** With details=true, for each of mediaUris: the path of the medium, relative to /rest/jobs/{jobId}/; null: it is available at its own address */
  readonly mediaHrefs?: readonly (string | null)[] | undefined;
  /** With details=true, of a job that is read alone: its runs, the oldest first */
  readonly runs?: readonly JobRun[] | undefined;
  /** With details=true, once an attempt has failed */
  readonly callbackAttempts?: DeliveryAttempts | undefined;
  /** With details=true, once an attempt has failed */
  readonly archiveAttempts?: DeliveryAttempts | undefined;
  /** With details=true; absent while a sub-job runs, and when the job has ended */
  readonly waitingFor?: WaitingFor | undefined;
  /** With details=true; absent while nothing is known, and when the job has ended */
  readonly remaining?: RemainingTime | undefined;
  /** How many media the job has */
  readonly mediaCount: number;
}

export interface LiveIssues {
  /** What has failed so far */
  readonly errors: {
    /** The first 100 */
    readonly shown: readonly {
      /** null: of the job as a whole */
      readonly mediaId: number | null;
      /** As in the list of jobs */
      readonly mediaUri: string | null;
      /** What reports it: an action, an algorithm or the server */
      readonly source: string;
      /** Stable name of the cause; docs/reference/error-codes.md lists all */
      readonly code: string;
      /** Description of the problem */
      readonly message: string;
    }[];
    /** How many errors there are */
    readonly count: number;
  };
  /** What went wrong without a failure */
  readonly warnings: {
    /** The first 100 */
    readonly shown: readonly {
      /** null: of the job as a whole */
      readonly mediaId: number | null;
      /** As in the list of jobs */
      readonly mediaUri: string | null;
      /** What reports it: an action, an algorithm or the server */
      readonly source: string;
      /** Stable name of the cause; docs/reference/error-codes.md lists all */
      readonly code: string;
      /** Description of the problem */
      readonly message: string;
    }[];
    /** How many warnings there are */
    readonly count: number;
  };
}

export interface MediaCheck {
  /** In the order of the request */
  readonly media: readonly {
    /** Whether a job can use it, checked without opening it */
    readonly usable: boolean;
    /** Why it is not usable; null: it is */
    readonly message: string | null;
  }[];
}

export interface MediaCheckRequest {
  /** URIs of media, as a job would name them */
  readonly mediaUris: readonly string[];
}

export interface MediaOfJob {
  /** Media that fit the query, in the order of the document */
  readonly media: readonly ViewedMedium[];
  /** All media of the job, independent of limit and offset */
  readonly total: number;
  /** Of the job as a whole; the first 100 */
  readonly issues: readonly {
    /** errors: something failed; warnings: nothing failed */
    readonly kind: 'errors' | 'warnings';
    /** What reports it: an action, an algorithm or the server */
    readonly source: string;
    /** Stable name of the cause; docs/reference/error-codes.md lists all */
    readonly code: string;
    /** Description of the problem */
    readonly message: string;
  }[];
}

/** Progress of a running job on a medium. Absent when the job has ended: then the answer is final */
export interface MediumProgress {
  /** Share of the work on the medium that is done */
  readonly percent: number;
  /** In pipeline order; empty: the medium is not inspected yet */
  readonly actions: readonly ActionProgress[];
}

export interface MediumZoneRun {
  /** The first 1000, in the order of their times */
  readonly events: readonly {
    /** What happened */
    readonly event: 'trackBegan' | 'classChanged' | 'trackEnded' | 'entered' | 'left' | 'crossed' | 'rule';
    /** When it happened: milliseconds since the epoch; of a file: since its start */
    readonly at: number;
    /** Number of the frame */
    readonly frame: number;
    /** The track, by the name of its first component */
    readonly track: string;
    /** CLASSIFICATION or type of the track, in upper case */
    readonly class: string;
    /** Confidence of the detection */
    readonly confidence: number;
    /** Box of the detection: pixels of the picture */
    readonly box: {
      /** Left edge: pixels */
      readonly x: number;
      /** Upper edge: pixels */
      readonly y: number;
      /** Width of the box: pixels */
      readonly width: number;
      /** Height of the box: pixels */
      readonly height: number;
    };
    /** Zone in which it happened */
    readonly zone?: string | undefined;
    /** Line that was crossed */
    readonly line?: string | undefined;
    /** Rule that caused the event */
    readonly rule?: string | undefined;
    /** Of a crossing */
    readonly direction?: 'TO_RIGHT' | 'TO_LEFT' | undefined;
    /** Tracks in the zone from now on */
    readonly occupancy?: number | undefined;
    /** Since when the track was in the zone */
    readonly since?: number | undefined;
    /** Time in the zone: milliseconds */
    readonly dwellMs?: number | undefined;
    /** The class before, when it changed */
    readonly before?: string | undefined;
    /** Of a rule: its kind of event */
    readonly kind?: 'ENTER' | 'LEAVE' | 'DWELL' | 'CROSS' | 'COUNT' | undefined;
  }[];
  /** Number of further events */
  readonly omitted: number;
  /** All events, counted */
  readonly counts: {
    /** Tracks that began, by class */
    readonly classes: Readonly<Record<string, number>>;
    /** Entries, exits, and the sum of the times of those who left (milliseconds), by zone */
    readonly zones: Readonly<Record<string, {
      /** Tracks that came in */
      readonly entered: number;
      /** Tracks that went out or ended */
      readonly left: number;
      /** Time in the zone of those that left: milliseconds */
      readonly dwellMs: number;
    }>>;
    /** Crossings by line */
    readonly lines: Readonly<Record<string, {
      /** Crossings to the right, seen along the line */
      readonly toRight: number;
      /** Crossings to the left */
      readonly toLeft: number;
    }>>;
    /** Events by rule */
    readonly rules: Readonly<Record<string, number>>;
  };
  /** The most tracks at a time, by zone */
  readonly most: Readonly<Record<string, number>>;
  /** Parts of the request without effect */
  readonly warnings: readonly string[];
}

export interface ModelList {
  /** The files, by name */
  readonly models: readonly {
    /** Path below its root; of an ONNX file, the value of MODEL_NAME */
    readonly name: string;
    /** ONNX: *.onnx; WHISPER: ggml-*.bin */
    readonly kind: 'ONNX' | 'WHISPER';
    /** Size of the file: bytes */
    readonly bytes: number;
    /** When the file was changed last */
    readonly modified: string;
  }[];
  /** There are more than are listed */
  readonly more: boolean;
}

export interface MqttReceiver {
  /** Broker, such as mqtts://user:password@host:8883 */
  readonly url: string;
  /** Start of all topics; troupe/{jobId} when absent */
  readonly topic?: string | null | undefined;
  /** Topic of Home Assistant discovery; "" for none; homeassistant when absent */
  readonly discoveryPrefix?: string | null | undefined;
}

export interface NewApiKey {
  /** Id of the key; it is no secret */
  readonly id: string;
  /** What the key is for */
  readonly name: string;
  /** What the key may do; ADMIN includes USER */
  readonly role: 'USER' | 'ADMIN';
  /** The user as whom a script acts with the key */
  readonly owner: {
    /** Name of the user who made the key */
    readonly name: string;
    /** Subject of the user at the provider; null: unknown */
    readonly subject: string | null;
    /** Group of the user; null: none */
    readonly group: string | null;
  };
  /** When the key was made */
  readonly created: string;
  /** When it ends */
  readonly expires: string;
  /** To the minute; null: never */
  readonly lastUsed: string | null;
  /** The key itself, shown this once: send it as a bearer token */
  readonly key: string;
}

export interface NodeClass {
  /** Name of the class */
  readonly name: string;
  /** The services that each of its nodes runs */
  readonly services: readonly ServiceModel[];
}

export interface NodeClassRequest {
  /** Name of the class */
  readonly name: string;
  /** The services that each of its nodes runs */
  readonly services: readonly ServiceModelRequest[];
}

export interface NodeInfo {
  /** Host name, or NODE_NAME */
  readonly host: string;
  /** The node of the server itself */
  readonly own: boolean;
  /** true: it is connected to the server */
  readonly connected: boolean;
  /** The configuration names it */
  readonly configured: boolean;
  /** Of Troupe; null: it was never connected */
  readonly version: string | null;
  /** Its last message; null: none, or it shut down normally */
  readonly lastHeard: string | null;
  /** Number of services that it must run */
  readonly services: number;
  /** Services that run there now */
  readonly running: number;
  /** Its node class; absent: none */
  readonly nodeClass?: string | undefined;
  /** The node or its server gets no new work; absent: it does */
  readonly draining?: {
    /** When it was paused */
    readonly since: string;
    /** Name of the administrator */
    readonly by: string;
  } | undefined;
}

export interface NodeManagerModel {
  /** Host name, or NODE_NAME of a node; no port */
  readonly host: string;
  /** The services that the node must run */
  readonly services: readonly ServiceModel[];
}

export interface NodeManagerModelRequest {
  /** Host name, or NODE_NAME of a node; no port */
  readonly host: string;
  /** The services that the node must run */
  readonly services: readonly ServiceModelRequest[];
}

/** A face track of a person */
export interface Occurrence {
  /** <hostname>-<job number> */
  readonly jobId: string;
  /** mediaId of the medium in the document */
  readonly mediaId: number;
  /** As in the document */
  readonly mediaUri: string;
  /** VIDEO or IMAGE */
  readonly mediaType: string;
  /** Id of the track in the document */
  readonly trackId: string;
  /** The first frame of the track, from 0 */
  readonly startOffsetFrame: number;
  /** The last frame of the track, inclusive */
  readonly stopOffsetFrame: number;
  /** Milliseconds from the start of the medium, or since a streaming job was created */
  readonly startOffsetTime: number;
  /** Milliseconds from the start of the medium */
  readonly stopOffsetTime: number;
  /** Of a live stream: jobId is that of the streaming job. null: of a batch job */
  readonly stream: {
    /** Without credentials */
    readonly streamUri: string;
    /** When the track was seen first */
    readonly startDate: string;
    /** When the track was seen last */
    readonly stopDate: string;
  } | null;
  /** Confidence of the exemplar */
  readonly confidence: number;
  /** Frame of the exemplar */
  readonly frame: number;
  /** The face in that frame: pixels of the medium as a viewer shows it */
  readonly box: {
    /** Pixels from the left edge */
    readonly x: number;
    /** Pixels from the upper edge */
    readonly y: number;
    /** Pixels from the left to the right side */
    readonly width: number;
    /** Pixels from the upper to the lower side */
    readonly height: number;
  };
  /** Of the medium, as a viewer shows it; null: unknown */
  readonly width: number | null;
  /** Of the medium, as a viewer shows it; null: unknown */
  readonly height: number | null;
  /** Picture of the frame of the exemplar: a path on this service. Cut the box out of it. Of a live stream, only a recording has it. */
  readonly frameUrl: string;
}

/** One action on many jobs; kept for 7 days after its end */
export interface Operation {
  /** op-<number> */
  readonly operationId: string;
  /** What is done to each job */
  readonly action: 'resubmit' | 'retry' | 'cancel' | 'delete' | 'priority' | 'label' | 'archiverepost';
  /** MATCHING: its jobs are being found; nothing is done yet */
  readonly status: 'MATCHING' | 'RUNNING' | 'CANCELLING' | 'COMPLETE' | 'CANCELLED' | 'ERROR';
  /** Whether it has ended */
  readonly terminal: boolean;
  /** true: the jobs are counted, and nothing is changed */
  readonly dryRun: boolean;
  /** The name of the user */
  readonly startedBy: string;
  /** When the operation was created */
  readonly startDate: string;
  /** When it ended; null: it has not */
  readonly endDate: string | null;
  /** Jobs that it selects */
  readonly matched: number;
  /** Jobs for which the action was done, or would be (dryRun) */
  readonly done: number;
  /** Jobs for which the action was refused */
  readonly refused: number;
  /** Percent of the jobs that were handled */
  readonly progress: number;
  /** Why jobs were refused, by reason */
  readonly refusals: readonly {
    /** Such as NOT_ENDED */
    readonly reason: string;
    /** Why, in words */
    readonly message: string;
    /** Jobs that were refused for this reason */
    readonly count: number;
    /** The first 3 jobs */
    readonly examples: readonly string[];
  }[];
  /** What it waits for, or why it ended with ERROR */
  readonly message: string | null;
  /** null: ids were given */
  readonly filter: JobFilter | null;
  /** The priority that the jobs get; only for priority and resubmit */
  readonly priority?: number | undefined;
  /** What runs again; only for retry */
  readonly what?: 'FAILED_SUB_JOBS' | 'FAILED_MEDIA' | undefined;
  /** Labels that the jobs get; only for label */
  readonly add?: readonly string[] | undefined;
  /** Labels that the jobs lose; only for label */
  readonly remove?: readonly string[] | undefined;
}

export interface OperationList {
  /** Newest first */
  readonly operations: readonly Operation[];
  /** Value of before for the next page; null: this is the last page */
  readonly next: string | null;
}

export interface OperationRequest {
  /** What is done to each job */
  readonly action: 'resubmit' | 'retry' | 'cancel' | 'delete' | 'priority' | 'label' | 'archiverepost';
  /** Jobs that match it; {}: all jobs */
  readonly filter?: JobFilterRequest | undefined;
  /** Ids of jobs, instead of a filter */
  readonly ids?: readonly (string | number)[] | undefined;
  /** true: counts what would be done, and changes nothing */
  readonly dryRun?: boolean | undefined;
  /** For the actions priority and resubmit */
  readonly priority?: number | undefined;
  /** For the action retry; absent: FAILED_SUB_JOBS */
  readonly what?: 'FAILED_SUB_JOBS' | 'FAILED_MEDIA' | undefined;
  /** For the action retry: override those of the jobs */
  readonly jobProperties?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** For the action label: labels to add */
  readonly add?: readonly string[] | undefined;
  /** For the action label: labels to remove */
  readonly remove?: readonly string[] | undefined;
}

export interface Owner {
  /** Subject of the token, else its client, else the name of the user */
  readonly user: string;
  /** By OIDC_GROUP_CLAIM_NAME */
  readonly group?: string | undefined;
}

/** A page of people */
export interface PeoplePage {
  /** Those with most tracks first */
  readonly people: readonly Person[];
  /** People on all pages */
  readonly total: number;
  /** The cursor of the next page; null: this is the last one */
  readonly next: string | null;
  /** false: new faces join no group, because FACE_EMBEDDING or SEARCH is false */
  readonly grouping: boolean;
  /** false: faces of the job that the query names are not in groups yet, or not at all */
  readonly complete: boolean;
}

/** A group of faces that look like one person; only what is in jobs that you may see */
export interface Person {
  /** The id of the person */
  readonly id: string;
  /** null: the person has no name */
  readonly name: string | null;
  /** When the group got its first face */
  readonly created: string;
  /** The model that made the vectors of the faces */
  readonly model: string;
  /** Face tracks of the person */
  readonly tracks: number;
  /** Media that show the person, by URI */
  readonly media: number;
  /** Jobs that found the person */
  readonly jobs: number;
  /** The best face */
  readonly face: Occurrence;
}

/** The name of a person */
export interface PersonChange {
  /** The new name; null: without a name */
  readonly name: string | null;
}

/** Two groups that show one person */
export interface PersonMerge {
  /** Id of the person that becomes a part of this one */
  readonly person: string;
}

/** A person, and a page of where the person is seen */
export interface PersonPage {
  readonly person: Person;
  /** Those of the newest job first */
  readonly tracks: readonly Occurrence[];
  /** The cursor of the next page; null: this is the last one */
  readonly next: string | null;
}

/** Tracks of a person that show somebody else */
export interface PersonSplit {
  /** Tracks that show somebody else */
  readonly tracks: readonly {
    /** Job of the track */
    readonly jobId: string;
    /** Medium of the track */
    readonly mediaId: number;
    /** Id of the track */
    readonly trackId: string;
  }[];
}

export interface PieceUpload {
  /** The id from the answer to the upload */
  readonly id: string;
  /** Bytes of the whole medium */
  readonly bytes: number;
  /** Bytes that are stored; the next piece begins here */
  readonly received: number;
  /** The mediaUri for jobs of this service; null: pieces are missing */
  readonly mediaUri: string | null;
  /** When it is removed; each piece of an unfinished upload extends this to a day */
  readonly expires: string;
}

export interface PieceUploadRequest {
  /** Name of the file. mediaUri ends with it, with unusual characters replaced; its extension helps to distinguish text formats */
  readonly name?: string | undefined;
  /** Bytes of the whole medium */
  readonly bytes: number;
}

export interface Pipeline {
  /** Trimmed and in upper case */
  readonly name: string;
  /** What the pipeline is for */
  readonly description: string;
  /** Names, in the order in which they run */
  readonly tasks: readonly string[];
  /** With details=true: problems for jobs that use it */
  readonly warnings?: readonly string[] | undefined;
  /** With details=true: whether the caller may remove it */
  readonly removable?: boolean | undefined;
  /** With details=true: the component that registered it; null: a user stored it */
  readonly component?: string | null | undefined;
}

export interface PipelineCreation {
  /** Name of the pipeline */
  readonly name: string;
  /** What it does, in a sentence */
  readonly description: string;
  /** Names of tasks, in the order in which they run */
  readonly tasks: readonly string[];
}

/** Parameters of POST /rest/system-message */
export interface PostSystemMessageQuery {
  /** Who sees it (case-insensitive); any other value means all */
  readonly msgType?: 'all' | 'admin' | 'login' | undefined;
  /** When it is removed: at the next start of the server, or when it is deleted; any other value means manual */
  readonly removeStrategy?: 'atServerStartup' | 'manual' | undefined;
  /** How it is shown */
  readonly severity?: 'info' | 'warning' | 'error' | undefined;
}

/** An error */
export interface Problem {
  /** What is wrong, and what to do */
  readonly message: string;
  /** Stable name of the error; docs/reference/rest-errors.md lists all codes */
  readonly code: string;
  /** Address of the documentation of this code */
  readonly help: string;
}

export interface QueueInfo {
  /** Name of the queue: SUBJOB and the algorithm, or TRANSFER and a host */
  readonly name: string;
  /** Sub-jobs that wait; those that a component has leased are not counted */
  readonly messagesInQueue: number;
  /** Absent: the queue is not paused */
  readonly paused?: {
    /** When it was paused */
    readonly since: string;
    /** Name of the administrator */
    readonly by: string;
  } | undefined;
}

/** Parameters of POST /rest/components/registerUnmanaged */
export interface RegisterComponentQuery {
  /** true: with the members that the specification does not list */
  readonly details?: boolean | undefined;
}

export interface Registered {
  /** What happened, or what is wrong and what can be done */
  readonly message: string;
  /** With details=true: problems for jobs that use it */
  readonly warnings?: readonly string[] | undefined;
}

/** Estimated remaining time, by the duration of finished sub-jobs and the processes that work for the job */
export interface RemainingTime {
  /** Seconds until its end */
  readonly seconds: number;
  /** true: the time of later tasks is not known, so the job takes at least this long */
  readonly atLeast: boolean;
}

export interface ResponseMessage {
  /** What happened, or what is wrong and what can be done */
  readonly message: string;
}

/** Parameters of POST /rest/jobs/{id}/resubmit */
export interface ResubmitJobQuery {
  /** 0 lowest; absent or empty: the default priority */
  readonly jobPriority?: number | undefined;
}

export interface Rule {
  /** Letters, digits, spaces, "_" and "-" */
  readonly name: string;
  /** Name of the zone that it is about */
  readonly zone?: string | undefined;
  /** Name of the line that it is about, in place of a zone */
  readonly line?: string | undefined;
  /** Default: DWELL with longerThan, COUNT with atLeast, CROSS with line, else ENTER */
  readonly event?: 'ENTER' | 'LEAVE' | 'DWELL' | 'CROSS' | 'COUNT' | undefined;
  /** Types of tracks, or values of CLASSIFICATION; all when absent */
  readonly classes?: readonly string[] | undefined;
  /** Minimum confidence of the best detection in the zone */
  readonly minConfidence?: number | undefined;
  /** Seconds in the zone */
  readonly longerThan?: number | undefined;
  /** Tracks in the zone at the same time */
  readonly atLeast?: number | undefined;
  /** Both when absent */
  readonly direction?: 'TO_RIGHT' | 'TO_LEFT' | undefined;
  /** When the rule applies; absent: always */
  readonly between?: RuleSchedule | undefined;
  /** Minimum seconds between two events of this rule */
  readonly coolDown?: number | undefined;
}

export interface RuleRequest {
  /** Letters, digits, spaces, "_" and "-" */
  readonly name: string;
  /** Name of the zone that it is about */
  readonly zone?: string | undefined;
  /** Name of the line that it is about, in place of a zone */
  readonly line?: string | undefined;
  /** Default: DWELL with longerThan, COUNT with atLeast, CROSS with line, else ENTER */
  readonly event?: 'ENTER' | 'LEAVE' | 'DWELL' | 'CROSS' | 'COUNT' | undefined;
  /** Types of tracks, or values of CLASSIFICATION; all when absent */
  readonly classes?: readonly string[] | undefined;
  /** Minimum confidence of the best detection in the zone */
  readonly minConfidence?: number | undefined;
  /** Seconds in the zone */
  readonly longerThan?: number | undefined;
  /** Tracks in the zone at the same time */
  readonly atLeast?: number | undefined;
  /** Both when absent */
  readonly direction?: 'TO_RIGHT' | 'TO_LEFT' | undefined;
  /** When the rule applies; absent: always */
  readonly between?: RuleScheduleRequest | undefined;
  /** Minimum seconds between two events of this rule */
  readonly coolDown?: number | undefined;
}

export interface RuleSchedule {
  /** Time of day, such as 22:00 */
  readonly from: string;
  /** Time of day when it ends, also on the next day */
  readonly to: string;
  /** Such as Europe/Berlin; UTC when absent */
  readonly timeZone?: string | undefined;
  /** Days on which it begins; all when absent */
  readonly days?: readonly ('MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN')[] | undefined;
}

export interface RuleScheduleRequest {
  /** Time of day, such as 22:00 */
  readonly from: string;
  /** Time of day when it ends, also on the next day */
  readonly to: string;
  /** Such as Europe/Berlin; UTC when absent */
  readonly timeZone?: string | undefined;
  /** Days on which it begins; all when absent */
  readonly days?: readonly ('MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN')[] | undefined;
}

export interface SavedSearch {
  /** Id of the saved search */
  readonly id: string;
  /** The name that the user gave it */
  readonly name: string;
  /** Parameters of GET /rest/search except limit and cursor. days: instead of from, this many days up to today */
  readonly query: Readonly<Record<string, string>>;
  /** When it was saved */
  readonly created: string;
}

export interface SavedSearchList {
  /** Oldest first */
  readonly searches: readonly SavedSearch[];
}

export interface SavedSearchRequest {
  /** By this name the user finds it again */
  readonly name: string;
  /** Parameters of GET /rest/search except limit and cursor. days: instead of from, this many days up to today */
  readonly query: Readonly<Record<string, string>>;
}

/** What the hits of a query have, most tracks first */
export interface SearchCounts {
  /** Tracks that were counted: the newest ones */
  readonly tracks: number;
  /** true: there are more tracks than were counted */
  readonly isPart: boolean;
  /** Tracks by type and class */
  readonly findings: readonly {
    /** Type of the tracks */
    readonly type: string;
    /** Their CLASSIFICATION; null: they have none */
    readonly class: string | null;
    /** Tracks that have it */
    readonly tracks: number;
  }[];
  /** Tracks by colour */
  readonly colours: readonly {
    /** Like their DOMINANT_COLOR */
    readonly colour: 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'pink' | 'brown' | 'black' | 'grey' | 'white';
    /** Tracks that have it */
    readonly tracks: number;
  }[];
  /** The 30 with most tracks */
  readonly media: readonly {
    /** URI of the medium, as in the document */
    readonly mediaUri: string;
    /** Tracks that have it */
    readonly tracks: number;
  }[];
  /** Tracks by confidence */
  readonly confidences: readonly {
    /** 0.5, 0.75 or 0.9 */
    readonly minConfidence: number;
    /** Tracks with at least this confidence */
    readonly tracks: number;
  }[];
  /** Tracks by the times of the query */
  readonly since: readonly {
    /** A time of the query */
    readonly from: string;
    /** Tracks that match with this from */
    readonly tracks: number;
  }[];
  /** false: the index is being made */
  readonly complete: boolean;
}

/** Parameters of GET /rest/search/duplicates */
export interface SearchDuplicatesQuery {
  /** Words of a text, "several in a row", beginnings*, one OR another */
  readonly text?: string | undefined;
  /** Words of a text, or names of classes, types or colours */
  readonly anything?: string | undefined;
  /** Only tracks of this class (CLASSIFICATION), such as car */
  readonly class?: string | undefined;
  /** Only tracks of this type, such as TEXT */
  readonly type?: string | undefined;
  /** Only jobs that ended, and streams seen, then or later */
  readonly from?: string | undefined;
  /** Only jobs that ended, and streams seen, before it */
  readonly to?: string | undefined;
  /** Only this job */
  readonly job?: string | undefined;
  /** Only tracks of this colour (DOMINANT_COLOR) */
  readonly colour?: 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'pink' | 'brown' | 'black' | 'grey' | 'white' | undefined;
  /** Only tracks with at least this confidence */
  readonly minConfidence?: number | undefined;
  /** Only media with this in their URI */
  readonly medium?: string | undefined;
  /** Maximum number of groups */
  readonly limit?: number | undefined;
}

/** A track that was found */
export interface SearchHit {
  /** <hostname>-<job number> */
  readonly jobId: string;
  /** The caller's id of the job */
  readonly externalId: string | null;
  /** When the job ended; of a live stream, when its segment ended */
  readonly jobEndDate: string;
  /** Place of the medium in the document, from 0 */
  readonly mediaIndex: number;
  /** mediaId of the medium in the document */
  readonly mediaId: number;
  /** As in the document */
  readonly mediaUri: string;
  /** VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN */
  readonly mediaType: string;
  /** Id of the track in the document */
  readonly trackId: string;
  /** Name of the task */
  readonly task: string;
  /** The source of the track */
  readonly action: string;
  /** The algorithm that found it */
  readonly algorithm: string;
  /** Type of the track, such as TEXT or SPEECH */
  readonly type: string;
  /** CLASSIFICATION of the track, such as car; null: it has none */
  readonly class: string | null;
  /** The first frame of the track, from 0 */
  readonly startOffsetFrame: number;
  /** The last frame of the track, inclusive */
  readonly stopOffsetFrame: number;
  /** Milliseconds; of a live stream, since the job was created */
  readonly startOffsetTime: number;
  /** Milliseconds */
  readonly stopOffsetTime: number;
  /** Of a live stream: jobId is that of the streaming job. null: of a batch job */
  readonly stream: {
    /** Without credentials */
    readonly streamUri: string;
    /** When the track was seen first */
    readonly startDate: string;
    /** When the track was seen last */
    readonly stopDate: string;
  } | null;
  /** Where it was found in a document, or in a picture from a document (PAGE_NUM). null: no component reported a page. */
  readonly page: {
    /** SLIDE: of a presentation; SHEET: of a spreadsheet; PAGE: of other documents */
    readonly kind: 'PAGE' | 'SLIDE' | 'SHEET';
    /** From 1; a picture on several pages has all of them: 3; 7 */
    readonly number: string;
  } | null;
  /** Confidence of the exemplar; -1: the detector gives none */
  readonly confidence: number;
  /** Of DOMINANT_COLOR; null: unknown */
  readonly colour: 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'pink' | 'brown' | 'black' | 'grey' | 'white' | null;
  /** Model of the vector by which similar tracks are found; null: the track has none */
  readonly vectorModel: string | null;
  /** Of a face track: whom it shows. null: it is in no group of `GET /rest/people` */
  readonly person: {
    /** The id of the person */
    readonly id: string;
    /** null: the person has no name */
    readonly name: string | null;
  } | null;
  /** Of the exemplar; null: it has no box */
  readonly frame: number | null;
  /** Of the exemplar: pixels of the medium as a viewer shows it */
  readonly box: {
    /** Pixels from the left edge */
    readonly x: number;
    /** Pixels from the upper edge */
    readonly y: number;
    /** Pixels from the left to the right side */
    readonly width: number;
    /** Pixels from the upper to the lower side */
    readonly height: number;
  } | null;
  /** Of the medium, as a viewer shows it */
  readonly width: number | null;
  /** Pixels, as a viewer shows it; null: it has no picture */
  readonly height: number | null;
  /** The text around the match; … shows that it continues */
  readonly snippet: {
    /** Empty for a track without text */
    readonly text: string;
    /** The matches in it: from start to before end, in UTF-16 code units, in order */
    readonly marks: readonly {
      /** The first code unit of the match */
      readonly start: number;
      /** The code unit after the match */
      readonly end: number;
    }[];
  };
  /** Share of the text that matches; 1: all of it, or the query has no text */
  readonly score: number;
}

/** A page of hits. It may be short, or empty, although more follow: continue until next is null. */
export interface SearchPage {
  /** Most recently indexed first */
  readonly hits: readonly SearchHit[];
  /** Value of cursor for the next page; null: this is the last page */
  readonly next: string | null;
  /** false: the index is being made, and does not have all documents yet */
  readonly complete: boolean;
}

/** Parameters of GET /rest/search */
export interface SearchQuery {
  /** Words of a text, "several in a row", beginnings*, one OR another */
  readonly text?: string | undefined;
  /** Words of a text, or names of classes, types or colours */
  readonly anything?: string | undefined;
  /** Only tracks of this class (CLASSIFICATION), such as car */
  readonly class?: string | undefined;
  /** Only tracks of this type, such as TEXT */
  readonly type?: string | undefined;
  /** Only jobs that ended, and streams seen, then or later */
  readonly from?: string | undefined;
  /** Only jobs that ended, and streams seen, before it */
  readonly to?: string | undefined;
  /** Only this job */
  readonly job?: string | undefined;
  /** Only tracks of this colour (DOMINANT_COLOR) */
  readonly colour?: 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'pink' | 'brown' | 'black' | 'grey' | 'white' | undefined;
  /** Only tracks with at least this confidence */
  readonly minConfidence?: number | undefined;
  /** Only media with this in their URI */
  readonly medium?: string | undefined;
  /** Only live streams with this job id or, if not a number, this in their URI */
  readonly camera?: string | undefined;
  /** Only face tracks of this person, by id or name */
  readonly person?: string | undefined;
  /** true: only the newest of tracks that several jobs found */
  readonly distinct?: boolean | undefined;
  /** newest or oldest: by the time of indexing. best: of the newest 20,000 hits those first that match most of the query */
  readonly sort?: 'newest' | 'oldest' | 'best' | undefined;
  /** Maximum number of hits on a page */
  readonly limit?: number | undefined;
  /** Value of next from the previous page */
  readonly cursor?: string | undefined;
}

/** Parameters of PUT /rest/media/{id}/pieces */
export interface SendPieceQuery {
  /** Where the piece begins in the medium: bytes; it must be `received` */
  readonly offset: number;
}

export interface ServiceLog {
  /** <host>:<service>:<n> */
  readonly name: string;
  /** The newest last */
  readonly lines: readonly {
    /** When it was written */
    readonly at: string;
    /** The process: name of the service, "#" and the number of earlier starts */
    readonly process: string;
    /** process: when a process began and why it ended, reported by the node */
    readonly source: 'stdout' | 'stderr' | 'process';
    /** Text of the line; long lines are cut */
    readonly text: string;
  }[];
}

export interface ServiceModel {
  /** Name of a component, or any other */
  readonly serviceName: string;
  /** What the service is for */
  readonly serviceDescription: string;
  /** Both run cmd with args */
  readonly serviceLauncher: 'simple' | 'generic';
  /** An executable file, or a program in PATH */
  readonly cmd: string;
  /** Number of services to start */
  readonly serviceCount: number;
  /** Relative to the folder of the server package */
  readonly workingDirectory: string;
  /** Arguments of cmd */
  readonly args: readonly string[];
  /** Variables of the environment of its processes */
  readonly environmentVariables: readonly {
    /** Name of the variable */
    readonly name: string;
    /** Its value; secret ones are hidden */
    readonly value: string;
    /** Separator to append the value to an existing one */
    readonly sep?: string | undefined;
  }[];
}

export interface ServiceModelRequest {
  /** Name of a component, or any other */
  readonly serviceName: string;
  /** What the service is for */
  readonly serviceDescription: string;
  /** Both run cmd with args */
  readonly serviceLauncher: 'simple' | 'generic';
  /** An executable file, or a program in PATH */
  readonly cmd: string;
  /** Number of services to start */
  readonly serviceCount: number;
  /** Relative to the folder of the server package */
  readonly workingDirectory: string;
  /** Arguments of cmd */
  readonly args?: readonly string[] | null | undefined;
  /** Variables of the environment of its processes */
  readonly environmentVariables?: readonly EnvironmentVariableModel[] | null | undefined;
}

/** Similar tracks */
export interface SimilarPage {
  /** Model whose vectors were compared */
  readonly model: string;
  /** The track that hits are similar to; null: a vector, a picture or words were given */
  readonly like: SearchHit | null;
  /** The most similar first; the track itself is left out */
  readonly hits: readonly {
    /** <hostname>-<job number> */
    readonly jobId: string;
    /** The caller's id of the job */
    readonly externalId: string | null;
    /** When the job ended; of a live stream, when its segment ended */
    readonly jobEndDate: string;
    /** Place of the medium in the document, from 0 */
    readonly mediaIndex: number;
    /** mediaId of the medium in the document */
    readonly mediaId: number;
    /** As in the document */
    readonly mediaUri: string;
    /** VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN */
    readonly mediaType: string;
    /** Id of the track in the document */
    readonly trackId: string;
    /** Name of the task */
    readonly task: string;
    /** The source of the track */
    readonly action: string;
    /** The algorithm that found it */
    readonly algorithm: string;
    /** Type of the track, such as TEXT or SPEECH */
    readonly type: string;
    /** CLASSIFICATION of the track, such as car; null: it has none */
    readonly class: string | null;
    /** The first frame of the track, from 0 */
    readonly startOffsetFrame: number;
    /** The last frame of the track, inclusive */
    readonly stopOffsetFrame: number;
    /** Milliseconds; of a live stream, since the job was created */
    readonly startOffsetTime: number;
    /** Milliseconds */
    readonly stopOffsetTime: number;
    /** Of a live stream: jobId is that of the streaming job. null: of a batch job */
    readonly stream: {
      /** Without credentials */
      readonly streamUri: string;
      /** When the track was seen first */
      readonly startDate: string;
      /** When the track was seen last */
      readonly stopDate: string;
    } | null;
    /** Where it was found in a document, or in a picture from a document (PAGE_NUM). null: no component reported a page. */
    readonly page: {
      /** SLIDE: of a presentation; SHEET: of a spreadsheet; PAGE: of other documents */
      readonly kind: 'PAGE' | 'SLIDE' | 'SHEET';
      /** From 1; a picture on several pages has all of them: 3; 7 */
      readonly number: string;
    } | null;
    /** Confidence of the exemplar; -1: the detector gives none */
    readonly confidence: number;
    /** Of DOMINANT_COLOR; null: unknown */
    readonly colour: 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'pink' | 'brown' | 'black' | 'grey' | 'white' | null;
    /** Model of the vector by which similar tracks are found; null: the track has none */
    readonly vectorModel: string | null;
    /** Of a face track: whom it shows. null: it is in no group of `GET /rest/people` */
    readonly person: {
      /** The id of the person */
      readonly id: string;
      /** null: the person has no name */
      readonly name: string | null;
    } | null;
    /** Of the exemplar; null: it has no box */
    readonly frame: number | null;
    /** Of the exemplar: pixels of the medium as a viewer shows it */
    readonly box: {
      /** Pixels from the left edge */
      readonly x: number;
      /** Pixels from the upper edge */
      readonly y: number;
      /** Pixels from the left to the right side */
      readonly width: number;
      /** Pixels from the upper to the lower side */
      readonly height: number;
    } | null;
    /** Of the medium, as a viewer shows it */
    readonly width: number | null;
    /** Pixels, as a viewer shows it; null: it has no picture */
    readonly height: number | null;
    /** The text around the match; … shows that it continues */
    readonly snippet: {
      /** Empty for a track without text */
      readonly text: string;
      /** The matches in it: from start to before end, in UTF-16 code units, in order */
      readonly marks: readonly {
        /** The first code unit of the match */
        readonly start: number;
        /** The code unit after the match */
        readonly end: number;
      }[];
    };
    /** Share of the text that matches; 1: all of it, or the query has no text */
    readonly score: number;
    /** Cosine of the angle between the vectors, from -1 to 1; 1: the same direction */
    readonly similarity: number;
  }[];
  /** Part of the vectors that were compared; below 1, the index of vectors is being built */
  readonly searched: number;
  /** false: the search does not have all documents yet */
  readonly complete: boolean;
}

/** A track, a vector, a picture or words, and which tracks are compared with it */
export interface SimilarRequest {
  /** Job of the track to which hits must be similar */
  readonly jobId?: string | undefined;
  /** Medium of the track */
  readonly mediaId?: number | undefined;
  /** Id of the track */
  readonly trackId?: string | undefined;
  /** Instead of a track: a vector, as numbers or as FEATURE has it */
  readonly vector?: readonly number[] | string | undefined;
  /** The model that made the vector, as vectorModel of a hit. With mediaUri or text: the model to use; absent: the one of the newest vectors */
  readonly model?: string | undefined;
  /** Instead of a track: a picture or video that a job could use, such as an upload. A temporary job makes its vector */
  readonly mediaUri?: string | undefined;
  /** With mediaUri: only this part of the picture as a viewer shows it */
  readonly box?: {
    /** Pixels from the left edge */
    readonly x: number;
    /** Pixels from the upper edge */
    readonly y: number;
    /** Pixels from the left to the right side */
    readonly width: number;
    /** Pixels from the upper to the lower side */
    readonly height: number;
  } | undefined;
  /** With mediaUri: the frame of a video, from 0 */
  readonly frame?: number | undefined;
  /** Instead of a track: words that pictures may show. The text half of the model (TEXT_MODEL_NAME) makes their vector */
  readonly text?: string | undefined;
  /** As the parameters of GET /rest/search */
  readonly filter?: {
    /** Words of a text, "several in a row", beginnings*, one OR another */
    readonly text?: string | undefined;
    /** Words of a text, or names of classes, types or colours */
    readonly anything?: string | undefined;
    /** Only tracks of this class (CLASSIFICATION), such as car */
    readonly class?: string | undefined;
    /** Only tracks of this type, such as TEXT */
    readonly type?: string | undefined;
    /** Only jobs that ended, and streams seen, then or later */
    readonly from?: string | undefined;
    /** Only jobs that ended, and streams seen, before it */
    readonly to?: string | undefined;
    /** Only this job */
    readonly job?: string | undefined;
    /** Only tracks of this colour (DOMINANT_COLOR) */
    readonly colour?: 'red' | 'orange' | 'yellow' | 'green' | 'blue' | 'purple' | 'pink' | 'brown' | 'black' | 'grey' | 'white' | undefined;
    /** Only tracks with at least this confidence */
    readonly minConfidence?: number | undefined;
    /** Only media with this in their URI */
    readonly medium?: string | undefined;
    /** Only live streams with this job id or, if not a number, this in their URI */
    readonly camera?: string | undefined;
    /** Only face tracks of this person, by id or name */
    readonly person?: string | undefined;
    /** true: only the newest of tracks that several jobs found */
    readonly distinct?: boolean | undefined;
  } | undefined;
  /** Minimum similarity, from -1 to 1 */
  readonly minSimilarity?: number | undefined;
  /** Maximum number of hits */
  readonly limit?: number | undefined;
}

export interface SingleJobInfo {
  /** <hostname>-<job number> */
  readonly jobId: string;
  /** 0 is the lowest, 9 the highest */
  readonly jobPriority: number;
  /** Percent */
  readonly jobProgress: number;
  readonly jobStatus: JobStatus;
  /** Whether the job has ended */
  readonly terminal: boolean;
  /** When the job was created, or resubmitted */
  readonly startDate: string;
  /** When it ended; null: it has not */
  readonly endDate: string | null;
  /** The media of the request */
  readonly mediaUris: readonly string[];
  /** Path of the detection document on the server */
  readonly outputObjectPath: string | null;
  /** The pipeline that the job runs */
  readonly pipelineName: string;
  /** PAST JOB FOUND: the results of an earlier job are used for this one; COPY ERROR: they could not be copied into its bucket */
  readonly archiveStatus: DeliveryStatus | 'PAST JOB FOUND' | string;
  readonly callbackStatus: DeliveryStatus;
  /** With details=true: the caller's id */
  readonly externalId?: string | null | undefined;
  /** With details=true: who created the job */
  readonly owner?: Owner | undefined;
  /** With details=true */
  readonly labels?: readonly string[] | undefined;
  /** With details=true: the actions of a pipeline that belongs to this job alone */
  readonly pipelineActions?: readonly string[] | undefined;
  /** With details=true, once the job has ended: how many of mediaUris were processed without an error; absent when it was cancelled */
  readonly mediaSucceeded?: number | undefined;
  /** With details=true, for each of mediaUris: the path of the medium, relative to /rest/jobs/{jobId}/; null: it is available at its own address */
  readonly mediaHrefs?: readonly (string | null)[] | undefined;
  /** With details=true, of a job that is read alone: its runs, the oldest first */
  readonly runs?: readonly JobRun[] | undefined;
  /** With details=true, once an attempt has failed */
  readonly callbackAttempts?: DeliveryAttempts | undefined;
  /** With details=true, once an attempt has failed */
  readonly archiveAttempts?: DeliveryAttempts | undefined;
  /** With details=true; absent while a sub-job runs, and when the job has ended */
  readonly waitingFor?: WaitingFor | undefined;
  /** With details=true; absent while nothing is known, and when the job has ended */
  readonly remaining?: RemainingTime | undefined;
}

export interface StreamEventList {
  /** The newest first; the newest 400 to 500 of each kind are kept */
  readonly events: readonly ZoneEvent[];
}

export interface StreamEventWebhook {
  /** stream. and the event, such as stream.rule */
  readonly type: string;
  /** When it happened: ISO 8601, UTC */
  readonly timestamp: string;
  /** What happened, as GET .../zone-events lists it */
  readonly data: ZoneEvent;
}

export interface StreamRecording {
  /** Another address of the camera to record, with more pixels; absent: that of the stream */
  readonly streamUri?: string | undefined;
  /** Older pictures are removed */
  readonly days: number;
  /** Of all files of the recording; the oldest go first */
  readonly bytes: number;
}

export interface StreamRecordingList {
  /** Of all files of the recording */
  readonly bytes: number;
  /** Recorded without a break, in order of time; the newest 1,000 */
  readonly stretches: readonly {
    /** Time of its first picture */
    readonly startTime: string;
    /** When its last picture ended */
    readonly stopTime: string;
    /** Number in the stream; null: another address is recorded */
    readonly startFrame: number | null;
    /** Number in the stream; null: another address is recorded */
    readonly stopFrame: number | null;
  }[];
}

export interface StreamRecordingRequest {
  /** Another address of the camera to record, with more pixels; absent: that of the stream */
  readonly streamUri?: string | undefined;
  /** Older pictures are removed */
  readonly days?: number | undefined;
  /** Of all files of the recording; the oldest go first */
  readonly bytes?: number | undefined;
}

export interface StreamingJobCancelProblem {
  /** -1: the job was not created */
  readonly jobId: number;
  /** As requested */
  readonly doCleanup: boolean;
  /** Folder of all files of the job; null when it writes none */
  readonly outputObjectDirectory: string | null;
  readonly coreResponse: CoreResponse;
  /** What is wrong, and what to do */
  readonly message: string;
  /** Stable name of the error; docs/reference/rest-errors.md lists all codes */
  readonly code: string;
  /** Address of the documentation of this code */
  readonly help: string;
}

export interface StreamingJobCancelResponse {
  /** -1: the job was not created */
  readonly jobId: number;
  /** As requested */
  readonly doCleanup: boolean;
  /** Folder of all files of the job; null when it writes none */
  readonly outputObjectDirectory: string | null;
  readonly coreResponse: CoreResponse;
}

export interface StreamingJobCreationProblem {
  /** -1: the job was not created */
  readonly jobId: number;
  /** Folder of all files of the job; null when it writes none */
  readonly outputObjectDirectory: string | null;
  readonly coreResponse: CoreResponse;
  /** What is wrong, and what to do */
  readonly message: string;
  /** Stable name of the error; docs/reference/rest-errors.md lists all codes */
  readonly code: string;
  /** Address of the documentation of this code */
  readonly help: string;
}

export interface StreamingJobCreationRequest {
  /** true: reports and segments are written into a folder of the server as well */
  readonly enableOutputToDisk: boolean;
  /** The caller's id of the job: in reports */
  readonly externalId?: string | number | null | undefined;
  /** Values of properties for all actions of the job */
  readonly jobProperties?: Readonly<Record<string, string | number | boolean>> | null | undefined;
  /** Values of properties by algorithm, over jobProperties */
  readonly algorithmProperties?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>> | null | undefined;
  /** The stream, and how it is cut into segments */
  readonly stream: JobCreationStreamData;
  /** Milliseconds; -1: a stall never ends the job */
  readonly stallTimeout: number;
  /** A stored pipeline whose component processes streams */
  readonly pipelineName: string;
  /** Gets a POST with the state of the job, at intervals and at each change: an http or https URI */
  readonly healthReportCallbackUri?: string | null | undefined;
  /** Gets a POST with the findings of each segment: an http or https URI */
  readonly summaryReportCallbackUri?: string | null | undefined;
  /** Gets a health report of this job when the stream stalls */
  readonly stallCallbackUri?: string | null | undefined;
  /** Areas of the picture, in fractions */
  readonly zones?: readonly ZoneRequest[] | null | undefined;
  /** Lines in the picture whose crossings are counted */
  readonly lines?: readonly LineRequest[] | null | undefined;
  /** When something in a zone or at a line is an event */
  readonly rules?: readonly RuleRequest[] | null | undefined;
  /** The point of a box that counts: BOTTOM (middle of the lower edge; default) or CENTER */
  readonly anchor?: 'BOTTOM' | 'CENTER' | null | undefined;
  /** Who gets events of zones and rules, and which */
  readonly events?: EventReceivers | null | undefined;
}

export interface StreamingJobCreationResponse {
  /** -1: the job was not created */
  readonly jobId: number;
  /** Folder of all files of the job; null when it writes none */
  readonly outputObjectDirectory: string | null;
  readonly coreResponse: CoreResponse;
}

export interface StreamingJobInfo {
  /** Number of the job, from one sequence with batch jobs */
  readonly jobId: number;
  /** Folder of all files of the job; null when it writes none */
  readonly outputObjectDirectory: string | null;
  /** The stream of the request without secrets */
  readonly streamUri: string;
  /** When the job was created, in local time */
  readonly startDate: string;
  /** When it ended, in local time; null: it has not */
  readonly endDate: string | null;
  /** Specification 3.2 */
  readonly jobStatus: 'INITIALIZING' | 'IN_PROGRESS' | 'CANCELLING' | 'CANCELLED' | 'TERMINATED' | 'STALLED' | 'JOB_CREATION_ERROR' | 'ERROR' | 'CANCELLED_BY_SHUTDOWN';
  /** Reason for the status; null: there is none */
  readonly jobStatusDetail: string | null;
  /** The pipeline that the job runs */
  readonly pipelineName: string;
  /** Frame at which the first track of the current segment starts, or of the last segment that had tracks */
  readonly activityFrameId: string | null;
  /** When that frame was decoded; null: nothing was found yet */
  readonly activityTimestamp: string | null;
  /** With details=true: the externalId of the request; null: it had none */
  readonly externalId?: string | null | undefined;
  /** Who created the job */
  readonly owner?: Owner | undefined;
  /** What is recorded; absent: nothing */
  readonly recording?: StreamRecording | undefined;
  /** Number of reported segments */
  readonly segments?: number | undefined;
  /** Pixels, and frames a second as the stream says */
  readonly picture?: {
    /** Width of a frame: pixels */
    readonly width: number;
    /** Height of a frame: pixels */
    readonly height: number;
    /** Frames a second, as the stream says */
    readonly fps: number;
  } | null | undefined;
  /** Frames decoded, analyzed, overtaken by newer ones, skipped by the motion gate; new connections after a failure */
  readonly frames?: {
    /** Frames decoded */
    readonly read: number;
    /** Frames analyzed */
    readonly processed: number;
    /** Frames dropped because a newer one was available */
    readonly dropped: number;
    /** Frames skipped because nothing moved (motion gate) */
    readonly skipped: number;
    /** New connections to the stream after a failure */
    readonly reconnects: number;
  } | undefined;
  /** Parts of the request without effect, and parts that the detector could not process; each once */
  readonly warnings?: readonly string[] | undefined;
  /** Outcome of the last reports since the server started */
  readonly reports?: {
    /** The last health report; null: none was sent */
    readonly health: {
      /** When it was sent */
      readonly at: string;
      /** Why it failed; null: it arrived */
      readonly error: string | null;
    } | null;
    /** The last summary report; null: none was sent */
    readonly summary: {
      /** When it was sent */
      readonly at: string;
      /** Why it failed; null: it arrived */
      readonly error: string | null;
    } | null;
    /** Reports that were lost because their receiver is too slow */
    readonly dropped: number;
  } | undefined;
  /** With details=true: zones, lines and rules, and their counts */
  readonly zones?: {
    /** Zones of the job */
    readonly zones: readonly Zone[];
    /** Lines of the job */
    readonly lines: readonly Line[];
    /** Rules of the job */
    readonly rules: readonly Rule[];
    /** The point of a box that counts; absent: BOTTOM */
    readonly anchor?: 'BOTTOM' | 'CENTER' | undefined;
    /** Tracks in each zone now */
    readonly occupancy: Readonly<Record<string, number>>;
    /** Webhooks and messages that are not delivered yet */
    readonly pending: number;
    /** Webhooks and messages that were dropped */
    readonly dropped: number;
    /** Why the last delivery failed; null: it arrived */
    readonly trouble: string | null;
    /** Detections dropped because there were too many tracks */
    readonly ignored: number;
  } | undefined;
}

export interface StreamingJobRestartRequest {
  /** true: reports and segments are written into a folder of the server as well */
  readonly enableOutputToDisk?: boolean | undefined;
  /** The caller's id of the job: in reports */
  readonly externalId?: string | number | null | undefined;
  /** Values of properties for all actions of the job */
  readonly jobProperties?: Readonly<Record<string, string | number | boolean>> | null | undefined;
  /** Values of properties by algorithm, over jobProperties */
  readonly algorithmProperties?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>> | null | undefined;
  /** Members of the stream that change */
  readonly stream?: {
    /** One stream: rtsp, rtsps, http or https */
    readonly streamUri?: string | undefined;
    /** Frames of a segment, at least 10 */
    readonly segmentSize?: number | undefined;
    /** Override all other properties for this stream */
    readonly mediaProperties?: Readonly<Record<string, string | number | boolean>> | null | undefined;
    /** Keeps the pictures of the camera; absent: nothing is kept */
    readonly recording?: StreamRecordingRequest | null | undefined;
  } | undefined;
  /** Milliseconds; -1: a stall never ends the job */
  readonly stallTimeout?: number | undefined;
  /** A stored pipeline whose component processes streams */
  readonly pipelineName?: string | undefined;
  /** Gets a POST with the state of the job, at intervals and at each change: an http or https URI */
  readonly healthReportCallbackUri?: string | null | undefined;
  /** Gets a POST with the findings of each segment: an http or https URI */
  readonly summaryReportCallbackUri?: string | null | undefined;
  /** Gets a health report of this job when the stream stalls */
  readonly stallCallbackUri?: string | null | undefined;
  /** Areas of the picture, in fractions */
  readonly zones?: readonly ZoneRequest[] | null | undefined;
  /** Lines in the picture whose crossings are counted */
  readonly lines?: readonly LineRequest[] | null | undefined;
  /** When something in a zone or at a line is an event */
  readonly rules?: readonly RuleRequest[] | null | undefined;
  /** The point of a box that counts: BOTTOM (middle of the lower edge; default) or CENTER */
  readonly anchor?: 'BOTTOM' | 'CENTER' | null | undefined;
  /** Who gets events of zones and rules, and which */
  readonly events?: EventReceivers | null | undefined;
}

export interface SummaryReport {
  /** When the report was made */
  readonly reportDate: string;
  /** Number of the streaming job */
  readonly jobId: number;
  /** The externalId of the request; null: it had none */
  readonly externalId: string | null;
  /** Number of the segment, from 0 */
  readonly segmentId: number;
  /** First frame of the segment, from the start of the stream */
  readonly segmentStartFrame: number;
  /** Last frame of the segment, inclusive */
  readonly segmentStopFrame: number;
  /** Empty: the segment was processed */
  readonly errorMessage: string;
  /** By type of track */
  readonly output: Readonly<Record<string, readonly {
    /** The same input gives the same id */
    readonly id: string;
    /** With OUTPUT_DETAILS=TRUE: the same in each segment of the track */
    readonly liveId?: string | undefined;
    /** Task that found the track; absent: the pipeline has one action */
    readonly task?: string | undefined;
    /** Its action; absent: the pipeline has one action */
    readonly action?: string | undefined;
    /** Frame of the first detection in this segment, from the start of the stream */
    readonly startOffsetFrame: number;
    /** Frame of the last detection in this segment, inclusive */
    readonly stopOffsetFrame: number;
    /** When the first of these frames was decoded */
    readonly startTimestamp: string;
    /** When the last of these frames was decoded */
    readonly stopTimestamp: string;
    /** Type of the track, such as FACE, CLASS, SPEECH or MOTION */
    readonly type: string;
    /** Highest confidence of its detections */
    readonly confidence: number;
    /** Properties of the whole track, by name */
    readonly trackProperties: Readonly<Record<string, string>>;
    /** The detection that shows the track best */
    readonly exemplar: {
      /** Number of the frame since the start of the stream, from 0 */
      readonly offsetFrame: number;
      /** When the frame was decoded */
      readonly timestamp: string;
      /** Left edge of the box: pixels from the left edge of the frame */
      readonly x: number;
      /** Upper edge of the box: pixels from the upper edge of the frame */
      readonly y: number;
      /** Width of the box: pixels */
      readonly width: number;
      /** Height of the box: pixels */
      readonly height: number;
      /** Confidence, usually from 0 to 1; -1: the detector gives none */
      readonly confidence: number;
      /** Properties of the detection, by name */
      readonly detectionProperties: Readonly<Record<string, string>>;
    };
    /** The detections in this segment, by frame */
    readonly detections: readonly {
      /** Number of the frame since the start of the stream, from 0 */
      readonly offsetFrame: number;
      /** When the frame was decoded */
      readonly timestamp: string;
      /** Left edge of the box: pixels from the left edge of the frame */
      readonly x: number;
      /** Upper edge of the box: pixels from the upper edge of the frame */
      readonly y: number;
      /** Width of the box: pixels */
      readonly width: number;
      /** Height of the box: pixels */
      readonly height: number;
      /** Confidence, usually from 0 to 1; -1: the detector gives none */
      readonly confidence: number;
      /** Properties of the detection, by name */
      readonly detectionProperties: Readonly<Record<string, string>>;
    }[];
  }[]>>;
}

export interface SystemMessage {
  /** Number of the message */
  readonly id: number;
  /** Text of the message */
  readonly msg: string;
  /** When it was posted */
  readonly datePosted: string;
  /** Name of a predefined message; there are none */
  readonly msgEnum: string | null;
  /** Who sees it */
  readonly msgType: 'all' | 'admin' | 'login';
  /** When it is removed: at the next start of the server, or when it is deleted */
  readonly removeStrategy: 'atServerStartup' | 'manual';
  /** How it is shown */
  readonly severity: 'info' | 'warning' | 'error';
}

export interface Task {
  /** Trimmed and in upper case */
  readonly name: string;
  /** What the task does */
  readonly description: string;
  /** Names; all run at a time */
  readonly actions: readonly string[];
  /** With details=true: problems for jobs that use it */
  readonly warnings?: readonly string[] | undefined;
  /** With details=true: whether the caller may remove it */
  readonly removable?: boolean | undefined;
  /** With details=true: the component that registered it; null: a user stored it */
  readonly component?: string | null | undefined;
}

export interface TaskCreation {
  /** Name of the task */
  readonly name: string;
  /** What it does, in a sentence */
  readonly description: string;
  /** Names of actions, which run at a time */
  readonly actions: readonly string[];
}

export interface Track {
  /** The same input gives the same id */
  readonly id: string;
  /** Number of the track within its action and medium */
  readonly index: number;
  /** Frame of the first detection, from 0 */
  readonly startOffsetFrame: number;
  /** Frame of the last detection, inclusive */
  readonly stopOffsetFrame: number;
  /** Milliseconds from the start of the medium */
  readonly startOffsetTime: number;
  /** Milliseconds; of a video the time of the last frame */
  readonly stopOffsetTime: number;
  /** Type of the track, such as FACE, CLASS, TEXT, SPEECH or MOTION */
  readonly type: string;
  /** Name of the action */
  readonly source: string;
  /** Confidence of the exemplar; -1: the detector gives none */
  readonly confidence: number;
  /** Properties of the whole track, by name */
  readonly trackProperties: Readonly<Record<string, string>>;
  /** The detection that shows the track best; EXEMPLAR_POLICY chooses it */
  readonly exemplar: Detection;
  /** All its detections, by frame */
  readonly detections: readonly Detection[];
}

export interface TrackCounts {
  /** Length of an interval: milliseconds */
  readonly intervalMs: number;
  /** Intervals from the start of the medium to its last finding */
  readonly intervals: number;
  /** The most frequent first, at most 50 */
  readonly series: readonly {
    /** Type of the tracks */
    readonly type: string;
    /** Their CLASSIFICATION */
    readonly class: string | null;
    /** Tracks in the whole medium */
    readonly total: number;
    /** Tracks that begin in each interval */
    readonly begins: readonly number[];
    /** Tracks with a part in each interval */
    readonly present: readonly number[];
  }[];
  /** Less frequent series that are left out */
  readonly omitted: number;
  readonly partial?: MediumProgress | undefined;
}

/** In the order in which they begin */
export interface TrackPage {
  /** The tracks that fit the query */
  readonly tracks: readonly {
    /** Number within the medium, from 0 */
    readonly n: number;
    /** The lane of the track, as the lanes of the medium number them */
    readonly lane: number;
    /** Id of the track in the document */
    readonly id: string;
    /** Begin of the track: milliseconds from the start of the medium */
    readonly startMs: number;
    /** End of the track: milliseconds from the start of the medium */
    readonly stopMs: number;
    /** The first frame of the track, from 0 */
    readonly startFrame: number;
    /** The last frame of the track, inclusive */
    readonly stopFrame: number;
    /** Confidence of the exemplar; -1: the detector gives none */
    readonly confidence: number;
    /** Class or text of the track */
    readonly label: string | null;
    /** Properties of the track, and of its exemplar. Long values are cut */
    readonly properties: Readonly<Record<string, string>>;
    /** The frame of the exemplar; null: it has no box */
    readonly exemplarFrame: number | null;
    /** The time of the exemplar: milliseconds; null: it has no box */
    readonly exemplarMs: number | null;
    /** artifactPath of the exemplar */
    readonly artifact: string | null;
  }[];
  /** Number of all tracks that match */
  readonly total: number;
  readonly partial?: MediumProgress | undefined;
}

/** Parameters of POST /rest/media */
export interface UploadMediumQuery {
  /** Name of the file. mediaUri ends with it, with unusual characters replaced; its extension helps to distinguish text formats */
  readonly name?: string | undefined;
}

export interface UploadedMedium {
  /** The id from the answer to the upload */
  readonly id: string;
  /** The mediaUri for jobs of this service */
  readonly mediaUri: string;
  /** SHA-256 of the file in hexadecimal digits; equal files are stored once */
  readonly sha256: string;
  /** Size of the file: bytes */
  readonly bytes: number;
  /** When the server removes it; later if a live job still uses it */
  readonly expires: string;
}

export interface UsageReport {
  /** Group of each total */
  readonly by: 'user' | 'group' | 'pipeline' | 'component';
  /** The first day, in UTC */
  readonly from: string;
  /** The last day, in UTC */
  readonly to: string;
  /** Most processing time first */
  readonly usage: readonly {
    /** User, group, pipeline or algorithm */
    readonly name: string;
    /** Runs of jobs that ended in these days */
    readonly jobs: number;
    /** Media of their requests */
    readonly media: number;
    /** Of the files of all media, also of extracted media */
    readonly bytes: number;
    /** Time that components worked on them: wall time of processes, no CPU time */
    readonly processingSeconds: number;
    /** CPU time of their processes, of all cores together, as far as components report it */
    readonly cpuSeconds: number;
    /** The part of processingSeconds for which the component reported no CPU time */
    readonly processingSecondsWithoutCpu: number;
  }[];
}

/** Models that can make vectors of other pictures */
export interface VectorModels {
  /** The one of the newest vectors first; it is used if a request names no model */
  readonly models: readonly {
    /** As vectorModel of a hit */
    readonly model: string;
    /** Algorithm of its tracks; words need ONNX */
    readonly algorithm: string;
  }[];
  /** false: the search does not have all documents yet */
  readonly complete: boolean;
}

export interface ViewedMedium {
  /** Place in the document, from 0 */
  readonly n: number;
  /** mediaId of the medium in the document */
  readonly mediaId: number;
  /** The medium that it was extracted from; -1: the request named it */
  readonly parentMediaId: number;
  /** Its URI without secrets */
  readonly uri: string;
  /** Media type, such as video/mp4 */
  readonly mimeType: string;
  /** VIDEO, IMAGE, AUDIO or UNKNOWN; documents are UNKNOWN */
  readonly mediaType: string;
  /** Frames of a video, 1 for an image, -1 for all else */
  readonly length: number;
  /** As in the document; WAITING or IN_PROGRESS while the job works on it */
  readonly status: string;
  /** What the inspection found, such as FPS, DURATION (milliseconds) and FRAME_WIDTH (pixels) */
  readonly metadata: Readonly<Record<string, string>>;
  /** While an action runs, as many as its finished parts have reported; some may be joined later */
  readonly tracks: number;
  /** While the job runs, those of finished actions */
  readonly detections: number;
  /** What was found, most tracks first; the first 20. While the job runs, of finished actions */
  readonly findings: readonly {
    /** Type of the tracks, such as FACE */
    readonly type: string;
    /** Their CLASSIFICATION; null: they have none, or the job runs */
    readonly class: string | null;
    /** Tracks of this type and class */
    readonly tracks: number;
  }[];
  /** Different people in it; null: FACE EMBEDDING did not run, or its faces are not in groups (yet) */
  readonly people: number | null;
  /** Cues of the formats vtt and srt; 0: those formats are refused */
  readonly cues: number;
  /** Events in the zones of the job; null: it has no zones or still runs, or the medium has no pictures */
  readonly zoneEvents: number | null;
  /** The first 100 */
  readonly issues: readonly {
    /** errors: something failed; warnings: nothing failed */
    readonly kind: 'errors' | 'warnings';
    /** What reports it: an action, an algorithm or the server */
    readonly source: string;
    /** Stable name of the cause; docs/reference/error-codes.md lists all */
    readonly code: string;
    /** Description of the problem */
    readonly message: string;
  }[];
  readonly partial?: MediumProgress | undefined;
}

/** Why no sub-job of a live job runs */
export interface WaitingFor {
  /** ADMISSION: too many jobs are in progress. ARCHIVE: the search for an equal earlier job. TRANSFER: another host. PAUSED: the queue is paused, or the server drains. COMPONENT: a component that does not run. QUEUE: work before it. */
  readonly kind: 'ADMISSION' | 'ARCHIVE' | 'TRANSFER' | 'PAUSED' | 'COMPONENT' | 'QUEUE';
  /** A sentence for people */
  readonly reason: string;
  /** Where its next sub-job waits, as GET /rest/queues names it */
  readonly queue?: string | undefined;
  /** 1: it is the next one */
  readonly position?: number | undefined;
  /** The service that processes the queue */
  readonly service?: string | undefined;
}

/** Parameters of GET /rest/jobs/events */
export interface WatchJobsQuery {
  /** Maximum number of jobs on a page */
  readonly limit?: number | undefined;
  /** Value of next from the previous page */
  readonly before?: string | undefined;
  /** Only jobs with one of these statuses */
  readonly status?: readonly JobStatus[] | undefined;
  /** Only jobs of this pipeline */
  readonly pipelineName?: string | undefined;
  /** Only jobs with this external id */
  readonly externalId?: string | undefined;
  /** Only jobs with all of these labels */
  readonly label?: readonly string[] | undefined;
  /** Only jobs with this in the URI of a medium */
  readonly medium?: string | undefined;
  /** Only jobs of this group of GET /rest/failures */
  readonly failure?: string | undefined;
  /** Only jobs that started then or later */
  readonly startedFrom?: string | undefined;
  /** Only jobs that started before it */
  readonly startedTo?: string | undefined;
  /** Only jobs that ended then or later */
  readonly endedFrom?: string | undefined;
  /** Only jobs that ended before it */
  readonly endedTo?: string | undefined;
  /** true: jobs that have ended; false: the others */
  readonly terminal?: boolean | undefined;
}

export interface Zone {
  /** Letters, digits, spaces, "_" and "-" */
  readonly name: string;
  /** At least 3 corners, in fractions of the picture */
  readonly points: readonly (readonly [number, number])[];
}

export interface ZoneEvent {
  /** What happened */
  readonly event: 'trackBegan' | 'classChanged' | 'trackEnded' | 'entered' | 'left' | 'crossed' | 'rule';
  /** When it happened: milliseconds since the epoch; of a file: since its start */
  readonly at: number;
  /** Number of the frame */
  readonly frame: number;
  /** The track, by the name of its first component */
  readonly track: string;
  /** CLASSIFICATION or type of the track, in upper case */
  readonly class: string;
  /** Confidence of the detection */
  readonly confidence: number;
  /** Box of the detection: pixels of the picture */
  readonly box: {
    /** Left edge: pixels */
    readonly x: number;
    /** Upper edge: pixels */
    readonly y: number;
    /** Width of the box: pixels */
    readonly width: number;
    /** Height of the box: pixels */
    readonly height: number;
  };
  /** Zone in which it happened */
  readonly zone?: string | undefined;
  /** Line that was crossed */
  readonly line?: string | undefined;
  /** Rule that caused the event */
  readonly rule?: string | undefined;
  /** Of a crossing */
  readonly direction?: 'TO_RIGHT' | 'TO_LEFT' | undefined;
  /** Tracks in the zone from now on */
  readonly occupancy?: number | undefined;
  /** Since when the track was in the zone */
  readonly since?: number | undefined;
  /** Time in the zone: milliseconds */
  readonly dwellMs?: number | undefined;
  /** The class before, when it changed */
  readonly before?: string | undefined;
  /** Of a rule: its kind of event */
  readonly kind?: 'ENTER' | 'LEAVE' | 'DWELL' | 'CROSS' | 'COUNT' | undefined;
  /** The same in each delivery */
  readonly id: string;
  /** The streaming job */
  readonly jobId: number;
  /** `at` in ISO 8601, UTC */
  readonly time: string;
  /** Newest picture of the track: a data: URI of a JPEG */
  readonly crop?: string | undefined;
  /** Frame of the picture; absent: that of the event */
  readonly cropFrame?: number | undefined;
  /** Time of the picture; absent: that of the event */
  readonly cropAt?: number | undefined;
  /** Path of its clip, 5 seconds longer at both ends; in webhooks and on MQTT a URL, if BASE_URL is set; absent: not recorded */
  readonly clip?: string | undefined;
}

export interface ZoneRequest {
  /** Letters, digits, spaces, "_" and "-" */
  readonly name: string;
  /** At least 3 corners, in fractions of the picture */
  readonly points: readonly (readonly [number, number])[];
}

export interface ZoneRun {
  /** The first 1000, in the order of their times */
  readonly events: readonly {
    /** What happened */
    readonly event: 'trackBegan' | 'classChanged' | 'trackEnded' | 'entered' | 'left' | 'crossed' | 'rule';
    /** When it happened: milliseconds since the epoch; of a file: since its start */
    readonly at: number;
    /** Number of the frame */
    readonly frame: number;
    /** The track, by the name of its first component */
    readonly track: string;
    /** CLASSIFICATION or type of the track, in upper case */
    readonly class: string;
    /** Confidence of the detection */
    readonly confidence: number;
    /** Box of the detection: pixels of the picture */
    readonly box: {
      /** Left edge: pixels */
      readonly x: number;
      /** Upper edge: pixels */
      readonly y: number;
      /** Width of the box: pixels */
      readonly width: number;
      /** Height of the box: pixels */
      readonly height: number;
    };
    /** Zone in which it happened */
    readonly zone?: string | undefined;
    /** Line that was crossed */
    readonly line?: string | undefined;
    /** Rule that caused the event */
    readonly rule?: string | undefined;
    /** Of a crossing */
    readonly direction?: 'TO_RIGHT' | 'TO_LEFT' | undefined;
    /** Tracks in the zone from now on */
    readonly occupancy?: number | undefined;
    /** Since when the track was in the zone */
    readonly since?: number | undefined;
    /** Time in the zone: milliseconds */
    readonly dwellMs?: number | undefined;
    /** The class before, when it changed */
    readonly before?: string | undefined;
    /** Of a rule: its kind of event */
    readonly kind?: 'ENTER' | 'LEAVE' | 'DWELL' | 'CROSS' | 'COUNT' | undefined;
  }[];
  /** Number of further events */
  readonly omitted: number;
  /** All events, counted */
  readonly counts: {
    /** Tracks that began, by class */
    readonly classes: Readonly<Record<string, number>>;
    /** Entries, exits, and the sum of the times of those who left (milliseconds), by zone */
    readonly zones: Readonly<Record<string, {
      /** Tracks that came in */
      readonly entered: number;
      /** Tracks that went out or ended */
      readonly left: number;
      /** Time in the zone of those that left: milliseconds */
      readonly dwellMs: number;
    }>>;
    /** Crossings by line */
    readonly lines: Readonly<Record<string, {
      /** Crossings to the right, seen along the line */
      readonly toRight: number;
      /** Crossings to the left */
      readonly toLeft: number;
    }>>;
    /** Events by rule */
    readonly rules: Readonly<Record<string, number>>;
  };
  /** The most tracks at a time, by zone */
  readonly most: Readonly<Record<string, number>>;
  /** Parts of the request without effect */
  readonly warnings: readonly string[];
  readonly partial?: MediumProgress | undefined;
}

export interface ZoneRunRequest {
  /** Areas of the picture, in fractions */
  readonly zones?: readonly ZoneRequest[] | null | undefined;
  /** Lines in the picture whose crossings are counted */
  readonly lines?: readonly LineRequest[] | null | undefined;
  /** When something in a zone or at a line is an event */
  readonly rules?: readonly RuleRequest[] | null | undefined;
  /** The point of a box that counts: BOTTOM (middle of the lower edge; default) or CENTER */
  readonly anchor?: 'BOTTOM' | 'CENTER' | null | undefined;
  /** Time at which the medium begins, for rules with times; absent: they always apply */
  readonly startsAt?: string | undefined;
}
