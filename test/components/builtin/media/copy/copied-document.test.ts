import { expect } from 'chai';
import {
  rewrittenDocument,
  surveyOf,
  type NewPlaces,
} from '../../../../../components/builtin/media/copy/copied-document.ts';
import { copiesWithin } from './copied-document-suite.ts';

const { signal } = new AbortController();
async function* textOf(value: unknown): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify(value));
}
const NEW: NewPlaces = {
  jobId: 'here-1',
  media: new Map(),
  copyFile: (uri) => Promise.resolve(`copy of ${uri}`),
};
async function rewriteCopy(document: object, places: Partial<NewPlaces> = {}, ahead = 4) {
  const survey = await surveyOf(textOf(document), signal);
  const parts: Buffer[] = [];
  for await (const piece of rewrittenDocument(textOf(document), survey, { ...NEW, ...places }, ahead))
    parts.push(Buffer.from(piece as string));
  return { survey, text: Buffer.concat(parts).toString('utf8') };
}
const tracks = (...paths: readonly string[]) => ({
  FACE: [
    { tracks: paths.map((artifactPath) => ({ exemplar: { artifactPath }, detections: [{ artifactPath }] })) },
  ],
});

describe('The document of an earlier job, written anew,', () => {
  it('names the new job, its media by their hash, and the copies; the old names are beside them', async () => {
    const { text, survey } = await rewriteCopy(
      {
        jobId: 'there-7',
        status: 'COMPLETE',
        media: [
          {
            path: 'old://a',
            sha256: 'AA',
            parentMediaId: -1,
            markupResult: { path: 'm' },
            output: tracks('p', ''),
          },
          { path: 'old://b', sha256: 'bb', mediaProperties: { LINKED_MEDIA_HASH: 'cc' }, output: {} },
          { path: 'old://a2', sha256: 'aa', output: {} },
          { path: 'old://unknown', sha256: 'ff', markupResult: { path: '' }, output: {} },
          { parentMediaId: 5, path: 'old://derived', sha256: 'aa', mediaSelectorsOutputUri: 's', output: {} },
        ],
      },
      {
        media: new Map([
          ['aa', ['new://1', 'http://user:hush@new/2']],
          ['cc', ['new://3']],
        ]),
      },
    );
    expect(survey.files, 'each as often as it is named').to.equal(5);
    expect(JSON.parse(text)).to.deep.equal({
      jobId: 'here-1',
      archiveSourceJobId: 'there-7',
      status: 'COMPLETE',
      media: [
        {
          path: 'new://1',
          archiveSourceMediaPath: 'old://a',
          sha256: 'AA',
          parentMediaId: -1,
          markupResult: { path: 'copy of m' },
          output: {
            FACE: [
              {
                tracks: [
                  { exemplar: { artifactPath: 'copy of p' }, detections: [{ artifactPath: 'copy of p' }] },
                  { exemplar: { artifactPath: '' }, detections: [{ artifactPath: '' }] },
                ],
              },
            ],
          },
        },
        {
          path: 'new://3',
          archiveSourceMediaPath: 'old://b',
          sha256: 'bb',
          mediaProperties: { LINKED_MEDIA_HASH: 'cc' },
          output: {},
        },
        { path: 'http://***@new/2', archiveSourceMediaPath: 'old://a2', sha256: 'aa', output: {} },
        {
          path: 'old://unknown',
          archiveSourceMediaPath: 'old://unknown',
          sha256: 'ff',
          markupResult: { path: '' },
          output: {},
        },
        {
          parentMediaId: 5,
          path: 'copy of old://derived',
          archiveSourceMediaPath: 'old://derived',
          sha256: 'aa',
          mediaSelectorsOutputUri: 'copy of s',
          output: {},
        },
      ],
    });
  });

  it('says no more what to ask the service of the earlier job for', async () => {
    const found = { artifactPath: 'p', artifactHref: 'artifacts/1/0/0/0/frame-0.png' };
    const { text, survey } = await rewriteCopy({
      jobId: 'there-7',
      media: [
        {
          path: 'old://a',
          href: 'media/0',
          markupResult: { path: 'm', href: 'media/0/markup' },
          mediaSelectorsOutputUri: 's',
          mediaSelectorsOutputHref: 'media/0/selectors-output',
          output: { FACE: [{ tracks: [{ exemplar: found, detections: [found] }] }] },
        },
      ],
    });
    expect(survey.files).to.equal(4);
    const copied = { artifactPath: 'copy of p', artifactHref: null };
    expect(JSON.parse(text)).to.deep.include({
      media: [
        {
          path: 'old://a',
          archiveSourceMediaPath: 'old://a',
          href: null,
          markupResult: { path: 'copy of m', href: null },
          mediaSelectorsOutputUri: 'copy of s',
          mediaSelectorsOutputHref: null,
          output: { FACE: [{ tracks: [{ exemplar: copied, detections: [copied] }] }] },
        },
      ],
    });
  });

  it('tells of its own source alone when that was a copy, too', async () => {
    const first = await rewriteCopy({ jobId: 'there-7', media: [{ path: 'old://a', output: {} }] });
    const { text } = await rewriteCopy(JSON.parse(first.text) as object, { jobId: 'here-2' });
    expect(text).to.equal(
      '{"jobId":"here-2","archiveSourceJobId":"here-1","media":[{"path":"old://a","archiveSourceMediaPath":"old://a","output":{}}]}',
    );
  });

  it('asks for a few files before the oldest of them is there, and keeps their order', async () => {
    const paths = Array.from({ length: 50 }, (_, n) => `p${n}`);
    const waiting: (() => void)[] = [];
    let most = 0;
    const copyFile = (uri: string) =>
      new Promise<string>((resolve) => {
        waiting.push(() => resolve(`copy of ${uri}`));
        most = Math.max(most, waiting.length);
        // Completes the latest one first.
        setImmediate(() => waiting.pop()?.());
      });
    const { text } = await rewriteCopy(
      { jobId: 'j', media: [{ path: 'a', output: tracks(...paths) }] },
      { copyFile },
      6,
    );
    const found = [...text.matchAll(/copy of (p\d+)/g)].map(([, path]) => path);
    expect(found).to.deep.equal(paths.flatMap((path) => [path, path]));
    expect(most).to.be.within(2, 7);
  });

  it('fails with the file that cannot be copied', async () => {
    const copyFile = () => Promise.reject(new Error('it is gone'));
    const failed = await rewriteCopy(
      { jobId: 'j', media: [{ path: 'a', output: tracks('p') }] },
      { copyFile },
    ).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error).with.property('message', 'it is gone');
  });

  it('is none without the name of a job', async () => {
    const failed = await surveyOf(textOf({ media: [] }), signal).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error).with.property('message', 'it names no job');
  });
});

copiesWithin({ memoryMb: 16, tracks: 25_000 });
