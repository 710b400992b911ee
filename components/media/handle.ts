/** What the built-in media component does with a sub-job; the `handle` of its worker loop. */
import { DetectionError } from '../sdk/detector.ts';
import type { Assignment } from '../sdk/protocol.ts';
import type { WorkContext } from '../sdk/worker.ts';
import { artifacts } from './artifacts.ts';
import { document } from './document.ts';
import { feed } from './feed.ts';
import { finish } from './finish.ts';
import { storing } from './keep-results.ts';
import { prepare } from './prepare.ts';
import { upload } from './upload.ts';

export function handleMediaWork(assignment: Assignment, context: WorkContext): AsyncIterable<string> {
  switch (assignment.kind) {
    case 'PREPARE':
      return prepare(assignment.work, context);
    case 'FEED':
      return feed(assignment.work, context);
    case 'FINISH':
      return finish(assignment.work, context);
    case 'ARTIFACTS': {
      const { context: counting, store } = storing(assignment.work, context);
      return artifacts(assignment.work, counting, store);
    }
    case 'DOCUMENT':
      return document(assignment.work, context);
    case 'UPLOAD':
      return upload(assignment.work, context);
    case 'DETECT':
    case 'MARKUP':
      throw new DetectionError(
        'DETECTION_NOT_INITIALIZED',
        `The media component does not do ${assignment.kind}.`,
      );
  }
}
