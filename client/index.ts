/** The REST interface of Troupe for programs (`@troupe/client`). */
export type * from './answers.ts';
export { download, type Download } from './download.ts';
export { ClientError, IncompleteError, RefusedError, UnreachableError } from './errors.ts';
export { follow } from './follow.ts';
export { RestClient, type CreatedJob, type DocumentForm } from './rest-client.ts';
export { givenToken, renewedToken, type TokenSource } from './token-source.ts';
export type { Answer, Call, RetryPolicy } from './transport.ts';
export { Client } from './verbs/client.ts';
export { detections, tracks, type FoundDetection, type FoundTrack } from './verbs/findings.ts';
export type { StoredMedium, UploadOptions } from './verbs/media.ts';
export { Streams } from './verbs/streams.ts';
export { watchJob, type Watcher } from './watch.ts';
export { watchStream, type LiveEvent, type StreamWatcher } from './watch-stream.ts';
