/** Every code of an error answer: its usual status, its meaning, and advice for the caller. Codes never change. */

interface ErrorCodeText {
  /** Usual status. A few answers of the specification have another status. */
  readonly status: number;
  readonly meaning: string;
  readonly advice: string;
}

export const ERROR_CODES = {
  // Any request
  'invalid-url': {
    status: 400,
    meaning: 'The URL is not valid.',
    advice: 'Encode special characters.',
  },
  'invalid-parameter': {
    status: 400,
    meaning: 'A value in the path, the query or a header is wrong.',
    advice: 'Correct it.',
  },
  'invalid-body': {
    status: 400,
    meaning: 'A member of the body is wrong or missing.',
    advice: 'Correct it.',
  },
  'unknown-member': {
    status: 400,
    meaning: 'The body has an unknown member (STRICT_REQUESTS=true).',
    advice: 'Correct or remove it.',
  },
  'invalid-json': {
    status: 400,
    meaning: 'The body is not valid JSON in UTF-8.',
    advice: 'Correct the place that the message names.',
  },
  'body-missing': {
    status: 400,
    meaning: 'The request has no body.',
    advice: 'Send it with Content-Type and Content-Length.',
  },
  'body-incomplete': {
    status: 400,
    meaning: 'The connection closed before the end of the body.',
    advice: 'Send the request again.',
  },
  'body-too-deep': {
    status: 400,
    meaning: 'The body nests too many objects and lists.',
    advice: 'Send a flatter body.',
  },
  'body-timeout': {
    status: 408,
    meaning: 'The body did not arrive in time.',
    advice: 'Send a smaller body.',
  },
  'body-too-large': {
    status: 413,
    meaning: 'The body is larger than the limit in the message.',
    advice: 'Send a smaller body.',
  },
  unauthorized: {
    status: 401,
    meaning: 'The access token is missing, invalid or expired.',
    advice: 'Send a new one.',
  },
  'role-required': {
    status: 403,
    meaning: 'The roles of the token do not allow this.',
    advice: 'Use a token with the role that the message names.',
  },
  'foreign-origin': {
    status: 403,
    meaning: 'A page of another website sent this request.',
    advice: 'Use a page of this server, or an access token.',
  },
  'path-not-found': {
    status: 404,
    meaning: 'The server has no such path.',
    advice: 'Compare it with the REST API reference.',
  },
  'method-not-allowed': {
    status: 405,
    meaning: 'The path does not have this method.',
    advice: 'Use a method of the `Allow` header.',
  },
  'range-not-satisfiable': {
    status: 416,
    meaning: 'The file ends before the requested `Range`.',
    advice: 'See `Content-Range` for its length.',
  },
  'internal-error': {
    status: 500,
    meaning: 'The server failed unexpectedly.',
    advice: 'Search its log for the request id.',
  },
  overloaded: {
    status: 503,
    meaning: 'The server is busy, stops, or cannot reach its store. Nothing was changed.',
    advice: 'Repeat after `Retry-After`.',
  },
  'provider-unavailable': {
    status: 503,
    meaning: 'The identity provider does not answer.',
    advice: 'Repeat after `Retry-After`.',
  },
  'not-ready': {
    status: 503,
    meaning: 'The server stops or cannot store anything.',
    advice: 'Use another server, or wait.',
  },

  // Jobs
  'job-not-found': {
    status: 404,
    meaning: 'No job has this id.',
    advice: 'List jobs with `GET /rest/jobs` or `GET /rest/streaming/jobs`.',
  },
  'job-of-another-user': {
    status: 403,
    meaning: 'The job belongs to another user.',
    advice: 'Ask its owner or an ADMIN.',
  },
  'owner-unknown': {
    status: 403,
    meaning: 'The token does not name its user.',
    advice: 'Use a token with a subject.',
  },
  'priority-too-high': {
    status: 400,
    meaning: 'Only an ADMIN may use this priority (MAX_USER_PRIORITY).',
    advice: 'Use a lower one.',
  },
  'limit-reached': {
    status: 429,
    meaning: 'The user has reached a limit of USER_LIMITS.',
    advice: 'Repeat after `Retry-After`. `RateLimit-Policy` names the limit.',
  },
  'key-not-found': {
    status: 404,
    meaning: 'You have no such API key.',
    advice: 'List yours with `GET /rest/keys`.',
  },
  'session-not-found': {
    status: 404,
    meaning: 'You have no such session, or it has ended.',
    advice: 'List yours with `GET /rest/sessions`.',
  },
  'search-not-found': {
    status: 404,
    meaning: 'You have no such saved search.',
    advice: 'List yours with `GET /rest/searches`.',
  },
  'person-not-found': {
    status: 404,
    meaning: 'No job that you may see has this person.',
    advice: 'List people with `GET /rest/people`.',
  },
  'track-of-no-person': {
    status: 404,
    meaning: 'The person lacks a track of the split.',
    advice: 'Take the tracks from `GET /rest/people/{id}`.',
  },
  'person-of-others': {
    status: 403,
    meaning: 'The person is in jobs of other users.',
    advice: 'Ask an ADMIN.',
  },
  'person-merged-with-itself': {
    status: 400,
    meaning: 'Both ids mean one person.',
    advice: 'Name another person.',
  },
  'people-not-comparable': {
    status: 409,
    meaning: 'The models of two people, or the users who see them, differ.',
    advice: 'Run one FACE EMBEDDING model on all media.',
  },
  'person-without-tracks': {
    status: 409,
    meaning: 'The split names all tracks of the person.',
    advice: 'Leave one, or rename the person.',
  },
  'too-many-searches': {
    status: 409,
    meaning: 'You have saved 100 searches.',
    advice: 'Delete one.',
  },
  'too-many-keys': {
    status: 409,
    meaning: 'The user has too many API keys.',
    advice: 'Revoke one.',
  },
  'job-not-finished': {
    status: 409,
    meaning: 'The job is in progress.',
    advice: 'Wait for its end, or cancel it.',
  },
  'job-finished': {
    status: 409,
    meaning: 'The job has ended.',
    advice: 'Read its detection document, or resubmit it.',
  },
  'nothing-to-retry': {
    status: 409,
    meaning: 'Nothing in the job failed, or results that a retry keeps are missing.',
    advice: 'Resubmit the job.',
  },
  'invalid-job': {
    status: 400,
    meaning: 'The job cannot be created.',
    advice: 'Correct what the message names. `?dryRun=true` checks a request.',
  },
  'delivery-not-found': {
    status: 404,
    meaning: 'No callback has this id, or its job has run again.',
    advice: 'List callbacks with `GET /rest/deliveries`.',
  },
  'model-not-found': {
    status: 400,
    meaning: 'No server or node has the model, or its format is wrong.',
    advice: 'Correct the property, or install the model.',
  },
  'media-unusable': {
    status: 400,
    meaning: 'The server can read no medium of the job.',
    advice: 'Correct the URIs, or upload the files.',
  },
  'media-outside-roots': {
    status: 400,
    meaning: 'The media are outside MEDIA_ROOTS.',
    advice: 'Add their folder, or upload them.',
  },
  'too-many-media': {
    status: 400,
    meaning: 'The job has too many media.',
    advice: 'Split them between several jobs.',
  },
  'idempotency-key-reused': {
    status: 422,
    meaning: 'The `Idempotency-Key` belongs to a request with another body.',
    advice: 'Use a new key, or the same body.',
  },
  'document-not-found': {
    status: 404,
    meaning: 'The job has no detection document.',
    advice: 'Wait for its end.',
  },
  'document-lost': {
    status: 500,
    meaning: 'The file of the detection document is missing.',
    advice: 'Restore `output-objects` from a backup, or resubmit the job.',
  },
  'archived-document-unavailable': {
    status: 502,
    meaning: 'The document cannot be downloaded from its archive.',
    advice: 'Check that the server reaches the archive.',
  },
  'export-unavailable': {
    status: 400,
    meaning: 'This job cannot be exported in this format.',
    advice: 'Request another one.',
  },
  'archive-repost-failed': {
    status: 500,
    meaning: 'Results of some jobs could not be posted.',
    advice: 'Correct the reasons in `failures`, and send their ids again.',
  },
  'job-file-not-found': {
    status: 404,
    meaning: 'The job has no such medium, frame or file.',
    advice: 'Its detection document names all files.',
  },
  'recording-not-found': {
    status: 404,
    meaning: 'Nothing is recorded of this time.',
    advice: 'See `GET /rest/streaming/jobs/{id}/recordings`.',
  },
  'live-picture-unavailable': {
    status: 404,
    meaning: 'The stream is stalled, or its job has ended.',
    advice: 'Check its status.',
  },

  // Pipelines and components
  'pipeline-not-found': {
    status: 404,
    meaning: 'No pipeline has this name.',
    advice: 'List them with `GET /rest/pipelines`.',
  },
  'task-not-found': {
    status: 404,
    meaning: 'No task has this name.',
    advice: 'List them with `GET /rest/tasks`.',
  },
  'action-not-found': {
    status: 404,
    meaning: 'No action has this name.',
    advice: 'List them with `GET /rest/actions`.',
  },
  'algorithm-not-found': {
    status: 404,
    meaning: 'No algorithm has this name.',
    advice: 'List them with `GET /rest/algorithms`.',
  },
  'component-not-found': {
    status: 404,
    meaning: 'No component has this name.',
    advice: 'List them with `GET /rest/components`.',
  },
  'component-managed': {
    status: 409,
    meaning: 'An installed component has this name.',
    advice: 'Choose another name.',
  },
  'name-taken': {
    status: 409,
    meaning: 'Another element has this name.',
    advice: 'Choose another name, or delete that element.',
  },
  'secret-hidden': {
    status: 409,
    meaning: 'The request contains the placeholder of a secret.',
    advice: 'Send the secret itself.',
  },
  'catalog-full': {
    status: 400,
    meaning: 'The catalog is full.',
    advice: 'Delete unused elements.',
  },

  // Other resources
  'operation-not-found': {
    status: 404,
    meaning: 'No operation has this id.',
    advice: 'List the operations. They are deleted 7 days after their end.',
  },
  'operation-finished': {
    status: 409,
    meaning: 'The operation has ended or is being cancelled.',
    advice: 'Look at its status.',
  },
  'queue-not-found': {
    status: 404,
    meaning: 'No queue has this name.',
    advice: 'List them with `GET /rest/queues`.',
  },
  'too-many-pauses': {
    status: 409,
    meaning: 'Too many queues, services and nodes are paused.',
    advice: 'Resume some.',
  },
  'node-not-found': {
    status: 404,
    meaning: 'No node has this name.',
    advice: 'List them with `GET /rest/nodes`.',
  },
  'server-not-found': {
    status: 404,
    meaning: 'No server has a node with this name.',
    advice: 'List them with `GET /rest/nodes`.',
  },
  'service-not-found': {
    status: 404,
    meaning: 'No connected node has this service.',
    advice: 'List them with `GET /rest/nodes/info`.',
  },
  'invalid-node-configuration': {
    status: 400,
    meaning: 'The node configuration cannot be used.',
    advice: 'Correct it, and send all of it again.',
  },
  'too-many-system-messages': {
    status: 400,
    meaning: 'The server cannot keep further system messages.',
    advice: 'Delete old ones.',
  },
  'upload-not-found': {
    status: 404,
    meaning: 'The upload was deleted or has expired.',
    advice: 'Upload the file again.',
  },
  'upload-in-use': {
    status: 409,
    meaning: 'A live job uses this upload.',
    advice: 'Wait for its end, or cancel it.',
  },
  'upload-offset-wrong': {
    status: 409,
    meaning: 'The piece does not begin where the upload ends.',
    advice: 'Read `received` with `GET /rest/media/{id}/pieces`.',
  },
  'upload-too-large': {
    status: 413,
    meaning: 'The file, or all uploads of the user, exceed the limit.',
    advice: 'Delete other uploads.',
  },
  'upload-is-form': {
    status: 415,
    meaning: 'The body is an HTML form.',
    advice: 'Send the file itself: `curl --data-binary @FILE`.',
  },
  'storage-full': {
    status: 507,
    meaning: 'The server has no space for this file.',
    advice: 'Delete uploads and old jobs.',
  },
  'search-disabled': {
    status: 501,
    meaning: 'The search is turned off.',
    advice: 'Ask the operator to set SEARCH.',
  },
  'track-not-found': {
    status: 404,
    meaning: 'The search has no such track.',
    advice: 'Take its ids from a hit of `GET /rest/search`.',
  },
  'track-without-vector': {
    status: 409,
    meaning: 'The track has no vector (FEATURE).',
    advice: 'Run a model that makes vectors (INCLUDE_FEATURES).',
  },
  'picture-without-vector': {
    status: 409,
    meaning: 'The model made no vector of the picture or the words.',
    advice: 'Run the pipeline on the picture to see why. For words, set TEXT_MODEL_NAME.',
  },
  'vectors-not-found': {
    status: 404,
    meaning: 'The search has no vectors of this model.',
    advice: 'Take `vectorModel` of a hit.',
  },
  'vector-invalid': {
    status: 400,
    meaning: 'The vector has NaN, infinity or only zeros, is too long, or is not base64.',
    advice: 'Send it as the model makes it.',
  },
  'vector-dimension': {
    status: 400,
    meaning: 'The vector has another length than those of the model.',
    advice: 'Use the same model.',
  },
  'backup-unsupported': {
    status: 501,
    meaning: 'The server keeps its states in Redis.',
    advice: 'Back up Redis and DATA_DIR.',
  },

  // Components and nodes
  'algorithm-not-allowed': {
    status: 403,
    meaning: 'The token may not claim work for these algorithms.',
    advice: 'Register the component with the same client, or be an ADMIN.',
  },
  'lease-lost': {
    status: 409,
    meaning: 'The lease has expired, or the job has ended.',
    advice: 'Claim other work.',
  },
  'already-answered': {
    status: 409,
    meaning: 'The sub-job has another answer from this component.',
    advice: 'Claim other work.',
  },
  'invalid-result': {
    status: 422,
    meaning: 'The result violates the protocol. This counts as an attempt.',
    advice: 'Correct the component.',
  },
  'answer-refused': {
    status: 400,
    meaning: 'The lease does not allow this kind of answer.',
    advice: 'Send the kind that the message names.',
  },
  'medium-not-found': {
    status: 404,
    meaning: 'The sub-job has no such medium or frame.',
    advice: 'Report a failure of the sub-job.',
  },
  'medium-gone': {
    status: 410,
    meaning: 'The medium was deleted or replaced.',
    advice: 'Report a failure of the sub-job.',
  },
  'invalid-node-report': {
    status: 400,
    meaning: 'The report is wrong, or is about another node.',
    advice: 'Run the same version on node and server.',
  },
  'node-refused': {
    status: 403,
    meaning: 'The token is not for this node.',
    advice: 'Use `troupe token --node`, or the role of a node.',
  },
  'node-conflict': {
    status: 409,
    meaning: 'Another node has this name, or the versions do not match.',
    advice: 'Choose another name, or install the version of the server.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeText>>;

export type ErrorCode = keyof typeof ERROR_CODES;
