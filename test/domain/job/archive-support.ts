/** Short definitions of jobs for the archive rules. */
import type { ArchiveJob, ArchiveMedium } from '../../../domain/job/archive.ts';
import type { HashedJob, HashedMedium } from '../../../domain/job/job-config-hash.ts';
import type { PipelinePlan, PlannedAction } from '../../../domain/plan.ts';
import type { AlgorithmProperty, Properties } from '../../../domain/types.ts';
import { algorithm } from '../catalog-support.ts';

export const declareProperty = (name: string, defaultValue?: string): AlgorithmProperty => ({
  name,
  description: `Property ${name}`,
  type: 'STRING',
  ...(defaultValue === undefined ? {} : { defaultValue }),
});

export const planAction = (
  name: string,
  given: {
    readonly properties?: Properties;
    readonly declares?: readonly AlgorithmProperty[];
    readonly outputChangedCounter?: number;
  } = {},
): PlannedAction => ({
  name: `${name} ACTION`,
  description: '',
  properties: given.properties ?? {},
  algorithm: algorithm(name, {
    properties: given.declares ?? [],
    more: { outputChangedCounter: given.outputChangedCounter },
  }),
});

/** One task per list of actions. */
export const planOf = (...tasks: readonly (readonly PlannedAction[])[]): PipelinePlan => ({
  name: 'PIPELINE',
  description: '',
  tasks: tasks.map((actions, i) => ({
    name: `TASK ${i}`,
    description: '',
    actionType: 'DETECTION' as const,
    actions,
  })),
});

const UNSET = {
  jobProperties: {},
  algorithmProperties: {},
  environmentProperties: {},
  serverProperties: {},
} as const;

export const hashedMedium = (more: Partial<HashedMedium> = {}): HashedMedium => ({
  sha256: 'aa',
  mediaType: 'IMAGE',
  properties: {},
  frameRanges: [],
  timeRanges: [],
  ...more,
});

export const hashedJob = (more: Partial<HashedJob> = {}): HashedJob => ({
  ...UNSET,
  plan: planOf([planAction('FACE')]),
  media: [hashedMedium()],
  ...more,
});

export const archiveMedium = (more: Partial<ArchiveMedium> = {}): ArchiveMedium => ({
  metadata: {},
  properties: {},
  frameRanges: [],
  timeRanges: [],
  ...more,
});

/** Default: a job with one medium whose hash and MIME type are known. */
export const archiveJob = (more: Partial<ArchiveJob> = {}): ArchiveJob => ({
  ...UNSET,
  plan: planOf([planAction('FACE')]),
  media: [archiveMedium({ metadata: { MEDIA_HASH: 'aa', MIME_TYPE: 'image/png' } })],
  ...more,
});
