/** Every code of an error answer: its usual status, what is wrong, and what the caller does about it. Codes never change. */

interface ErrorCodeText {
  /** A few answers of the specification have another status. */
  readonly status: number;
  readonly meaning: string;
  readonly advice: string;
}

export const ERROR_CODES = {
  // Any request
  'invalid-url': {
    status: 400,
    meaning: 'The path or URL is not valid.',
    advice: 'Encode special characters of the path.',
  },
  'invalid-parameter': {
    status: 400,
    meaning: 'A value in the path, the query or a header is wrong.',
    advice: 'Correct the value that the message names.',
  },
  'invalid-body': {
    status: 400,
    meaning: 'A member of the body has a wrong value or is missing.',
    advice: 'Correct the members that the message names.',
  },
  'unknown-member': {
    status: 400,
    meaning: 'The body has an unknown member, and the server runs with STRICT_REQUESTS=true.',
    advice: 'Correct or remove the member that the message names.',
  },
  'invalid-json': {
    status: 400,
    meaning: 'The body is not valid JSON, or not UTF-8.',
    advice: 'Correct the place that the message names.',
  },
  'body-missing': {
    status: 400,
    meaning: 'The request has no body.',
    advice: 'Send the body, with its Content-Type and Content-Length.',
  },
  'body-incomplete': {
    status: 400,
    meaning: 'The connection closed before the end of the body.',
    advice: 'Send the request again.',
  },
  'body-too-deep': {
    status: 400,
    meaning: 'The body has too many levels of nested objects and lists.',
    advice: 'Send a flatter body.',
  },
  'body-timeout': {
    status: 408,
    meaning: 'The body did not arrive in time.',
    advice: 'Use a faster connection, or send a smaller body.',
  },
  'body-too-large': {
    status: 413,
    meaning: 'The body is larger than the limit in the message.',
    advice: 'Send smaller requests, or ask the operator for a higher limit.',
  },
  unauthorized: {
    status: 401,
    meaning: 'The access token is missing, invalid or expired.',
    advice: 'Send a new one as `Authorization: Bearer <token>`.',
  },
  'role-required': {
    status: 403,
    meaning: 'The token is valid, but its roles do not allow this request.',
    advice: 'Use a token with the role that the message names.',
  },
  'foreign-origin': {
    status: 403,
    meaning: 'A page of another website sent this request with a session cookie.',
    advice: 'Use a page of this server, or send an access token.',
  },
  'path-not-found': {
    status: 404,
    meaning: 'The server has no resource at this path.',
    advice: 'Compare the path with the REST API reference.',
  },
  'method-not-allowed': {
    status: 405,
    meaning: 'The path exists, but not with this HTTP method.',
    advice: 'Use a method of the `Allow` header.',
  },
  'range-not-satisfiable': {
    status: 416,
    meaning: 'The file ends before the part that the `Range` header requests.',
    advice: 'Request a part within the length in `Content-Range`.',
  },
  'internal-error': {
    status: 500,
    meaning: 'The server failed in an unexpected way.',
    advice: 'Search the log for the request id in the message.',
  },
  overloaded: {
    status: 503,
    meaning: 'The server is busy, is shutting down, or cannot reach its store. Nothing was changed.',
    advice: 'Repeat the request after the seconds in `Retry-After`.',
  },
  'provider-unavailable': {
    status: 503,
    meaning: 'The identity provider does not answer.',
    advice: 'Repeat the request after the seconds in `Retry-After`.',
  },
  'not-ready': {
    status: 503,
    meaning: 'The server is shutting down or cannot store anything.',
    advice: 'Send requests to another server of the cluster, or wait.',
  },

  // Jobs
  'job-not-found': {
    status: 404,
    meaning: 'The server has no job with this id.',
    advice: 'List the jobs with `GET /rest/jobs` or `GET /rest/streaming/jobs`.',
  },
  'job-of-another-user': {
    status: 403,
    meaning: 'The job belongs to another user.',
    advice: 'Ask the owner of the job or an ADMIN.',
  },
  'owner-unknown': {
    status: 403,
    meaning: 'The token does not say who its user is.',
    advice: 'Use a token with a subject.',
  },
  'priority-too-high': {
    status: 400,
    meaning: 'Users without the role ADMIN cannot use this priority (MAX_USER_PRIORITY).',
    advice: 'Use a lower priority.',
  },
  'limit-reached': {
    status: 429,
    meaning: 'The user has reached a limit of USER_LIMITS.',
    advice: 'Wait for the seconds in `Retry-After`. `RateLimit-Policy` names the limit.',
  },
  'key-not-found': {
    status: 404,
    meaning: 'You have no API key with this id.',
    advice: 'List your keys with `GET /rest/keys`.',
  },
  'session-not-found': {
    status: 404,
    meaning: 'You have no session with this id, or it has ended.',
    advice: 'List your sessions with `GET /rest/sessions`.',
  },
  'search-not-found': {
    status: 404,
    meaning: 'You have no saved search with this id.',
    advice: 'List your saved searches with `GET /rest/searches`.',
  },
  'person-not-found': {
    status: 404,
    meaning: 'There is no person with this id, or none in jobs that you may see.',
    advice: 'List people with `GET /rest/people`.',
  },
  'track-of-no-person': {
    status: 404,
    meaning: 'The person does not have one of the tracks of the split.',
    advice: 'Take `jobId`, `mediaId` and `trackId` from `GET /rest/people/{id}`.',
  },
  'person-of-others': {
    status: 403,
    meaning: 'The person is in jobs of other users.',
    advice: 'Ask an ADMIN.',
  },
  'person-merged-with-itself': {
    status: 400,
    meaning: 'Both ids of the merge mean the same person.',
    advice: 'Name another person.',
  },
  'people-not-comparable': {
    status: 409,
    meaning: 'Two people cannot be merged: their models, or the users who see them, differ.',
    advice: 'Run one FACE EMBEDDING model on all media.',
  },
  'person-without-tracks': {
    status: 409,
    meaning: 'A split names all tracks of the person.',
    advice: 'Leave the person at least one track, or rename the person.',
  },
  'too-many-searches': {
    status: 409,
    meaning: 'You have saved 100 searches.',
    advice: 'Delete one that you do not need.',
  },
  'too-many-keys': {
    status: 409,
    meaning: 'The user has too many API keys.',
    advice: 'Revoke a key that you do not need.',
  },
  'job-not-finished': {
    status: 409,
    meaning: 'The job is still in progress.',
    advice: 'Wait for its end, or cancel it.',
  },
  'job-finished': {
    status: 409,
    meaning: 'The job has already ended.',
    advice: 'Read its detection document, or resubmit it.',
  },
  'nothing-to-retry': {
    status: 409,
    meaning: 'Nothing in the job failed, or the results that a retry would keep are not there.',
    advice: 'Resubmit the job to run everything again.',
  },
  'invalid-job': {
    status: 400,
    meaning: 'The job cannot be created, for example because a property has a wrong value.',
    advice: 'Correct what the message names. `POST /rest/jobs?dryRun=true` checks a request.',
  },
  'delivery-not-found': {
    status: 404,
    meaning: 'There is no callback with this id, or its job has run again.',
    advice: 'List the callbacks with `GET /rest/deliveries`.',
  },
  'model-not-found': {
    status: 400,
    meaning: 'The job needs a model that no server or node has, or whose format is wrong.',
    advice: 'Check the property that names the model, or install the model.',
  },
  'media-unusable': {
    status: 400,
    meaning: 'The server cannot read any medium of the job. The message gives the reason for each.',
    advice: 'Correct the URIs, or upload the files.',
  },
  'media-outside-roots': {
    status: 400,
    meaning: 'The media are files outside MEDIA_ROOTS.',
    advice: 'Add their folder, or upload them with `POST /rest/media`.',
  },
  'too-many-media': {
    status: 400,
    meaning: 'The request names more media than one job can have.',
    advice: 'Split the media between several jobs.',
  },
  'idempotency-key-reused': {
    status: 422,
    meaning: 'The `Idempotency-Key` belongs to an earlier request with another body.',
    advice: 'Use a new key for a new job, or send the same body again.',
  },
  'document-not-found': {
    status: 404,
    meaning: 'The job has no detection document: it has not ended, does not exist, or wrote none.',
    advice: 'Wait for the end of the job.',
  },
  'document-lost': {
    status: 500,
    meaning: 'The file of the detection document is missing on the server.',
    advice: 'Restore the output folder from a backup, or resubmit the job.',
  },
  'archived-document-unavailable': {
    status: 502,
    meaning: 'The document cannot be downloaded from the archive that has it.',
    advice: 'Check that the server reaches the archive.',
  },
  'export-unavailable': {
    status: 400,
    meaning: 'The results of this job are not available in this format.',
    advice: 'Request another format, or the detection document itself.',
  },
  'archive-repost-failed': {
    status: 500,
    meaning: 'The results of some jobs could not be posted to their archive.',
    advice: 'Correct the reasons in `failures`, then send the ids of these jobs again.',
  },
  'job-file-not-found': {
    status: 404,
    meaning: 'The job has no such medium, frame or file, or the file was deleted.',
    advice: 'The detection document of the job names all files.',
  },
  'recording-not-found': {
    status: 404,
    meaning: 'Nothing is recorded of this time, or the stream is not recorded.',
    advice: 'List what there is with `GET /rest/streaming/jobs/{id}/recordings`.',
  },
  'live-picture-unavailable': {
    status: 404,
    meaning: 'The stream sends no picture: it is stalled, or its job has ended.',
    advice: 'Check the status of the streaming job.',
  },

  // Pipelines and components
  'pipeline-not-found': {
    status: 404,
    meaning: 'No pipeline has this name.',
    advice: 'List the pipelines with `GET /rest/pipelines`.',
  },
  'task-not-found': {
    status: 404,
    meaning: 'No task has this name.',
    advice: 'List the tasks with `GET /rest/tasks`.',
  },
  'action-not-found': {
    status: 404,
    meaning: 'No action has this name.',
    advice: 'List the actions with `GET /rest/actions`.',
  },
  'algorithm-not-found': {
    status: 404,
    meaning: 'No algorithm has this name.',
    advice: 'List the algorithms with `GET /rest/algorithms`.',
  },
  'component-not-found': {
    status: 404,
    meaning: 'No component has this name.',
    advice: 'List the components with `GET /rest/components`.',
  },
  'component-managed': {
    status: 409,
    meaning: 'A component that is installed on the server has this name.',
    advice: 'Register your component with another name, or uninstall the other one.',
  },
  'name-taken': {
    status: 409,
    meaning: 'Another pipeline, task, action, algorithm or component has this name.',
    advice: 'Choose another name, or delete the other element first.',
  },
  'secret-hidden': {
    status: 409,
    meaning: 'The request contains the placeholder that answers show instead of a secret.',
    advice: 'Send the secret itself.',
  },
  'catalog-full': {
    status: 400,
    meaning: 'The catalog has as many elements as the settings allow.',
    advice: 'Delete unused elements, or ask the operator for a higher limit.',
  },

  // Other resources
  'operation-not-found': {
    status: 404,
    meaning: 'There is no operation with this id.',
    advice: 'List the operations. They are deleted 7 days after their end.',
  },
  'operation-finished': {
    status: 409,
    meaning: 'The operation has ended or is being cancelled, so it cannot be cancelled.',
    advice: 'Look at its status. Start another operation if jobs are left.',
  },
  'queue-not-found': {
    status: 404,
    meaning: 'No queue has this name.',
    advice: 'List the queues with `GET /rest/queues`.',
  },
  'too-many-pauses': {
    status: 409,
    meaning: 'Too many queues, services and nodes are paused already.',
    advice: 'Resume some of them first.',
  },
  'node-not-found': {
    status: 404,
    meaning: 'No node has this name.',
    advice: 'List the nodes with `GET /rest/nodes`.',
  },
  'server-not-found': {
    status: 404,
    meaning: 'No server has a node with this name.',
    advice: 'List the nodes with `GET /rest/nodes`.',
  },
  'service-not-found': {
    status: 404,
    meaning: 'No connected node has a service with this name.',
    advice: 'List the services with `GET /rest/nodes/info`.',
  },
  'invalid-node-configuration': {
    status: 400,
    meaning: 'The node configuration cannot be used.',
    advice: 'Correct what the message names, then send the whole configuration again.',
  },
  'too-many-system-messages': {
    status: 400,
    meaning: 'There are as many system messages as the server keeps.',
    advice: 'Delete old messages first.',
  },
  'upload-not-found': {
    status: 404,
    meaning: 'There is no upload with this id. It was deleted or has expired.',
    advice: 'Upload the file again.',
  },
  'upload-in-use': {
    status: 409,
    meaning: 'A job that has not ended uses this upload.',
    advice: 'Wait for the end of the job, or cancel it.',
  },
  'upload-offset-wrong': {
    status: 409,
    meaning: 'The piece does not begin where the upload ends.',
    advice: 'Read `received` with `GET /rest/media/{id}/pieces`, and send the next piece from there.',
  },
  'upload-too-large': {
    status: 413,
    meaning: 'The file is larger than one upload, or all uploads of one user, can be.',
    advice: 'Delete other uploads, or ask the operator for a higher limit.',
  },
  'upload-is-form': {
    status: 415,
    meaning: 'The body is an HTML form.',
    advice: 'Send the file itself as the body, for example with `curl --data-binary @FILE`.',
  },
  'storage-full': {
    status: 507,
    meaning: 'The server has no space left for this file.',
    advice: 'Delete uploads and old jobs, or ask the operator for more space.',
  },
  'search-disabled': {
    status: 501,
    meaning: 'The search is turned off on this server.',
    advice: 'Ask the operator to turn on the search (SEARCH).',
  },
  'track-not-found': {
    status: 404,
    meaning: 'The search has no such track in this job and medium.',
    advice: 'Take `jobId`, `mediaId` and `trackId` from a hit of `GET /rest/search`.',
  },
  'track-without-vector': {
    status: 409,
    meaning: 'The track has no vector (FEATURE), so it cannot be compared with others.',
    advice: 'Run a model that makes vectors, such as an ONNX model with INCLUDE_FEATURES.',
  },
  'picture-without-vector': {
    status: 409,
    meaning: 'The model made no vector of the picture or the words, because it failed or found nothing.',
    advice:
      'Send another picture or a larger box, or run the pipeline on it to see why. For words, set TEXT_MODEL_NAME.',
  },
  'vectors-not-found': {
    status: 404,
    meaning: 'The search has no vectors of this model.',
    advice: 'Take the name from `vectorModel` of a hit, or wait until the index is complete.',
  },
  'vector-invalid': {
    status: 400,
    meaning: 'The vector has NaN, infinity or only zeros, is too long, or is not base64 of floats.',
    advice: 'Send the vector as the model makes it.',
  },
  'vector-dimension': {
    status: 400,
    meaning: 'The vector has another count of numbers than the vectors of the model.',
    advice: 'Send a vector that the same model made.',
  },
  'backup-unsupported': {
    status: 501,
    meaning: 'The server keeps its states in Redis, which has its own backups.',
    advice: 'Back up Redis and DATA_DIR.',
  },

  // Components and nodes
  'algorithm-not-allowed': {
    status: 403,
    meaning: 'The token does not allow its owner to claim work for these algorithms.',
    advice: 'Register the component with the same client, or use a token with the role ADMIN.',
  },
  'lease-lost': {
    status: 409,
    meaning: 'The lease has expired, another component has it, or the job has ended.',
    advice: 'Stop this work and claim other work.',
  },
  'already-answered': {
    status: 409,
    meaning: 'The sub-job already has another answer from this component.',
    advice: 'Claim other work.',
  },
  'invalid-result': {
    status: 422,
    meaning: 'The result violates the component protocol. This counts as an attempt.',
    advice: 'Correct the component, as the message says.',
  },
  'answer-refused': {
    status: 400,
    meaning: 'The lease does not allow this kind of answer.',
    advice: 'Send the kind of answer that the message names.',
  },
  'medium-not-found': {
    status: 404,
    meaning: 'The sub-job has no such medium or frame.',
    advice: 'Report the failure of the sub-job.',
  },
  'medium-gone': {
    status: 410,
    meaning: 'The medium of the sub-job was deleted or replaced.',
    advice: 'Report the failure of the sub-job.',
  },
  'invalid-node-report': {
    status: 400,
    meaning: 'The report of the node is wrong, or is about another node.',
    advice: 'Run the same version of Troupe on the node and on the server.',
  },
  'node-refused': {
    status: 403,
    meaning: 'The token does not allow its owner to act as this node.',
    advice: 'Use a token for this node: `troupe token --node`, or the role of a node at the provider.',
  },
  'node-conflict': {
    status: 409,
    meaning: 'Another node with this name is connected, or the versions do not match.',
    advice: 'Choose another name for the node, or install the version of the server.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeText>>;

export type ErrorCode = keyof typeof ERROR_CODES;
