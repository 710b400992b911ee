/** Requests that create streaming jobs, and their answers. */
import type { z } from 'zod';
import type { StreamSubmission } from '../../../actors/streaming-service/job-service.ts';
import type { StreamChanges } from '../../../actors/streaming-service/changes.ts';
import type { StreamingJobRequest } from '../../../actors/streaming-service/request.ts';
import type { RecordingRules } from '../../../actors/streaming-job/recordings/recording-rules.ts';
import type { Refused } from '../../../actors/requests/submission.ts';
import { noteUnusedSecrets, takeCallbackSecrets } from '../../../domain/job/webhook.ts';
import { ANCHORS } from '../../../domain/zones/types.ts';
import type { Owner } from '../../../domain/users/owner.ts';
import { answerWith } from '../../routing/declaration.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import { onFailure, successResponse } from '../../schemas/common.ts';
import { zonePlan } from '../../schemas/jobs/zones.ts';
import type {
  StreamingJobCreationRequest,
  StreamingJobRestartRequest,
  streamingJobCreationResponse,
} from '../../schemas/streaming/streaming-jobs.ts';
import { codeOfRefusal, KEY_REUSED } from '../jobs/job-creation.ts';

/** Converts the body to a request of the job service. */
export function toRequest(
  body: StreamingJobCreationRequest,
  user: string,
  owner: Owner | undefined,
  traceparent: string | undefined,
): StreamingJobRequest {
  const { streamUri, segmentSize, mediaProperties, recording } = body.stream;
  const { refused, ...properties } = takeCallbackSecrets(body.jobProperties ?? {});
  if (refused !== undefined) throw refusalOf({ message: refused }, body.externalId);
  return {
    ...properties,
    user,
    ...(owner === undefined ? {} : { owner }),
    ...(traceparent === undefined ? {} : { traceparent }),
    externalId: body.externalId ?? null,
    algorithmProperties: body.algorithmProperties ?? {},
    stream: {
      uri: streamUri.trim(),
      segmentSize,
      properties: mediaProperties ?? {},
      ...(recording === null || recording === undefined ? {} : { recording: recordingRules(recording) }),
    },
    stallTimeout: body.stallTimeout,
    enableOutputToDisk: body.enableOutputToDisk,
    healthReportCallbackUri: givenOf(body.healthReportCallbackUri),
    summaryReportCallbackUri: givenOf(body.summaryReportCallbackUri),
    stallCallbackUri: givenOf(body.stallCallbackUri),
    pipelineName: body.pipelineName,
    ...zonesOf(body),
  };
}

/** Returns the changes of a stored job. Present members replace those of the job. */
export function toChanges(
  body: StreamingJobRestartRequest,
  externalId: string | null,
  traceparent: string | undefined,
): StreamChanges {
  const { stream = {}, jobProperties, events, zones, lines, rules, anchor } = body;
  const { streamUri, segmentSize, mediaProperties, recording } = stream;
  const { refused, ...properties } = takeCallbackSecrets(jobProperties ?? {});
  if (refused !== undefined) throw refusalOf({ message: refused }, externalId);
  return {
    request: present({
      ...(jobProperties === undefined ? {} : properties),
      ...{ externalId, traceparent, stallTimeout: body.stallTimeout, pipelineName: body.pipelineName },
      enableOutputToDisk: body.enableOutputToDisk,
      algorithmProperties:
        body.algorithmProperties === undefined ? undefined : (body.algorithmProperties ?? {}),
      healthReportCallbackUri: changedUri(body.healthReportCallbackUri),
      summaryReportCallbackUri: changedUri(body.summaryReportCallbackUri),
      stallCallbackUri: changedUri(body.stallCallbackUri),
    }),
    stream: present({
      uri: streamUri?.trim(),
      segmentSize,
      properties: mediaProperties === undefined ? undefined : (mediaProperties ?? {}),
    }),
    ...(recording === undefined ? {} : { recording: recording && recordingRules(recording) }),
    plan: present({
      zones: zones === undefined ? undefined : (zones ?? []),
      lines: lines === undefined ? undefined : (lines ?? []),
      rules: rules === undefined ? undefined : (rules ?? []),
      anchor: anchor === undefined ? undefined : (anchor ?? ANCHORS[0]),
    }),
    ...(events === undefined ? {} : { receivers: events ?? {} }),
  };
}

type Present<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Removes members that are undefined. */
const present = <T extends object>(members: T): Present<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;

const changedUri = (uri: string | null | undefined) => (uri === undefined ? undefined : givenOf(uri));

/** Returns the zones of a stream. Events without zones are those of tracks. */
function zonesOf(body: StreamingJobCreationRequest) {
  const { zones, lines, rules, events } = body;
  if (!zones && !lines && !rules && !events) return {};
  return { zones: { plan: zonePlan(body), receivers: events ?? undefined } };
}

function recordingRules({
  streamUri = '',
  days,
  bytes,
}: NonNullable<StreamingJobCreationRequest['stream']['recording']>): RecordingRules {
  const uri = streamUri.trim();
  return { ...(uri === '' ? {} : { uri }), days, bytes };
}

export function secretNotes(body: StreamingJobRestartRequest): readonly string[] {
  const { healthReportCallbackUri, summaryReportCallbackUri, stallCallbackUri, jobProperties, events } = body;
  const uris = [healthReportCallbackUri, summaryReportCallbackUri, stallCallbackUri, events?.callbackUri];
  return noteUnusedSecrets(
    jobProperties ?? {},
    uris.some((uri) => givenOf(uri) !== null),
    'callback URI',
  );
}

const givenOf = (uri: string | null | undefined): string | null =>
  uri === null || uri === undefined || uri.trim() === '' ? null : uri.trim();

export function creationFailure(reason: string, externalId?: string | null): string {
  const given = externalId !== null && externalId !== undefined && externalId.trim() !== '';
  const withId = given ? ` with external id '${externalId}'` : '';
  return `Failure creating streaming job${withId} due to an exception. ${reason}`;
}

function refusalOf(
  { message: why, reason }: Omit<Refused, 'kind'>,
  externalId: string | null | undefined,
): HttpError {
  const message = creationFailure(why, externalId);
  return new HttpError(codeOfRefusal(reason), message, { status: 400, body: notCreated(message) });
}

export function notCreated(message: string): z.infer<typeof streamingJobCreationResponse> {
  return { jobId: -1, outputObjectDirectory: null, coreResponse: onFailure(message) };
}

/** Returns the answer for a created job. @throws HttpError for a job that was not created */
export function createdAnswer(
  submission: StreamSubmission,
  externalId: string | null | undefined,
  url: string,
  notes: readonly string[],
) {
  switch (submission.kind) {
    case 'overloaded':
      throw overloadError(submission.message);
    case 'refused':
      throw refusalOf(submission, externalId);
    case 'keyReused':
      throw new HttpError('idempotency-key-reused', KEY_REUSED, { body: notCreated(KEY_REUSED) });
    case 'accepted': {
      const { jobId, outputObjectDirectory, warnings } = submission;
      const coreResponse = successResponse([...notes, ...warnings]);
      const Location = `${url}/rest/streaming/jobs/${jobId}`;
      return answerWith(201, { jobId, outputObjectDirectory, coreResponse }, { Location });
    }
  }
}
