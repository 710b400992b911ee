/**
 * All parsing rules outside of domain/, for request bodies, answers of components and addresses. Each has
 * timing inputs or a reason for having none.
 */
import type { z } from 'zod';
import { parseBounded } from '../../actors/catalog/descriptors/bounded-parse.ts';
import * as descriptors from '../../actors/catalog/descriptors/descriptor.ts';
import * as fields from '../../actors/catalog/descriptors/fields.ts';
import * as placing from '../../actors/catalog/element-placement.ts';
import { EMPTY_CATALOG } from '../../actors/catalog/state.ts';
import { withoutExtras } from '../../actors/catalog/descriptors/tolerant-json.ts';
import { savedConfiguration } from '../../actors/node-configuration/transitions.ts';
import * as unserved from '../../actors/node-configuration/unserved-components.ts';
import { uploadOf } from '../../actors/uploads/used-uploads.ts';
import * as bodies from '../../http/schemas/pipelines.ts';
import { componentDescriptor } from '../../http/schemas/components.ts';
import * as common from '../../http/schemas/common.ts';
import { detailsQuery } from '../../http/schemas/details.ts';
import { actorListQuery } from '../../http/schemas/actors.ts';
import { auditCursor, auditQuery } from '../../http/schemas/operation/audit.ts';
import { failureQuery } from '../../http/schemas/jobs/job-failures.ts';
import * as counted from '../../http/schemas/jobs/job-counts.ts';
import * as found from '../../http/schemas/jobs/job-findings.ts';
import { frameNumber, leaseFileName, leaseFrameQuery } from '../../http/schemas/worker/lease-files.ts';
import { deliveryId, deliveryQuery } from '../../http/schemas/jobs/deliveries.ts';
import { joinedExportQuery } from '../../http/schemas/jobs/exports.ts';
import { cursorOf, jobFilter, jobListQuery } from '../../http/schemas/jobs/job-list.ts';
import * as jobs from '../../http/schemas/jobs/batch-jobs.ts';
import * as keys from '../../http/schemas/users/keys.ts';
import * as saved from '../../http/schemas/search/saved-searches.ts';
import * as sessions from '../../http/schemas/users/sessions.ts';
import * as recorded from '../../http/schemas/streaming/stream-recordings.ts';
import * as usage from '../../http/schemas/users/usage.ts';
import { retryRequest } from '../../http/schemas/jobs/job-retry.ts';
import * as operations from '../../http/schemas/jobs/operations.ts';
import * as media from '../../http/schemas/media.ts';
import { libraryQuery } from '../../http/schemas/search/library.ts';
import { searchCountQuery, searchQuery } from '../../http/schemas/search/search.ts';
import * as similar from '../../http/schemas/search/similar.ts';
import * as people from '../../http/schemas/search/people.ts';
import * as sync from '../../http/schemas/worker/node-sync.ts';
import { nodeClasses, nodeConfiguration } from '../../http/schemas/nodes.ts';
import { checkShape } from '../../http/schemas/problems.ts';
import * as streamZones from '../../http/schemas/streaming/stream-zones.ts';
import * as zoneRuns from '../../http/schemas/jobs/zone-runs.ts';
import * as streaming from '../../http/schemas/streaming/streaming-jobs.ts';
import * as messages from '../../http/schemas/system-messages.ts';
import * as worker from '../../http/schemas/worker/worker-protocol.ts';
import { parseJson } from '../../http/routing/json-body.ts';
import { decodeDataUri } from '../../media/fetch/data-uri.ts';
import { schemeOf, shownUri } from '../../media/fetch/file-uris.ts';
import * as libraryCursor from '../../http/schemas/search/library-cursor.ts';
import * as searchCursor from '../../http/schemas/search/search-cursor.ts';
import * as censor from '../../domain/job/censor.ts';
import * as wrong from '../../results/check/check-rules.ts';
import { unparsable } from '../../results/check/json-shape.ts';
import { because, many, makeNamed, ofText, type Known, type Work } from './growth.ts';

const ANSWER = 'describes an answer, or is a part of the others';
/** A body or query; `make` returns one of about this size. */
const body =
  (schema: z.ZodType, make: (size: number) => unknown): Work =>
  (size) => {
    const given = make(size);
    return () => checkShape(schema, given);
  };
/** A text somewhere in it. */
const text = (schema: z.ZodType, make: (text: string) => unknown): readonly Work[] =>
  ofText((given) => checkShape(schema, make(given)));
const texts = (size: number) => many(size, (at) => `name ${at}`);
const element = { name: 'N', description: 'd' };
const property = (at: number) => ({ name: `P${at}`, description: 'd', type: 'INT', defaultValue: '1' });
const descriptor = (size: number) => ({
  componentName: 'C',
  componentVersion: '1',
  middlewareVersion: '1',
  sourceLanguage: 'python',
  batchLibrary: 'b',
  environmentVariables: many(size / 8, (at) => ({ name: `V${at}`, value: 'v' })),
  algorithm: {
    ...element,
    actionType: 'DETECTION',
    trackType: 'T',
    requiresCollection: { states: texts(size / 4) },
    providesCollection: { states: [], properties: many(size / 8, property) },
  },
});
const service = (at: number) => ({
  serviceName: `s${at}`,
  serviceDescription: '',
  serviceLauncher: 'simple' as const,
  cmd: 'x',
  serviceCount: 1,
  workingDirectory: '',
  args: [],
  environmentVariables: [],
});
const actionWith = (size: number) => ({
  ...{ name: 'A', description: '', algorithm: 'A' },
  properties: many(size, (at) => ({ name: at % 2 === 0 ? 'API_URI' : 'API_TOKEN', value: `http://${at}` })),
});
const hosts = (size: number) => many(size / 10, (at) => ({ host: `h${at}`, services: [service(at)] }));
const track = (size: number) => ({
  startFrame: 0,
  stopFrame: size,
  confidence: 1,
  properties: makeNamed(size, () => 'x'),
  detections: many(size / 4, (frame) => ({
    frame,
    x: 0,
    y: 0,
    width: 1,
    height: 1,
    confidence: 1,
    properties: {},
  })),
});
const liveTrack = (size: number) => {
  const { detections, ...rest } = track(size);
  return {
    ...rest,
    liveId: 'a',
    startTime: 0,
    stopTime: size,
    detections: detections.map((one) => ({ ...one, time: one.frame })),
  };
};
const issues = (size: number) => many(size, () => ({ code: 'OTHER', message: 'm' }));
const elements = (size: number) => ({
  algorithm: { name: 'A' },
  action: many(size, (at) => ({ ...element, name: `N${at}` })),
  task: [],
  pipeline: [],
});

export const BODY_RULES: Readonly<Record<string, Readonly<Record<string, Known>>>> = {
  'http/schemas/pipelines.ts': {
    ...because(
      ANSWER,
      ...'warnings removable component elementWarnings pipeline task action algorithm elementNameParams'.split(
        ' ',
      ),
    ),
    pipelineCreation: [
      body(bodies.pipelineCreation, (size) => ({ ...element, tasks: texts(size) })),
      ...text(bodies.pipelineCreation, (name) => ({ ...element, name, tasks: ['t'] })),
    ],
    taskCreation: body(bodies.taskCreation, (size) => ({ ...element, actions: texts(size) })),
    actionCreation: body(bodies.actionCreation, (size) => ({
      ...element,
      algorithm: 'A',
      properties: many(size, (at) => ({ name: `P${at}`, value: 1 })),
    })),
  },
  'http/schemas/components.ts': {
    ...because(ANSWER, 'registered', 'component', 'componentNameParams'),
    componentDescriptor: body(componentDescriptor, descriptor),
  },
  'http/schemas/common.ts': {
    ...because(
      ANSWER,
      'responseMessage',
      'problemMembers',
      'problem',
      'coreResponse',
      'coreProblem',
      'successResponse',
      'onFailure',
      'owner',
    ),
    wholeNumber: text(common.wholeNumber(0), (given) => given),
    trueOrFalse: text(common.trueOrFalse, (given) => given),
    orEmpty: text(common.orEmpty(common.trueOrFalse), (given) => given),
    externalId: text(common.externalId, (given) => given),
    ...because(ANSWER, 'pausedSince'),
    timestamp: text(common.timestamp, (given) => given),
    queryTimestamp: text(common.queryTimestamp, (given) => given),
  },
  'http/schemas/users/keys.ts': {
    ...because(ANSWER, 'apiKey', 'newKey', 'keyList'),
    keyRequest: text(keys.keyRequest, (name) => ({ name })),
    keyId: text(keys.keyId, (given) => given),
    keyListQuery: text(keys.keyListQuery, (all) => ({ all })),
  },
  'http/schemas/search/saved-searches.ts': {
    ...because(ANSWER, 'savedSearch', 'savedSearchList'),
    savedSearchRequest: text(saved.savedSearchRequest, (name) => ({ name, query: { text: name } })),
    savedSearchId: text(saved.savedSearchId, (given) => given),
  },
  'http/schemas/users/sessions.ts': {
    ...because(ANSWER, 'browserSession', 'sessionList'),
    sessionId: text(sessions.sessionId, (given) => given),
    sessionListQuery: text(sessions.sessionListQuery, (all) => ({ all })),
  },
  'http/schemas/streaming/stream-recordings.ts': {
    ...because(ANSWER, 'recordingList'),
    listedTimes: text(recorded.listedTimes, (start) => ({ start })),
    clipQuery: text(recorded.clipQuery, (given) => ({ start: given, before: given, stopFrame: given })),
    snapshotQuery: text(recorded.snapshotQuery, (given) => ({ at: given, frame: given })),
  },
  'http/schemas/users/usage.ts': {
    ...because(ANSWER, 'usageReport'),
    usageQuery: text(usage.usageQuery, (from) => ({ from })),
  },
  'http/schemas/details.ts': { detailsQuery: text(detailsQuery, (details) => ({ details })) },
  'http/schemas/jobs/detection-document.ts': because(ANSWER, 'detectionDocument', 'cocoDocument'),
  'http/schemas/actors.ts': {
    ...because(ANSWER, 'actorPage'),
    actorListQuery: [
      body(actorListQuery, (size) => makeNamed(size, () => '1')),
      ...text(actorListQuery, (after) => ({ after })),
    ],
  },
  'http/schemas/jobs/job-failures.ts': {
    ...because(ANSWER, 'failureGroups'),
    ...because('is timed as a part of the query of the list of jobs', 'failureId'),
    failureQuery: [
      body(failureQuery, (size) => makeNamed(size, () => '1')),
      ...text(failureQuery, (component) => ({ component, code: component, from: component })),
    ],
  },
  'http/schemas/jobs/job-counts.ts': {
    ...because(ANSWER, 'trackCounts', 'heatMap'),
    countsQuery: [
      ...text(counted.countsQuery, (interval) => ({ interval, format: interval })),
      body(counted.countsQuery, (size) => makeNamed(size, () => '1')),
    ],
    heatQuery: text(counted.heatQuery, (columns) => ({ columns, lane: columns })),
  },
  'http/schemas/jobs/job-findings.ts': {
    ...because(ANSWER, 'mediaOfJob', 'lanes', 'trackPage', 'boxPage', 'partial'),
    mediaIdParam: ofText((given) => checkShape(found.mediaIdParam, given)),
    mediaQuery: text(found.mediaQuery, (limit) => ({ limit })),
    tracksQuery: [
      ...text(found.tracksQuery, (minConfidence) => ({ minConfidence })),
      ...text(found.tracksQuery, (of) => ({ text: of })),
      body(found.tracksQuery, (size) => makeNamed(size, () => '1')),
    ],
    boxesQuery: text(found.boxesQuery, (fromFrame) => ({ fromFrame })),
  },
  'http/schemas/jobs/exports.ts': {
    ...because(ANSWER, 'labelStudioTasks'),
    joinedExportQuery: [
      body(joinedExportQuery, (size) => makeNamed(size, () => '1')),
      ...text(joinedExportQuery, (ids) => ({ format: 'csv', ids })),
      body(joinedExportQuery, (size) => ({ format: 'csv', ids: texts(size) })),
    ],
  },
  'http/schemas/jobs/job-list.ts': {
    ...because(ANSWER, 'jobPage', 'liveIssues', 'jobFilters'),
    jobListQuery: [
      body(jobListQuery, (size) => makeNamed(size, () => '1')),
      ...text(jobListQuery, (pipelineName) => ({ pipelineName })),
      ...text(jobListQuery, (before) => ({ before, failure: before })),
      body(jobListQuery, (size) => ({ status: texts(size), label: texts(size) })),
    ],
    jobFilter: [
      body(jobFilter, (size) => makeNamed(size, () => '1')),
      ...text(jobFilter, (medium) => ({ medium, failure: medium })),
    ],
    cursorOf: ofText(cursorOf),
    ...because('is made of numbers', 'cursorText'),
  },
  'http/schemas/search/library.ts': {
    ...because(ANSWER, 'libraryPage', 'libraryCounts'),
    libraryQuery: [
      body(libraryQuery, (size) => makeNamed(size, () => '1')),
      ...text(libraryQuery, (given) => ({ name: given })),
      ...text(libraryQuery, (given) => ({ class: given, type: given, cursor: given })),
    ],
  },
  'http/schemas/jobs/operations.ts': {
    ...because(ANSWER, 'operation', 'operationList', 'operationIdParam'),
    operationRequest: [
      body(operations.operationRequest, (size) => ({ action: 'cancel', ids: texts(size) })),
      body(operations.operationRequest, (size) => makeNamed(size, () => '1')),
    ],
    operationListQuery: text(operations.operationListQuery, (before) => ({ before })),
  },
  'http/schemas/callbacks.ts': because(
    'describes what the server sends',
    ...['jobCallback', 'jobCallbackQuery', 'jobCallbackHeaders', 'reportHeaders'],
    ...['healthReport', 'summaryReport', 'archivePost', 'streamEvent'],
  ),
  'http/schemas/jobs/deliveries.ts': {
    ...because(ANSWER, 'delivery', 'deliveryPage'),
    deliveryQuery: [
      body(deliveryQuery, (size) => makeNamed(size, () => '1')),
      ...text(deliveryQuery, (given) => ({ before: given, job: given })),
      ...text(deliveryQuery, (given) => ({ receiver: given, state: given })),
    ],
    deliveryId: text(deliveryId, (given) => given),
  },
  'http/schemas/search/search.ts': {
    ...because(ANSWER, 'searchPage', 'searchCounts', 'searchHit', 'conditions'),
    searchCountQuery: text(searchCountQuery, (given) => ({ anything: given, medium: given })),
    searchQuery: [
      body(searchQuery, (size) => makeNamed(size, () => '1')),
      ...text(searchQuery, (given) => ({ text: given })),
      ...text(searchQuery, (given) => ({ class: given, type: given, job: given })),
    ],
  },
  'http/schemas/search/people.ts': {
    ...because(ANSWER, 'person', 'peoplePage', 'personPage'),
    personId: text(people.personId, (given) => given),
    peopleQuery: text(people.peopleQuery, (given) => ({ name: given, cursor: given, job: given })),
    personQuery: text(people.personQuery, (given) => ({ cursor: `1_1_1_${given}` })),
    personChange: text(people.personChange, (name) => ({ name })),
    personMerge: text(people.personMerge, (person) => ({ person })),
    personSplit: [
      body(people.personSplit, (size) => ({
        tracks: many(size / 10, () => ({ jobId: 'a-1', mediaId: 1, trackId: 't' })),
      })),
      ...text(people.personSplit, (trackId) => ({ tracks: [{ jobId: 'a-1', mediaId: 1, trackId }] })),
    ],
    ...because('puts a few numbers together', 'peopleCursor', 'trackCursor'),
  },
  'http/schemas/search/seen-in-stream.ts': because(ANSWER, 'seenInStream'),
  'http/schemas/search/similar.ts': {
    ...because(ANSWER, 'similarPage', 'duplicateGroups', 'vectorModels'),
    similarRequest: [
      body(similar.similarRequest, (size) => ({ model: 'M', vector: many(size / 2, (at) => at) })),
      ...text(similar.similarRequest, (given) => ({ vector: given, model: given, trackId: given })),
      ...text(similar.similarRequest, (mediaUri) => ({ mediaUri })),
      ...text(similar.similarRequest, (words) => ({ text: words })),
      ...text(similar.similarRequest, (given) => ({ filter: { text: given, medium: given } })),
    ],
    duplicateQuery: text(similar.duplicateQuery, (given) => ({ anything: given, medium: given })),
  },
  'http/schemas/jobs/job-retry.ts': {
    ...because(ANSWER, 'retryResponse'),
    ...because('is one of a few words', 'retryScope'),
    retryRequest: body(retryRequest, (size) => ({
      what: 'FAILED_MEDIA',
      jobProperties: makeNamed(size, String),
    })),
  },
  'http/schemas/jobs/batch-jobs.ts': {
    ...because(
      ANSWER,
      ...'jobStatus jobId jobCreationResponse jobCreationProblem waitingFor singleJobInfo dryRunResponse allJobsStatistics archiveRepostResponse archiveRepostProblem'.split(
        ' ',
      ),
    ),
    properties: body(jobs.properties, (size) => makeNamed(size, String)),
    algorithmProperties: body(jobs.algorithmProperties, (size) => makeNamed(size, () => ({ A: '1' }))),
    jobCreationRequest: [
      body(jobs.jobCreationRequest, (size) => ({
        media: many(size / 10, (at) => ({ mediaUri: `file:///${at}`, properties: { A: '1' } })),
      })),
      body(jobs.jobCreationRequest, (size) => ({ media: many(size, () => 0) })),
      ...text(jobs.jobCreationRequest, (mediaUri) => ({ media: [{ mediaUri }] })),
    ],
    label: text(jobs.label, (label) => label),
    labels: body(jobs.labels, texts),
    jobChange: [
      body(jobs.jobChange, (size) => ({ labels: texts(size) })),
      ...text(jobs.jobChange, (externalId) => ({ externalId })),
    ],
    jobIdParam: text(jobs.jobIdParam, (id) => id),
    creationQuery: text(jobs.creationQuery, (dryRun) => ({ dryRun })),
    creationHeaders: text(jobs.creationHeaders, (key) => ({ 'Idempotency-Key': key })),
    singleJobQuery: text(jobs.singleJobQuery, (details) => ({ details })),
    documentQuery: [
      ...text(jobs.documentQuery, (format) => ({ format })),
      ...text(jobs.documentQuery, (media) => ({ media })),
    ],
    resubmitQuery: text(jobs.resubmitQuery, (jobPriority) => ({ jobPriority })),
    archiveRepostRequest: body(jobs.archiveRepostRequest, (size) => many(size, (at) => at)),
  },
  'http/schemas/media.ts': {
    ...because(ANSWER, 'uploadId', 'upload', 'pieceUpload', 'mediaCheck', 'frameTable'),
    uploadQuery: text(media.uploadQuery, (name) => ({ name })),
    pieceQuery: text(media.pieceQuery, (offset) => ({ offset })),
    pieceUploadRequest: text(media.pieceUploadRequest, (name) => ({ name, bytes: 1 })),
    mediaCheckRequest: body(media.mediaCheckRequest, (size) => ({ mediaUris: texts(size) })),
  },
  'http/schemas/models.ts': because(ANSWER, 'modelList'),
  'http/schemas/nodes.ts': {
    ...because('is timed as a part of the configuration', 'serviceModel'),
    ...because(
      ANSWER,
      'deployedServiceModel',
      'deployedNodeManagerModel',
      'lineSource',
      'serviceLog',
      'nodeInfos',
      'nodeHosts',
      'availableServices',
    ),
    nodeConfiguration: [
      body(nodeConfiguration, hosts),
      ...text(nodeConfiguration, (host) => [
        {
          host,
          services: [
            { ...service(1), serviceName: host, environmentVariables: [{ name: host, value: host }] },
          ],
        },
      ]),
    ],
    nodeClasses: [
      body(nodeClasses, (size) => many(size, (at) => ({ name: `c${at}`, services: [service(at)] }))),
      ...text(nodeClasses, (name) => [{ name, services: [service(1)] }]),
    ],
  },
  'http/schemas/worker/node-sync.ts': {
    ...because(ANSWER, 'syncAnswer'),
    nodeParams: text(sync.nodeParams, (node) => ({ node })),
    syncRequest: body(sync.syncRequest, (size) => ({
      ...{ instance: 'i', formerly: null, turn: 1, version: '1', server: '', done: 0, configuration: '' },
      ...{ leaving: false, waitMs: 1, installed: many(Math.min(1_000, size), service) },
      services: many(size, (at) => ({
        ...{ name: `a:b:${at}`, kind: 'generic', rank: 1, serviceCount: 1, lastKnownState: 'Running' },
        ...{ restartCount: 0, unlaunchable: false },
      })),
      processes: many(size, (at) => ({ worker: `a:b:${at}#1`, tokenHash: 'x'.repeat(43) })),
      news: many(size, (number) => ({ what: 'configured', number })),
    })),
  },
  'http/schemas/operation/audit.ts': {
    ...because(ANSWER, 'auditPage'),
    auditQuery: [
      body(auditQuery, (size) => makeNamed(size, () => '1')),
      ...text(auditQuery, (before) => ({ before, user: before, path: before, job: before, from: before })),
    ],
    auditCursor: ofText(auditCursor),
    ...because('is made of numbers', 'auditCursorText'),
  },
  'http/schemas/operation/drains.ts': because(ANSWER, 'drain'),
  'http/schemas/problems.ts': because('is timed by each of the schemas', 'checkShape'),
  'http/schemas/queues.ts': because(ANSWER, 'queueInfo'),
  'http/schemas/service.ts': because(ANSWER, 'info', 'caller'),
  'http/schemas/jobs/zones.ts': {
    ...because(ANSWER, 'zone', 'line', 'rule', 'watchedFacts', 'zoneEvent'),
    ...because('is timed as a part of zoneRunRequest', 'zoneMembers', 'zonePlan'),
  },
  'http/schemas/jobs/zone-runs.ts': {
    ...because(ANSWER, 'zoneCounts', 'mediumZoneRun', 'zoneRun'),
    zoneRunRequest: [
      ...text(zoneRuns.zoneRunRequest, (startsAt) => ({ startsAt, rules: [{ name: startsAt }] })),
      body(zoneRuns.zoneRunRequest, (size) => ({
        zones: many(size, (at) => ({ name: `Z${at}`, points: [[at, at]] })),
      })),
    ],
  },
  'http/schemas/streaming/stream-zones.ts': {
    ...because(ANSWER, 'streamZones', 'streamEventList', 'hourlyCounts'),
    eventReceivers: text(streamZones.eventReceivers, (given) => ({
      callbackUri: given,
      mqtt: { url: given, topic: given },
    })),
    streamEventsQuery: text(streamZones.streamEventsQuery, (limit) => ({ limit, kind: limit })),
    hourlyCountsQuery: text(streamZones.hourlyCountsQuery, (start) => ({ start, format: start })),
  },
  'http/schemas/streaming/streaming-jobs.ts': {
    ...because(
      ANSWER,
      'streamingJobCreationResponse',
      'streamingJobCreationProblem',
      'streamingJobCancelProblem',
      'streamingJobCancelResponse',
      'streamingJobInfo',
      'allStreamingJobs',
    ),
    streamingJobCreationRequest: text(streaming.streamingJobCreationRequest, (given) => ({
      stream: { streamUri: given },
      healthReportCallbackUri: given,
    })),
    streamingJobRestartRequest: text(streaming.streamingJobRestartRequest, (given) => ({
      stream: { streamUri: given },
      events: { callbackUri: given },
    })),
    listQuery: text(streaming.listQuery, (given) => ({ isActive: given })),
    cancelQuery: text(streaming.cancelQuery, (doCleanup) => ({ doCleanup })),
  },
  'http/schemas/system-messages.ts': {
    ...because(ANSWER, 'systemMessage'),
    messageText: text(messages.messageText, (given) => given),
    messageType: text(messages.messageType, (given) => given),
    messageQuery: text(messages.messageQuery, (msgType) => ({ msgType, severity: msgType })),
    messageId: text(messages.messageId, (given) => given),
  },
  'http/schemas/worker/lease-files.ts': {
    ...because(ANSWER, 'storedFile'),
    frameNumber: ofText((given) => frameNumber.safeParse(given)),
    leaseFrameQuery: text(leaseFrameQuery, (format) => ({ format })),
    leaseFileName: ofText((given) => leaseFileName.safeParse(given)),
  },
  'http/schemas/worker/worker-protocol.ts': {
    ...because(ANSWER, 'streamAnswer', 'claimAnswer', 'answersAnswer', 'resultAnswer', 'heartbeatAnswer'),
    claimRequest: [
      body(worker.claimRequest, (size) => ({ algorithms: texts(size) })),
      ...text(worker.claimRequest, (name) => ({ algorithms: [name] })),
    ],
    resultQuery: text(worker.resultQuery, (claim) => ({ claim })),
    heartbeatRequest: body(worker.heartbeatRequest, (size) => makeNamed(size, String)),
    answersRequest: [
      body(worker.answersRequest, (size) => ({
        answers: Array.from({ length: Math.min(64, size) }, (_, n) => ({ token: `t${n}`, lines: '' })),
      })),
      ...text(worker.answersRequest, (lines) => ({ answers: [{ token: 't', lines }] })),
    ],
    fragmentName: ofText((given) => worker.fragmentName.safeParse(given)),
    segmentNumber: ofText((given) => worker.segmentNumber.safeParse(given)),
    streamEvents: [
      ...text(worker.streamEvents, (cause) => ({ events: [{ type: 'stalled', at: 1, cause }] })),
      ...text(worker.streamEvents, (crop) => ({
        events: [{ type: 'zones', at: 1, seq: 1, events: [{ type: 'trackEnded', crop }], state: {} }],
      })),
    ],
    streamEnd: text(worker.streamEnd, (detail) => ({ reason: 'ended', detail })),
    failureRequest: text(worker.failureRequest, (message) => ({ code: 'OTHER', message })),
  },
  'http/schemas/search/library-cursor.ts': {
    ...because('joins at most six keys', 'textOfPlace'),
    placeOfText: [...ofText(libraryCursor.placeOfText, '_'), ...ofText(libraryCursor.placeOfText, '~%41')],
  },
  'http/schemas/search/search-cursor.ts': {
    ...because('joins four numbers', 'textOfCursor'),
    cursorOf: ofText(searchCursor.cursorOf, '_'),
  },
  'http/routing/json-body.ts': {
    ...because('reads a request and hands its text to parseJson', 'readJson', 'readText'),
    parseJson: [...ofText(parsedJson), ...ofText(parsedJson, '"', '"'), ...ofText(parsedJson, '[', ']')],
  },
  'domain/job/censor.ts': {
    censorProperties: (size) => () => censor.censorProperties(makeNamed(size, String)),
    censorDeep: (size) => () =>
      censor.censorDeep(many(size / 10, (at) => ({ a: [{ ARCHIVE_URL: `http://${at}` }] }))),
    maskUri: ofText(censor.maskUri, 'http://a/'),
    withoutData: ofText(censor.withoutData, 'data:'),
    censorValue: ofText((text) => censor.censorValue('API_URI', text), 'http://a/'),
    censorAction: (size) => () => censor.censorAction(actionWith(size)),
    censoredProperty: (size) => () => censor.censoredProperty(actionWith(size)),
  },
  'results/check/check-rules.ts': {
    ...because(
      'looks at one field',
      'isWarning',
      'isSegmentSummary',
      'wrongSegment',
      'wrongFeedSummary',
      'bringsMedium',
      'withoutFrameTimes',
    ),
    wrongTrack: (size) => {
      const given = track(size);
      return () => wrong.wrongTrack(given, { start: 0, stop: size });
    },
    wrongStreamTrack: (size) => {
      const given = liveTrack(size);
      return () => wrong.wrongStreamTrack(given, { start: 0, stop: size, actions: 1 });
    },
    wrongWarning: ofText((warning) => wrong.wrongWarning({ warning })),
    isFetched: (size) => {
      const given = { fetched: { bytes: size, more: 'x'.repeat(size) } };
      return () => wrong.isFetched(given);
    },
    wrongPrepared: (size) => {
      const facts = {
        mediaType: 'VIDEO',
        mimeType: '',
        sha256: '',
        length: size,
        metadata: makeNamed(size, String),
      };
      const given = {
        facts,
        inspected: true,
        path: 'p',
        warnings: issues(size),
        ranges: many(size, (at) => ({ start: at, stop: at })),
      };
      return () => wrong.wrongPrepared(given);
    },
    wrongSummary: (size) => {
      const given = {
        summary: {
          tracks: 1,
          detections: 1,
          types: makeNamed(size, (at) => at),
          warnings: issues(size),
          ranges: [],
        },
      };
      return () => wrong.wrongSummary(given);
    },
    wrongStored: (size) => {
      const given = { path: 'p', uri: 'u', warnings: issues(size) };
      return () => wrong.wrongStored(given);
    },
  },
  'results/check/json-shape.ts': { unparsable: [...ofText(unparsable), ...ofText(unparsable, '"')] },
  'media/fetch/data-uri.ts': {
    decodeDataUri: [
      ...ofText((given) => decodeDataUri(given, 1e9), 'data:,'),
      ...ofText((given) => decodeDataUri(given, 1e9), 'data:;base64,'),
      ...ofText((given) => decodeDataUri(given, 1e9), 'data:', ','),
    ],
  },
  'media/fetch/file-uris.ts': {
    ...because('asks the file system', 'checkFileUri'),
    schemeOf: ofText(schemeOf),
    shownUri: ofText(shownUri, 'http://a'),
  },
  'actors/catalog/descriptors/tolerant-json.ts': {
    withoutExtras: [...ofText(withoutExtras), ...ofText(withoutExtras, '[', ',]')],
  },
  'actors/catalog/descriptors/bounded-parse.ts': {
    parseBounded: (size) => () =>
      parseBounded(jobs.jobCreationRequest, { media: many(size, () => 0) }, () => 'wrong'),
  },
  'actors/catalog/descriptors/fields.ts': {
    ...because(
      'makes a schema, or is one of those that the descriptor is made of',
      'trimmed',
      'filled',
      'scalar',
      'listOf',
      'someOf',
      'wordOf',
      'maybe',
      'pathText',
      'alternatives',
      'parseFields',
    ),
    validName: text(fields.validName, (given) => given),
    elementName: text(fields.elementName, (given) => given),
  },
  'actors/catalog/descriptors/descriptor.ts': {
    ...because(
      'is timed by the bodies of http/schemas/pipelines.ts',
      'actionSchema',
      'taskSchema',
      'pipelineSchema',
      'unmanagedDescriptorSchema',
    ),
    ...because('compares one text', 'isNamed'),
    descriptorSchema: body(descriptors.descriptorSchema, descriptor),
  },
  'actors/catalog/element-placement.ts': {
    ...because(
      'puts in and takes out what nameTaken looked at',
      'place',
      'withComponent',
      'without',
      'sizeOf',
    ),
    nameTaken: (size) => () => placing.nameTaken(EMPTY_CATALOG, 'C', elements(size) as never),
    clashes: (size) => () => placing.clashes(EMPTY_CATALOG, 'C', elements(size) as never),
  },
  'actors/uploads/used-uploads.ts': {
    ...because('reads the jobs in the store', 'usedUploads'),
    uploadOf: ofText((uri) => uploadOf(uri, '/data/uploads'), 'file:///data/uploads/'),
  },
  'actors/node-configuration/unserved-components.ts': {
    unservedComponents: (size) => () =>
      unserved.unservedComponents([{ host: 'h', services: many(size, service) }], texts(size)),
    unservedSentence: (size) => () => unserved.unservedSentence(texts(size), 'h'),
  },
  'actors/node-configuration/transitions.ts': {
    ...because('hands on what was decided', 'recoverConfiguration'),
    savedConfiguration: (size) => {
      const nodes = many(size / 10, (at) => ({ host: `h${at % (size / 20)}`, services: [service(at)] }));
      const limits = { nodes: 1e9, services: 1e9, serviceCount: 1e9, deployed: 1e9 };
      const rules = { initial: [], thisHost: 'h', installed: [], ownServices: [], limits };
      return () => savedConfiguration(nodes, rules);
    },
  },
};

function parsedJson(given: string): unknown {
  return parseJson(given, { maxDepth: 32, maxValues: 1e9 });
}
