/** Short definitions of pipelines and documents for these tests. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Properties } from '../../domain/types.ts';
import { makeVideo, type VideoRecipe } from '../media/support/make-video.ts';
import type { StagedTrack } from '../support/components/staged/detector.ts';
import type {
  DetectionDocument,
  DocumentMedium,
  DocumentOutput,
  DocumentTrack,
  JobRequest,
  Service,
} from '../support/processes/service.ts';

export interface Step {
  readonly algorithm: string;
  /** Name of the action; default: FIRST, SECOND, THIRD ... */
  readonly name?: string;
  readonly properties?: Properties;
}

const NAMES = ['FIRST', 'SECOND', 'THIRD', 'FOURTH', 'FIFTH'];

/** A pipeline with these tasks, each with one or several actions. */
export function pipelineOf(...tasks: readonly (Step | readonly Step[])[]) {
  const planned = tasks.map((task, n) =>
    (isSteps(task) ? task : [task]).map((step, m) => actionOf(step, n, m)),
  );
  return {
    pipelineDefinition: {
      pipeline: planned.map((_, n) => `TASK ${n}`),
      tasks: planned.map((actions, n) => ({ name: `TASK ${n}`, actions: actions.map(({ name }) => name) })),
      actions: planned.flat(),
    },
  };
}

const isSteps = (task: Step | readonly Step[]): task is readonly Step[] => Array.isArray(task);

function actionOf({ algorithm, name, properties = {} }: Step, task: number, action: number) {
  return {
    name: name ?? `${NAMES[task]}${action === 0 ? '' : ` ${action}`}`,
    algorithm,
    properties: Object.entries(properties).map(([key, value]) => ({ name: key, value })),
  };
}

/** The first step of most pipelines: it finds these tracks. */
export const finds = (tracks: readonly StagedTrack[], properties: Properties = {}): Step => ({
  algorithm: 'STAGED',
  properties: { STAGE: JSON.stringify(tracks), ARTIFACT_EXTRACTION_POLICY: 'NONE', ...properties },
});

/** A step that reports its input. */
export const looks = (properties: Properties = {}): Step => ({
  algorithm: 'STAGED',
  properties: { ARTIFACT_EXTRACTION_POLICY: 'NONE', ...properties },
});

/** A step that adds notes to the tracks that it is fed. */
export const annotates = (properties: Properties = {}): Step => ({
  algorithm: 'NOTING',
  properties: { FEED_FORWARD_TYPE: 'REGION', IS_ANNOTATOR: 'TRUE', ...properties },
});

/** The medium property that defines the tracks to find, instead of the action. */
export const stageTracks = (tracks: readonly StagedTrack[]): Properties => ({
  STAGE: JSON.stringify(tracks),
});

/** Generates a video and returns its URI. */
export function video(service: Service, name: string, recipe: VideoRecipe): string {
  makeVideo(join(service.mediaDir, name), { encoder: 'mpeg4', ...recipe });
  return pathToFileURL(join(service.mediaDir, name)).href;
}

/** Runs a job with one medium, which must end COMPLETE or as given. Returns the medium in the document. */
export async function runOne(
  service: Service,
  medium: JobRequest['media'][number],
  request: Omit<JobRequest, 'media'>,
  status = 'COMPLETE',
): Promise<DocumentMedium> {
  return (await run(service, medium, request, status)).media[0]!;
}

export const run = (
  service: Service,
  medium: JobRequest['media'][number],
  request: Omit<JobRequest, 'media'>,
  status = 'COMPLETE',
): Promise<DetectionDocument> => runAll(service, [medium], request, status);

/** Runs one job with all these media, which must end COMPLETE or as given. */
export async function runAll(
  service: Service,
  media: JobRequest['media'],
  request: Omit<JobRequest, 'media'>,
  status = 'COMPLETE',
): Promise<DetectionDocument> {
  const document = await service.run({ ...request, media });
  if (document.status !== status)
    throw new Error(
      `The job ended ${document.status} instead of ${status}: ${JSON.stringify(document.errors)}`,
    );
  return document;
}

/**
 * One job for many tests whose media differ only in their properties, because a job costs much more than a
 * further medium. Called in a suite, it returns a function that adds a medium and, in a test, returns that
 * medium in the document.
 */
export function inOneJob(
  service: () => Service,
  request: Omit<JobRequest, 'media'>,
  status = 'COMPLETE',
): (uri: () => string, properties: Properties, more?: object) => () => DocumentMedium {
  const media: (() => Exclude<JobRequest['media'][number], string>)[] = [];
  let found: readonly DocumentMedium[] = [];
  before(async () => {
    const given = media.map((medium) => medium());
    found = (await runAll(service(), given, request, status)).media;
  });
  return (uri, properties, more = {}) => {
    const n = media.push(() => ({ mediaUri: uri(), properties, ...more })) - 1;
    return () => found[n]!;
  };
}

export interface Entry extends DocumentOutput {
  readonly annotators?: readonly string[];
}

/** Tracks of an action. */
export function foundBy({ output }: DocumentMedium, action: string): readonly DocumentTrack[] {
  return Object.values(output)
    .flat()
    .filter(({ source }) => source === action)
    .flatMap(({ tracks = [] }) => tracks);
}

/** Values of a property of the tracks of an action. */
export const valuesOf = (
  medium: DocumentMedium,
  action: string,
  property: string,
): readonly (string | undefined)[] =>
  foundBy(medium, action).map(({ trackProperties }) => trackProperties[property]);

/** Key, action, number of tracks and annotators of each entry of `output`. */
export const entriesOf = ({ output }: DocumentMedium): readonly string[] =>
  Object.entries(output).flatMap(([key, entries]) =>
    (entries as readonly Entry[]).map(({ source, tracks, annotators }) =>
      [
        key,
        source,
        ...(tracks === undefined ? [] : [tracks.length]),
        ...(annotators === undefined ? [] : [`by ${annotators.join(' and ')}`]),
      ].join(' | '),
    ),
  );

/** The error message for a job that must be refused. */
export async function refusal(service: Service, request: JobRequest): Promise<string> {
  const { status, body } = await service.create(request);
  if (status !== 400) throw new Error(`The job was answered with ${status} instead of 400.`);
  return JSON.stringify(body);
}
