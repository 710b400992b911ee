/** The jobs of the run: short work of different kinds. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeVideo } from '../../media/support/make-video.ts';
import { sampleUri, type DetectionDocument, type JobRequest } from '../../support/processes/service.ts';

export type Shapes = ReadonlyMap<string, JobRequest>;

/** Writes their media into `folder`. */
export function shapesIn(folder: string): Shapes {
  const film = (name: string, frames: number) => {
    makeVideo(join(folder, name), { encoder: 'mpeg4', frames });
    return pathToFileURL(join(folder, name)).href;
  };
  const long = film('long.avi', 24);
  const short = film('short.avi', 8);
  const pictures = ['text.png', 'camera.png', 'rocket.jpg', 'race.jpg'].map(sampleUri);
  const segments = { TARGET_SEGMENT_LENGTH: '6', MIN_SEGMENT_LENGTH: '3' };
  return new Map<string, JobRequest>([
    ['picture', { media: [pictures[0]!], pipelineName: 'LIGHT PIPELINE' }],
    ['pictures', { media: pictures, pipelineName: 'LIGHT TWICE PIPELINE' }],
    ['film', { media: [long], pipelineName: 'STAGED PIPELINE', jobProperties: segments }],
    ['mixed', { media: [short, pictures[1]!], pipelineName: 'LIGHT PIPELINE' }],
    // 50 ms per frame, so that jobs are long enough to be cancelled or interrupted.
    [
      'slow',
      {
        media: [long, short],
        pipelineName: 'TROUBLE PIPELINE',
        jobProperties: { TROUBLE: 'slow', ...segments },
      },
    ],
  ]);
}

/** The parts that are equal in all documents of a shape: without times and ids. */
export function contentOf({ jobId, media, ...document }: DetectionDocument): unknown {
  const { objectId: _, timeStart: _1, timeStop: _2, timing: _3, externalId: _4, ...rest } = document;
  const ids = media.map(({ mediaId }) => mediaId);
  const text = JSON.stringify({ ...rest, media }, (key, value: unknown) =>
    (key === 'mediaId' || key === 'parentMediaId') && ids.includes(value as number)
      ? ids.indexOf(value as number)
      : value,
  );
  // Paths and URIs contain ids of the job, its run and its media.
  const named = text.replaceAll(new RegExp(`${jobId}(\\.\\d+)?`, 'g'), 'JOB');
  return JSON.parse(
    ids.reduce((all, id, n) => all.replaceAll(new RegExp(`(?<=JOB/)${id}(?=[/.])`, 'g'), `M${n}`), named),
  );
}
