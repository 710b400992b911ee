/** Every rule of domain/, with inputs that make it slow, or the reason why it needs none. */
import { atOnce } from '../../actors/runtime/steps.ts';
import { possibleTypes, mimeInRequest, unacceptedMedium } from '../../domain/plan/accepted-media.ts';
import * as archiveMatch from '../../domain/job/archive-match.ts';
import * as archive from '../../domain/job/archive.ts';
import * as artifacts from '../../domain/tracks/artifact-selection.ts';
import * as buckets from '../../domain/job/buckets.ts';
import * as callback from '../../domain/job/callback.ts';
import * as trace from '../../domain/job/trace.ts';
import * as webhook from '../../domain/job/webhook.ts';
import { ComponentWarnings } from '../../domain/properties/component-warnings.ts';
import { mergeDetectionErrors } from '../../domain/tracks/detection-errors.ts';
import { documentPage } from '../../domain/job/document-page.ts';
import { sortedName } from '../../domain/job/media-order.ts';
import * as elementNotes from '../../domain/plan/element-notes.ts';
import { exportFileName } from '../../domain/job/export-formats.ts';
import { messagePattern } from '../../domain/text/message-pattern.ts';
import * as frameList from '../../domain/frames/frame-list.ts';
import { frameTable } from '../../domain/frames/frame-runs.ts';
import { shownFrame } from '../../domain/frames/shown-frame.ts';
import { firstIndex } from '../../domain/first-index.ts';
import { addTo, groupBy } from '../../domain/grouping.ts';
import { decodeText } from '../../domain/decode-text.ts';
import * as illFormed from '../../domain/geometry/ill-formed.ts';
import { jobConfigHashInSteps } from '../../domain/job/job-config-hash.ts';
import { jobNumber } from '../../domain/job/job-id.ts';
import { unknownMedium } from '../../domain/job/media-ids.ts';
import { csvCell } from '../../domain/text/csv-cell.ts';
import { jobNotes, lookForWrongValues } from '../../domain/job/job-notes.ts';
import { changeLabels } from '../../domain/labels.ts';
import { compileJsonPath } from '../../domain/text/json-path.ts';
import { replaceStrings } from '../../domain/text/json-text.ts';
import * as selectors from '../../domain/text/media-selectors.ts';
import * as mediaTypes from '../../domain/plan/media-types.ts';
import * as moving from '../../domain/tracks/moving-tracks.ts';
import * as padding from '../../domain/geometry/padding.ts';
import * as near from '../../domain/nearest-name.ts';
import { patternSize } from '../../domain/text/pattern-size.ts';
import * as printing from '../../domain/text/printable.ts';
import { resolvePlan } from '../../domain/plan/plan-checks.ts';
import * as lookup from '../../domain/plan/plan-lookup.ts';
import * as properties from '../../domain/properties/properties.ts';
import * as checks from '../../domain/properties/property-checks.ts';
import * as notes from '../../domain/properties/property-notes.ts';
import * as values from '../../domain/properties/property-values.ts';
import * as quality from '../../domain/tracks/quality.ts';
import * as limits from '../../domain/plan/request-limits.ts';
import * as rollUp from '../../domain/tracks/roll-up.ts';
import * as segments from '../../domain/frames/segments.ts';
import { factsFromMetadata } from '../../domain/plan/skip-inspection.ts';
import * as merging from '../../domain/tracks/track-merging.ts';
import { parseUserShares } from '../../domain/users/user-shares.ts';
import { snippetOf } from '../../domain/text/snippet.ts';
import * as colours from '../../domain/text/colours.ts';
import * as words from '../../domain/text/words.ts';
import * as trigger from '../../domain/properties/trigger.ts';
import type { AlgorithmProperty, Properties, Range, Track } from '../../domain/types.ts';
import * as fedDetections from '../../domain/tracks/fed-detections.ts';
import { foundClasses } from '../../domain/plan/found-classes.ts';
import * as plain from '../../domain/values.ts';
import * as zoneChecks from '../../domain/zones/checks.ts';
import * as schedule from '../../domain/zones/schedule.ts';
import * as shapes from '../../domain/zones/shapes.ts';
import type { Point, ZonePlan } from '../../domain/zones/types.ts';
import { ZoneWatch } from '../../domain/zones/watch.ts';
import {
  archiveJob,
  archiveMedium,
  hashedJob,
  hashedMedium,
  planOf,
  planAction,
} from '../domain/job/archive-support.ts';
import { action, algorithm, catalog, pipeline, task } from '../domain/catalog-support.ts';
import { box, track } from '../domain/support.ts';
import { because, many, makeNamed, ofText, type Known, type Work } from './growth.ts';

const TRACE = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, parentId: null };
const texts = (count: number): Properties => makeNamed(count, (at) => String(at));
const ranges = (count: number): readonly Range[] =>
  many(count, (at) => ({ start: 3 * (count - at), stop: 3 * (count - at) + 1 }));
const trackOf = (count: number): Track =>
  track(many(count, (at) => ({ frame: at, properties: { N: String(at) } })));
const declareProperty = (
  count: number,
  type: AlgorithmProperty['type'] = 'STRING',
): readonly AlgorithmProperty[] =>
  many(count, (at) => ({ name: `NAME_${at}`, description: 'One of: A or B.', type, defaultValue: 'A' }));
const wide = (count: number) =>
  planAction('WIDE', { declares: declareProperty(count), properties: makeNamed(count, () => 'A') });
const states = (count: number) =>
  algorithm('S', { provides: many(count, (at) => `S${at}`), requires: many(count, (at) => `S${at}`) });
const jobOf = (count: number) => ({
  plan: planOf([wide(10)]),
  jobProperties: texts(10),
  algorithmProperties: makeNamed(count, () => ({ A: '1' })),
  media: many(count, (at) => ({ properties: { NAME_1: String(at) } })),
});
const levels = (count: number) => ({
  environment: {},
  media: texts(count),
  algorithm: texts(count),
  job: texts(count),
  action: texts(count),
  definitions: declareProperty(count),
  server: {},
});
/**
 * A rule with property levels and properties of a medium. Defaults are cached per list of definitions, so
 * each run uses a new list.
 */
const overLevels =
  (rule: (given: ReturnType<typeof levels>, media: Properties) => unknown): Work =>
  (size) => {
    // Half the size is enough, because several of these are combined.
    const [given, media] = [levels(size / 2), texts(size / 2)];
    return () => rule({ ...given, definitions: [...given.definitions] }, media);
  };
const NO_LIMITS = {
  media: Infinity,
  uriLength: Infinity,
  nameLength: Infinity,
  externalIdLength: Infinity,
  valueLength: Infinity,
  properties: Infinity,
  propertiesLength: Infinity,
  actions: Infinity,
  planLength: Infinity,
  subJobs: Infinity,
};
const inCatalog = (count: number) => ({
  ...catalog({ algorithms: [algorithm('A', { properties: declareProperty(count) })] }),
  names: () => many(count, (at) => `NAME ${at}`),
});
const definition = (count: number) => ({
  pipeline: many(count, () => 'T'),
  tasks: many(count, (at) => ({ name: `T${at % (count / 2)}`, actions: ['A'] })),
  actions: many(count, (at) => ({ name: `A${at % (count / 2)}`, algorithm: 'A' })),
});
const NUMBERS = 'takes numbers, and as many as its name says';
const FIXED = 'looks a name up, or puts a few texts together';
const property = (name: string, rule: (given: Properties) => unknown) =>
  ofText((text) => rule({ [name]: text }));
const selector = (expression: string) => ({
  type: 'JSON_PATH' as const,
  expression,
  selectionProperties: {},
  resultDetectionProperty: 'R',
});

const corners = (count: number) =>
  many(count, (at): Point => {
    const turn = (2 * Math.PI * at) / count;
    return [0.5 + Math.cos(turn) / 2, 0.5 + Math.sin(turn) / 2];
  });
const zonePlan = (count: number): ZonePlan => ({
  zones: [{ name: 'Z', points: corners(Math.max(3, count)) }],
  lines: [],
  rules: many(count, (at) => ({ name: `R${at}`, zone: 'Z' })),
});

export const DOMAIN_RULES: Readonly<Record<string, Readonly<Record<string, Known>>>> = {
  'zones/checks.ts': {
    refusedZones: (size) => () =>
      zoneChecks.refusedZones(zonePlan(size), ['A']) ??
      zoneChecks.refusedZones({
        zones: many(size / 20, (at) => ({ name: `Z${at}`, points: corners(100) })),
        lines: [],
        rules: [],
      }),
    ...because(FIXED, 'eventOfRule'),
  },
  'zones/counts.ts': because('changes one of a few counts', 'addEvent'),
  'zones/dry-run.ts': {
    ...because('looks at rules, of which there are at most 100', 'runnablePlan'),
    ...because('looks at events, of which there are at most 1000', 'reportedRun'),
  },
  'plan/found-classes.ts': {
    foundClasses: (size) => () =>
      foundClasses([
        {
          algorithm: { trackType: 'T', classes: many(size, (at) => `C${at}`) },
          properties: { CLASS_ALLOW_LIST: many(size, (at) => `C${at}`).join(';') },
        },
      ]),
  },
  'zones/event-id.ts': because(FIXED, 'eventId'),
  'zones/rules.ts': because(FIXED, 'watchedRule', 'isMeant', 'isDue', 'ruleHit'),
  'zones/schedule.ts': {
    minutesOf: ofText(schedule.minutesOf, '22:'),
    isTimeZone: ofText(schedule.isTimeZone, 'Europe/'),
    ...because(NUMBERS, 'isWithin'),
  },
  'zones/shapes.ts': {
    ...because(NUMBERS, 'anchorPoint', 'crossingOf'),
    isInside: (size) => () => shapes.isInside([0.5, 0.5], corners(size)),
    ...because('looks at the points of a zone, of which there are at most 100', 'crossedEdges'),
    areaOf: (size) => () => shapes.areaOf(corners(size)),
  },
  'zones/track-properties.ts': because(
    'looks at zones and lines, of which there are at most 50',
    'passageAfter',
    'passageProperties',
  ),
  'zones/watch.ts': {
    ZoneWatch: (size) => () => {
      const watch = new ZoneWatch({ ...zonePlan(3), rules: [] });
      for (let at = 0; at < size; at++)
        watch.see(
          {
            ...{ track: `t${at % 20}`, type: 'FACE', confidence: 1, frame: at, at },
            box: { x: at % 9, y: at % 7, width: 1, height: 1 },
          },
          { width: 10, height: 10 },
        );
      return watch.endAll();
    },
  },
  'zones/watch-state.ts': because(
    'looks at tracks, of which there are at most 1,000',
    'followedTrack',
    'stepBetween',
  ),
  'plan/accepted-media.ts': {
    possibleTypes: [...ofText(possibleTypes), ...ofText(possibleTypes, 'application/vnd.ms-')],
    mimeInRequest: ofText((text) => mimeInRequest({ uri: 'data:,', metadata: { MIME_TYPE: text } })),
    unacceptedMedium: (size) => {
      const one = planOf(many(size / 20, () => wide(1)).flat());
      return () => unacceptedMedium(one, 'image/png', () => true);
    },
  },
  'job/archive-match.ts': {
    bestMatch: (size) => {
      const entries = many(size, (at) => ({
        dataObject: {
          jobConfigHash: 'h',
          jobId: 'j',
          jobStatus: 'COMPLETE',
          outputUri: 'u',
          processDate: new Date(at).toISOString(),
        },
      }));
      return () => archiveMatch.bestMatch(entries, 'h');
    },
  },
  'job/archive.ts': {
    ...because('is one of archiveUrls', 'archiveUrl'),
    ...because('makes a text of a few facts of the service', 'assertion'),
    archiveCheckInSteps: (size) => () =>
      atOnce(
        archive.archiveCheckInSteps(
          archiveJob({
            media: many(size / 10, (at) =>
              archiveMedium({
                properties: { ARCHIVE_URL: `http://a/${at}` },
                metadata: { MEDIA_HASH: String(at), MIME_TYPE: 'image/png' },
              }),
            ),
          }),
        ),
      ),
    archiveUrls: (size) => () =>
      archive.archiveUrls(
        archiveJob({
          media: many(size / 10, (at) => archiveMedium({ properties: { ARCHIVE_URL: `http://a/${at}` } })),
        }),
      ),
    addsToken: (size) => () =>
      archive.addsToken(archiveJob(), 'ARCHIVE_ADD_TOKEN')(many(size / 10, () => archiveMedium())),
    archiveHash: property('LINKED_MEDIA_HASH', (given) =>
      archive.archiveHash({ properties: given, metadata: {} }),
    ),
    configHashInSteps: (size) => () =>
      atOnce(
        archive.configHashInSteps(
          archiveJob({ media: many(size / 100, (at) => archiveMedium({ properties: { A: String(at) } })) }),
        ),
      ),
    refusedArchiveUrl: ofText(archive.refusedArchiveUrl, 'http://a/'),
    postUrl: ofText(
      (text) => archive.postUrl(text, { sha256: 'a', metadata: {}, properties: {} }),
      'http://a/',
    ),
    checkUrl: ofText((text) => archive.checkUrl(text, 'a', 0), 'http://a/'),
  },
  'tracks/artifact-selection.ts': {
    wantsArtifacts: property('ARTIFACT_EXTRACTION_POLICY_BEST_DETECTION_PROP_NAMES_LIST', (given) =>
      artifacts.wantsArtifacts(given, ['FACE'], 'IMAGE'),
    ),
    selectForArtifacts: (size) => {
      const given = { ...trackOf(size), exemplar: 0 };
      return () =>
        artifacts.selectForArtifacts(given, {
          ARTIFACT_EXTRACTION_POLICY_TOP_QUALITY_COUNT: String(size / 2),
        });
    },
  },
  'job/buckets.ts': {
    ...because(FIXED, 'objectKey'),
    copySource: (size) => () => buckets.copySource(texts(size)),
    archivedObject: ofText(
      (text) => buckets.archivedObject(text, { S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' }),
      'http://a/b?',
    ),
    hashInKey: ofText((text) => buckets.hashInKey(text, {})),
    withoutKeys: (size) => () => buckets.withoutKeys(texts(size)),
    refusedBucketProperties: ['S3_RESULTS_BUCKET', 'S3_HOST', 'S3_UPLOAD_OBJECT_KEY_PREFIX'].flatMap((name) =>
      property(name, (given) =>
        buckets.refusedBucketProperties({
          S3_ACCESS_KEY: 'a',
          S3_SECRET_KEY: 'b',
          S3_RESULTS_BUCKET: 'b',
          ...given,
        }),
      ),
    ),
    resultsBucket: property('S3_RESULTS_BUCKET', (given) =>
      buckets.resultsBucket({ S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b', ...given }),
    ),
    mediaBucket: ofText(
      (text) => buckets.mediaBucket(text, { S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' }),
      'http://a/b?',
    ),
    objectUri: ofText((text) => buckets.objectUri({ url: 'http://a' } as never, text)),
  },
  'job/trace.ts': {
    parseTraceparent: ofText(trace.parseTraceparent, '00-'),
    partOf: ofText((text) => trace.partOf(TRACE, text)),
    childOf: ofText((text) => trace.childOf({ traceId: '', spanId: '', sampled: true }, text)),
    traceparentFor: ofText((text) => trace.traceparentFor(TRACE, text)),
    traceFacts: ofText((text) => trace.traceFacts({ traceparent: text })),
    ...because('puts three short texts together', 'traceparentOf', 'jobTraceOf'),
  },
  'job/webhook.ts': {
    takeCallbackSecrets: ofText((text) => webhook.takeCallbackSecrets({ CALLBACK_SECRET: text }), 'whsec_'),
    noteUnusedSecrets: ofText((text) => webhook.noteUnusedSecrets({ CALLBACK_SECRET: text }, false, text)),
    areWebhookSecrets: ofText((text) => webhook.areWebhookSecrets([text]), 'whsec_'),
    webhookHeaders: ofText((text) =>
      webhook.webhookHeaders({ id: 'a', at: 0, body: text, secrets: ['whsec_AAAA'] }),
    ),
    webhookId: ofText(webhook.webhookId),
    secretsFor: ofText((text) => webhook.secretsFor(text, [{ receiver: text, secrets: [] }]), 'http://a/'),
  },
  'job/callback.ts': {
    callbackUrl: ofText(
      (text) => callback.callbackUrl(text, { jobId: 'j', externalId: text, outputObjectUri: null }),
      'http://a?',
    ),
    refusedCallbackUrl: ofText(callback.refusedCallbackUrl, 'http://a?'),
  },
  'properties/component-warnings.ts': {
    ComponentWarnings: (size) => () => {
      const warnings = new ComponentWarnings();
      for (let at = 0; at < size; at++) warnings.add(`warning ${at}`);
      return warnings.messages;
    },
  },
  'tracks/detection-errors.ts': {
    mergeDetectionErrors: (size) => {
      const errors = ranges(size).map((range, at) => ({
        range,
        algorithm: 'A',
        code: 'OTHER' as const,
        message: String(at % 9),
      }));
      return () => mergeDetectionErrors(errors, 'VIDEO');
    },
  },
  'plan/element-notes.ts': {
    actionNotes: (size) => {
      const [all, one] = [
        inCatalog(size),
        action(
          'ONE',
          'A',
          makeNamed(size, () => 'A'),
        ),
      ];
      return () => elementNotes.actionNotes(all, one);
    },
    taskNotes: (size) => {
      const [all, one] = [inCatalog(size / 20), task('ONE', ...many(size, (at) => `OTHER ${at % 20}`))];
      return () => elementNotes.taskNotes(all, one);
    },
    pipelineNotes: (size) => {
      const [all, one] = [inCatalog(size / 20), pipeline('ONE', ...many(size, (at) => `OTHER ${at % 20}`))];
      return () => elementNotes.pipelineNotes(all, one);
    },
    algorithmNotes: (size) => {
      const one = algorithm('ONE', { properties: declareProperty(size, 'INT') });
      return () => elementNotes.algorithmNotes(one);
    },
  },
  'job/document-page.ts': {
    documentPage: (size) => () => documentPage('excel '.repeat(size / 6), '1'.repeat(size)),
  },
  'job/media-order.ts': {
    sortedName: (size) => () => sortedName(`file:///${'%20/'.repeat(size / 4)}a`),
    ...because(FIXED, 'mediaKeys', 'isTextKey', 'isMediaPlace'),
  },
  'job/export-formats.ts': {
    exportFileName: (size) => () => exportFileName('a b '.repeat(size / 4), 'csv'),
    ...because(FIXED, 'joinedFileName'),
  },
  'tracks/exemplar.ts': because('looks at one detection', 'isExemplar'),
  'frames/frame-list.ts': {
    frameRangeString: (size) => () => frameList.frameRangeString(ranges(size)),
    frameListString: (size) => () => frameList.frameListString(many(size, (at) => 2 * (size - at))),
  },
  'frames/frame-runs.ts': {
    frameTable: (size) => {
      const times = many(size, (at) => at * 40 + ((at * 7) % 5));
      return () => frameTable({ fps: 25, constantRate: false, startTime: 0, times }, size);
    },
  },
  'frames/frame-times.ts': {
    ...because(NUMBERS, 'plausibleRate', 'timeOfFrame', 'frameOfTime'),
  },
  'frames/shown-frame.ts': {
    shownFrame: (size) => {
      const exemplars = many(size, (at) => ({ frame: at, confidence: (at % 10) / 10 }));
      return () => shownFrame(exemplars);
    },
  },
  'job/environment-notes.ts': because(
    'looks at what the operator has set, once at the start',
    'environmentNotes',
  ),
  'geometry/geometry.ts': because(
    NUMBERS,
    ...'isEmptyBox intersection iou orientationOf rotationMap mirrorMap applyMap inverseOf boundingBox cornersOf cornersInFrame overlapsBox'.split(
      ' ',
    ),
  ),
  'first-index.ts': {
    firstIndex: (size) => () => firstIndex(size, (index) => index > size / 3),
  },
  'grouping.ts': {
    groupBy: (size) => () =>
      groupBy(
        many(size, (at) => at),
        (at) => at,
      ),
    addTo: (size) => {
      const groups = new Map([[0, many(size, (at) => at)]]);
      return () => addTo(groups, 0, size);
    },
  },
  'properties/ignorable-properties.ts': because(FIXED, 'isIgnorable'),
  'geometry/ill-formed.ts': {
    ...because(NUMBERS, 'hasNoArea', 'isOutsideFrame'),
    isExemptFromBoxChecks: ofText(illFormed.isExemptFromBoxChecks),
    dropIllFormed: (size) => {
      const given = track(many(size, (at) => ({ frame: at, box: [0, 0, at % 2, 1] as const })));
      return () => illFormed.dropIllFormed(given, { width: 1, height: 1 });
    },
    keepDetections: (size) => {
      const given = trackOf(size);
      return () => illFormed.keepDetections(given, ({ frame }) => frame % 2 === 0);
    },
    isTooSmall: property('MIN_DETECTION_WIDTH', (given) => illFormed.isTooSmall(given)(box([0, 0, 1, 1]))),
    illFormedWarnings: (size) => () =>
      illFormed.illFormedWarnings({ noArea: many(size, (at) => 2 * at), outside: [] }),
  },
  'job/job-config-hash.ts': {
    jobConfigHashInSteps: (size) => {
      const job = hashedJob({
        media: many(size / 100, (at) =>
          hashedMedium({ properties: { A: String(at) }, frameRanges: ranges(10) }),
        ),
      });
      return () => atOnce(jobConfigHashInSteps(job));
    },
    ...because('is timed by jobConfigHashInSteps', 'levelsOf'),
  },
  'job/job-id.ts': {
    ...because(FIXED, 'jobIdOf'),
    jobNumber: [...ofText(jobNumber), ...ofText(jobNumber, 'a-', '-1')],
  },
  'job/media-ids.ts': {
    unknownMedium: (size) => () =>
      unknownMedium(
        -1,
        many(size, (at) => at * 2),
      ),
  },
  'users/usage.ts': because(FIXED, 'usageOfDay', 'dayOf', 'usageCounters'),
  'users/owner.ts': because(FIXED, 'ownerOf', 'sightOf', 'isSeen', 'scopesOf', 'placesOf', 'encodeName'),
  'users/user-shares.ts': {
    ...because(FIXED, 'weightOf'),
    parseUserShares: ofText(parseUserShares, '', '=1'),
  },
  'labels.ts': {
    changeLabels: (size) => () =>
      changeLabels(many(size, String), { add: many(size, String), remove: many(size, (at) => `x${at}`) }),
  },
  'job/job-notes.ts': {
    ...because('is timed by jobNotes', 'JobNotes', 'jobPropertiesOf', 'lookForNotes'),
    lookForWrongValues: (size) => {
      const job = jobOf(size / 20);
      return () => [...lookForWrongValues(job)];
    },
    jobNotes: [
      (size) => () => jobNotes(jobOf(size / 20)),
      (size) => () =>
        jobNotes({
          ...jobOf(1),
          plan: planOf([wide(size / 20)]),
          algorithmProperties: Object.fromEntries(
            many(size / 20, (at) => [`${' '.repeat(at % 100)}WIDE${' '.repeat(at / 100)}`, { NAME_1: 'A' }]),
          ),
        }),
    ],
  },
  'omit.ts': because('copies an object of ours', 'omit'),
  'decode-text.ts': { decodeText: [...ofText(decodeText), ...ofText(decodeText, '%')] },
  'text/json-path.ts': {
    ...because(FIXED, 'JsonPathError', 'isContainer'),
    compileJsonPath: [
      ...ofText(compileJsonPath, '$'),
      // The longest text that is accepted.
      ...ofText((text) => compileJsonPath(`$${text.slice(0, 990)}`)),
      ...['[?@', '[?(', '..*', '[?!', '@.a&&'].map((part) => (size: number) => {
        const text = `$${part.repeat(size / 400)}${']'.repeat(size / 400)}`;
        return () => compileJsonPath(text);
      }),
    ],
  },
  'text/json-text.ts': {
    replaceStrings: (size) => {
      const document = many(size / 10, (at) => ({ [`N${at % 7}`]: 'text', in: [at] }));
      return () => replaceStrings(JSON.stringify(document), { $: document }, () => 'x');
    },
  },
  'text/media-selectors.ts': {
    SelectorCheck: ofText((text) => [
      ...new selectors.SelectorCheck([{ name: 'A' }]).refusals({
        mediaSelectors: [selector(text)],
        mediaSelectorsOutputAction: 'A',
      }),
    ]),
    selectStrings: (size) => {
      const document = many(size / 10, (at) => ({ a: String(at) }));
      return () => selectors.selectStrings(document, selector('$..a'));
    },
    duplicatePolicy: ofText(selectors.duplicatePolicy),
    fillText: (size) => {
      const document = many(size / 10, (at) => ({ a: String(at) }));
      const outputs = new Map(many(size / 10, (at) => [String(at), ['x', 'y']] as const));
      return () =>
        selectors.fillText(JSON.stringify(document), [{ selector: selector('$..a'), outputs }], {
          duplicatePolicy: 'JOIN',
        });
    },
  },
  'plan/media-types.ts': {
    mediaTypeOf: ofText(mediaTypes.mediaTypeOf),
    needsConversion: ofText(mediaTypes.needsConversion),
    hasPages: ofText(mediaTypes.hasPages),
    statedType: ofText(mediaTypes.statedType, 'data:'),
  },
  'tracks/moving-tracks.ts': {
    movingRule: property('MOVING_TRACK_MAX_IOU', (given) =>
      moving.movingRule({ ...given, MOVING_TRACK_LABELS_ENABLED: 'TRUE' }),
    ),
    labelMoving: (size) => {
      const given = trackOf(size);
      return () => moving.labelMoving(given, { maxIou: 1, minDetections: 1, movingOnly: false });
    },
  },
  'geometry/padding.ts': {
    ...because(NUMBERS, 'padDetection'),
    paddingOf: property('DETECTION_PADDING_X', padding.paddingOf),
    padTrack: (size) => {
      const given = trackOf(size);
      const pixel = { amount: 1, percent: false };
      return () => padding.padTrack(given, { x: pixel, y: pixel }, { width: 100, height: 100 });
    },
    paddingWarnings: (size) => () => padding.paddingWarnings(many(size, (at) => 2 * at)),
  },
  'text/printable.ts': {
    printable: ofText(printing.printable),
    printableLines: ofText(printing.printableLines),
    shortenText: ofText((text) => printing.shortenText(text, 100)),
  },
  'text/csv-cell.ts': { csvCell: ofText(csvCell) },
  'text/message-pattern.ts': {
    messagePattern: [
      ...ofText(messagePattern),
      ...ofText(messagePattern, 'https://a/', ' b'),
      ...ofText(messagePattern, '/', '/1'),
    ],
  },
  'nearest-name.ts': {
    nearestName: [
      ...ofText((text) => near.nearestName(text, [text])),
      (size) => () => near.nearestName('NAME X', many(size, String)),
    ],
    nearestNames: [
      ...ofText((name) => near.nearestNames(name, ['TROUPE.DETECTION_FACE_REQUEST'])),
      (size) => () =>
        near.nearestNames(
          'TROUPE.DETECTON_FACE',
          many(size, (at) => `TROUPE.DETECTION_${at}`),
        ),
    ],
    lettersBetween: ofText((name) => near.lettersBetween(name, name)),
    suggestion: ofText((text) => near.suggestion(text, [text])),
  },
  'text/pattern-size.ts': { patternSize: [...ofText(patternSize), ...ofText(patternSize, '[')] },
  'plan/plan-checks.ts': {
    resolvePlan: [
      (size) => {
        const all = catalog({
          algorithms: [algorithm('A', { properties: declareProperty(size) })],
          actions: [
            action(
              'N',
              'A',
              makeNamed(size, () => 'A'),
            ),
          ],
          tasks: [task('T', 'N')],
          pipelines: [pipeline('P', 'T')],
        });
        return () => resolvePlan(all, { pipelineName: 'P' }, 'batch', NO_LIMITS);
      },
      (size) => {
        const all = catalog({
          algorithms: [states(size)],
          actions: [action('N', 'S')],
          tasks: [task('T', 'N'), task('U', 'N')],
          pipelines: [pipeline('P', 'T', 'U')],
        });
        return () => resolvePlan(all, { pipelineName: 'P' }, 'batch', NO_LIMITS);
      },
    ],
  },
  'plan/plan-lookup.ts': {
    withTransientParts: (size) => () => lookup.withTransientParts(catalog(), definition(size)),
    refusedDefinition: (size) => () => lookup.refusedDefinition(definition(size)),
  },
  'properties/properties.ts': {
    ...because(
      'reads one property as domain/values.ts does',
      'textOf',
      'integerOf',
      'numberOf',
      'booleanOf',
      'wantsDetails',
    ),
    effectiveProperties: overLevels((given) => properties.effectiveProperties(given, 'VIDEO')),
    propertiesOver: overLevels((given, media) => properties.propertiesOver(given, 'VIDEO')(media)),
    propertyLookup: overLevels((given, media) => properties.propertyLookup(given, 'VIDEO')(media, 'NAME_1')),
    frameSampling: overLevels((given) => properties.frameSampling(given, 25)),
    componentProperties: overLevels((given) =>
      properties.componentProperties(given, { mediaType: 'VIDEO', fps: 25 }),
    ),
    propertyLevels: (size) => () =>
      properties.propertyLevels(
        {
          environment: {},
          jobProperties: {},
          algorithmProperties: makeNamed(size, () => ({ A: '1' })),
          server: {},
        },
        wide(1),
        { properties: {} },
      ),
  },
  'properties/property-checks.ts': {
    refusedProperty: ['DETECTION_PADDING_X', 'TRIGGER'].flatMap((name) =>
      property(name, checks.refusedProperty),
    ),
    declaredBy: (size) => () => checks.declaredBy(algorithm('A', { properties: declareProperty(size) })),
    refusedActionProperty: (size) => {
      const one = wide(size);
      return () => checks.refusedActionProperty(one);
    },
  },
  'properties/property-notes.ts': {
    ...because('is timed by notesOn', 'KnownProperties'),
    wrongValue: [
      (size) => {
        const known = new notes.KnownProperties(declareProperty(size / 100));
        return () => notes.wrongValue(texts(size), known, 'here');
      },
      (size) => {
        const known = new notes.KnownProperties(declareProperty(size));
        return () => notes.wrongValue(texts(size), known, 'here');
      },
    ],
    notesOn: [
      (size) => () => [
        ...notes.notesOn(texts(size), new notes.KnownProperties(declareProperty(size / 100)), 'here'),
      ],
      (size) => () => [
        ...notes.notesOn(texts(size), new notes.KnownProperties(declareProperty(size)), 'here'),
      ],
    ],
    adviceOn: (size) => () =>
      notes.adviceOn(
        'OTHER',
        many(size, (at) => `NAME ${at}`),
      ),
    showText: ofText(notes.showText),
    isNear: ofText((text) => notes.isNear(text, `${text}a`)),
  },
  'properties/property-values.ts': {
    ...because(FIXED, 'isForgiven'),
    isOfType: ['INT', 'LONG', 'FLOAT'].flatMap((type) => ofText((text) => values.isOfType(type, text))),
    valueProblem: [
      ...ofText((text) => values.valueProblem({ name: 'A', type: 'INT', description: '' }, text)),
      ...ofText(
        (text) => values.valueProblem({ name: 'A', type: 'STRING', description: text }, 'x'),
        ': ',
        ' or B.',
      ),
    ],
  },
  'tracks/track-counts.ts': because(NUMBERS, 'roundInterval'),
  'tracks/quality.ts': {
    qualityOf: ofText((text) => quality.qualityOf({ confidence: 1, properties: { Q: text } }, 'Q')),
    qualityRule: property('QUALITY_SELECTION_THRESHOLD', quality.qualityRule),
    thresholdWarnings: property('QUALITY_SELECTION_THRESHOLD', quality.thresholdWarnings),
    aboveThreshold: (size) => {
      const given = trackOf(size);
      return () => quality.aboveThreshold(given, { property: 'N', threshold: size / 2 }, 'VIDEO');
    },
    topQuality: (size) => {
      const { detections } = trackOf(size);
      return () => quality.topQuality(detections, size / 2, 'N');
    },
    exemplarOf: (size) => {
      const given = trackOf(size);
      return () => quality.exemplarOf(given, 'QUALITY', 'N');
    },
  },
  'tracks/fed-detections.ts': {
    fedDetections: (size) => {
      const { detections } = trackOf(size);
      const choose = fedDetections.fedDetections({
        FEED_FORWARD_TOP_QUALITY_COUNT: String(size / 2),
        FEED_FORWARD_BEST_DETECTION_PROP_NAMES_LIST: 'A;B',
      });
      return () => choose(detections);
    },
    ...because('is asked of one detection at a time, with as many as its count says', 'fedSoFar'),
  },
  'plan/task-inputs.ts': because(
    'looks at the tasks of a plan, of which there are at most 200',
    'taskInputs',
  ),
  'plan/request-limits.ts': {
    ...because(FIXED, 'tooManyMedia', 'overSubJobs'),
    overLimit: (size) => {
      const request = {
        ...jobOf(1),
        algorithmProperties: makeNamed(size, () => ({})),
        pipelineDefinition: definition(size),
        media: many(size, (at) => ({ uri: 'a', metadata: {}, properties: { A: String(at) } })),
      };
      return () => limits.overLimit(request, NO_LIMITS);
    },
    overActions: (size) => () => limits.overActions({ tasks: many(size, () => 'T') }, () => ['A'], NO_LIMITS),
    overPlan: (size) => {
      const plan = planOf(many(size, () => wide(2)));
      return () => limits.overPlan(plan, NO_LIMITS);
    },
  },
  'tracks/roll-up.ts': {
    parseRollUp: (size) => {
      const text = JSON.stringify([
        {
          propertyToProcess: 'A',
          groups: many(size / 4, (at) => ({ rollUp: `G${at}`, members: [`M${at}`] })),
        },
      ]);
      return () => rollUp.parseRollUp(text);
    },
    applyRollUp: (size) => {
      const given = trackOf(size);
      const rule = {
        values: new Map([['N', new Map(many(size, (at) => [String(at), 'x']))]]),
        copies: new Map([['N', new Set(['O'])]]),
      };
      return () => rollUp.applyRollUp(rule, given);
    },
  },
  'text/snippet.ts': {
    snippetOf: [
      (size) => () => snippetOf('word '.repeat(size), words.searchTerms('word wo* "word word"'), 200),
      (size) => () => snippetOf('word '.repeat(size), words.searchTerms('nothing'), 200),
      (size) => () => snippetOf('x'.repeat(size), words.searchTerms('nothing'), 200),
    ],
  },
  'text/colours.ts': {
    colourOf: ofText(colours.colourOf),
    namedColour: ofText(colours.namedColour),
  },
  'text/words.ts': {
    wordsIn: ofText((text) => [...words.wordsIn(text)]),
    foldedWords: ofText(words.foldedWords),
    foldedName: ofText(words.foldedName),
    phrasesOf: (size) => {
      const terms = words.searchTerms('a OR b '.repeat(size));
      return () => words.phrasesOf(terms);
    },
    searchTerms: [
      ...ofText(words.searchTerms),
      (size) => () => words.searchTerms('"a" '.repeat(size)),
      (size) => () => words.searchTerms('"'.repeat(size)),
      (size) => () => words.searchTerms('a OR '.repeat(size)),
    ],
  },
  'frames/segments.ts': {
    ...because(NUMBERS, 'segmentLimits'),
    soundPieces: (size) => () =>
      segments.soundPieces({ [segments.SOUND_SEGMENT_LENGTH]: '1' }, size * 1000, size),
    cutRange: (size) => () => segments.cutRange({ start: 0, stop: size }, { target: 1, min: 1 }),
    boundedLimits: (size) => () => segments.boundedLimits(ranges(size), { target: 1, min: 1 }, size),
    cutRanges: (size) => () => segments.cutRanges(ranges(size), { target: 1, min: 1 }),
    joinRanges: (size) => () => segments.joinRanges(ranges(size), 1),
    userRanges: (size) => () =>
      segments.userRanges({
        frameRanges: ranges(size),
        timeRanges: ranges(size),
        frameTimes: { fps: 25, constantRate: true, startTime: 0 },
        length: size,
      }),
    followUpRanges: (size) => () => segments.followUpRanges(ranges(size), {}),
    pageRanges: (size) => () => segments.pageRanges(ranges(size)),
    capRanges: (size) => () => segments.capRanges(ranges(size), 10),
  },
  'plan/skip-inspection.ts': {
    factsFromMetadata: ['FRAME_WIDTH', 'MIME_TYPE'].flatMap((name) =>
      property(name, (given) =>
        factsFromMetadata({ MIME_TYPE: 'image/png', MEDIA_HASH: 'a', FRAME_HEIGHT: '1', ...given }),
      ),
    ),
  },
  'tracks/track-id.ts': because(FIXED, 'trackId'),
  'tracks/track-merging.ts': {
    ...because(NUMBERS, 'isTooShort', 'trackEnds'),
    mergePlan: property('MIN_OVERLAP', (given) => merging.mergePlan(given, 'VIDEO', 'FACE')),
    mergeGroups: {
      most: 1_000,
      work: (size) => {
        const apart = many(size, (at) => ({
          ...track([{ frame: at % 2, box: [at * 9, 0, 1, 1] as const }]),
        }));
        const ends = apart.map(merging.trackEnds);
        return () => merging.mergeGroups(ends, { gap: 1, minOverlap: 0.5 });
      },
      why: 'compares the tracks that end at a border with all that begin there; it runs in the media component, under the clock of silence',
    },
    uniteTracks: (size) => {
      const given = { ...trackOf(size), properties: texts(size) };
      return () => merging.uniteTracks(given, given);
    },
  },
  'tracks/turned-picture.ts': because(
    'looks at a point, a box or the size of a picture',
    'turn',
    'toUpright',
    'rotatedSize',
    'pictureOf',
    'uprightBoxOf',
  ),
  'properties/trigger.ts': {
    feedForwardType: ofText(trigger.feedForwardType),
    parseTrigger: ofText(trigger.parseTrigger, 'A='),
    triggerIn: ofText(trigger.triggerIn, 'A='),
    triggerMatches: (size) => () =>
      trigger.triggerMatches({ property: 'A', values: many(size, String) }, { A: 'x' }),
    refusedTrigger: property('TRIGGER', trigger.refusedTrigger),
  },
  'values.ts': {
    parseNumber: [...ofText(plain.parseNumber), ...ofText(plain.parseNumber, '1.')],
    parseInteger: ofText(plain.parseInteger),
    parseBoolean: ofText(plain.parseBoolean),
    isBlank: ofText(plain.isBlank),
    canonicalName: ofText(plain.canonicalName),
  },
  'properties/workflow-properties.ts': because(FIXED, 'workflowProperty', 'defaultOf'),
};
