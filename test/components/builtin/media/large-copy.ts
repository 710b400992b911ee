/**
 * Runs as its own process: copies a document with the given number of detections, and prints its size and the
 * time.
 */
import { rewrittenDocument, surveyOf } from '../../../../components/builtin/media/copy/copied-document.ts';

const detections = Number(process.argv[2] ?? 0);

async function* document(): AsyncGenerator<string> {
  yield '{"jobId":"there-7","media":[{"path":"file:///a","sha256":"aa","output":{"FACE":[{"tracks":[';
  for (let n = 0; n < detections; n++) {
    const detection = JSON.stringify({
      offsetFrame: n,
      detectionProperties: { ROTATION: '0', TEXT: 'some text that stands in a detection' },
      artifactExtractionStatus: 'COMPLETED',
      artifactPath: `https://bucket.example/results/ab/cd/${String(n).padStart(64, '0')}`,
    });
    yield `${n === 0 ? '' : ','}{"id":"${n}","exemplar":${detection},"detections":[${detection}]}`;
  }
  yield ']}]}}]}\n';
}

const begun = Date.now();
const { signal } = new AbortController();
const survey = await surveyOf(document(), signal);
const surveyed = Date.now();
let bytes = 0;
const places = {
  jobId: 'here-1',
  media: new Map<string, readonly string[]>(),
  copyFile: (uri: string) => new Promise<string>((resolve) => setImmediate(() => resolve(uri))),
};
for await (const piece of rewrittenDocument(document(), survey, places, 32)) bytes += piece.length;
process.stdout.write(
  JSON.stringify({ files: survey.files, bytes, surveyMs: surveyed - begun, ms: Date.now() - surveyed }),
);
