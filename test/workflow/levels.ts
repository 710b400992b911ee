/** Jobs that set a property on several levels, and a component that reports the value that it got. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Properties } from '../../domain/types.ts';
import type { JobRequest, Service } from '../support/processes/service.ts';
import { pipelineOf } from './support.ts';

/** The algorithm STAGED declares its own default for it. */
export const NAME = 'COMPONENT_HTTP_RETRY_MAX_ATTEMPTS';

/** Levels above those of the server, highest first. VALUES has the value that each one sets. */
export const LEVELS = ['selector', 'media', 'algorithm', 'job', 'action'] as const;

export const VALUES: Readonly<Record<(typeof LEVELS)[number], string>> = {
  selector: '2',
  media: '3',
  algorithm: '4',
  job: '5',
  action: '6',
};

/** A job with a document that sets the property on these levels. */
export const request = (service: Service, levels: readonly (typeof LEVELS)[number][]): JobRequest => {
  writeFileSync(join(service.mediaDir, 'words.json'), '{ "word": "hello" }');
  const on = (level: (typeof LEVELS)[number]): Properties =>
    levels.includes(level) ? { [NAME]: VALUES[level] } : {};
  return {
    ...pipelineOf({ algorithm: 'NOTING', properties: { TELL: NAME, ...on('action') } }),
    media: [
      {
        mediaUri: pathToFileURL(join(service.mediaDir, 'words.json')).href,
        properties: on('media'),
        mediaSelectorsOutputAction: 'FIRST',
        mediaSelectors: [
          {
            type: 'JSON_PATH',
            expression: '$.word',
            resultDetectionProperty: 'NOTE',
            selectionProperties: on('selector'),
          },
        ],
      },
    ],
    algorithmProperties: { noting: on('algorithm'), STAGED: { [NAME]: '9' } },
    jobProperties: on('job'),
  };
};
