import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import {
  storeArtifacts,
  storeFinished,
  storeMarkup,
} from '../../../../components/builtin/media/store-made.ts';
import type { FinishSummary, MarkupAnswer } from '../../../../protocol/track-work.ts';
import { temporaryFolder } from '../../../results/folder.ts';
import { ACCESS_KEY, answerError, BucketServer, SECRET_KEY } from '../../../support/servers/bucket-server.ts';
import { context, textOf } from './media-parts.ts';

const EMPTY: FinishSummary = { tracks: 0, detections: 0, types: {}, warnings: [], ranges: [] };

describe('Results that are made and go into a bucket', () => {
  const path = temporaryFolder();
  let server: BucketServer;
  before(async () => {
    server = await BucketServer.start('results');
  });
  after(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
    server.gatekeeper = () => false;
  });

  const work = () => ({
    made: path('answer.ndjson'),
    folder: path('pictures'),
    privateBuckets: true,
    properties: {
      S3_ACCESS_KEY: ACCESS_KEY,
      S3_SECRET_KEY: SECRET_KEY,
      S3_RESULTS_BUCKET: `${server.url}/results`,
    },
  });
  const uriOf = (name: string) => pathToFileURL(path(name)).href;
  async function writeFiles(...names: readonly string[]): Promise<void> {
    await mkdir(path('pictures'), { recursive: true });
    for (const name of names) await writeFile(path(name), name);
  }
  const storedAs = (content: string) => {
    const hash = createHash('sha256').update(content).digest('hex');
    return `${server.url}/results/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`;
  };
  const linesOf = async (lines: AsyncIterable<string>) =>
    (await textOf(lines))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  const trackWith = (...artifacts: readonly (string | null)[]) => {
    const [exemplar, ...detections] = artifacts.map((artifactPath) => ({ artifactPath }));
    return { exemplar, detections };
  };
  const answer = (summary: object, ...tracks: readonly object[]) =>
    writeFile(
      path('answer.ndjson'),
      [...tracks, { summary: { ...EMPTY, ...summary } }].map((line) => `${JSON.stringify(line)}\n`).join(''),
    );

  it('are named by their place there, and a picture that tracks share is sent once', async () => {
    await writeFiles('pictures/a.png', 'pictures/b.png', 'earlier.png');
    const [a, b] = [uriOf('pictures/a.png'), uriOf('pictures/b.png')];
    await answer({}, trackWith(a, a, null), trackWith(b, a, b), trackWith(uriOf('earlier.png')));
    const [first, second, third, last] = await linesOf(storeArtifacts(work() as never, context()));
    const [storedA, storedB] = [storedAs('pictures/a.png'), storedAs('pictures/b.png')];
    expect(first).to.deep.equal(trackWith(storedA, storedA, null));
    expect(second).to.deep.equal(trackWith(storedB, storedA, storedB));
    expect(third, 'what an earlier task made').to.deep.equal(trackWith(uriOf('earlier.png')));
    expect(last).to.deep.equal({ summary: EMPTY });
    expect(server.count('PUT')).to.equal(2);
  });

  it('stay on the server with one warning when the bucket refuses them', async () => {
    await writeFiles('pictures/a.png', 'pictures/b.png');
    const [a, b] = [uriOf('pictures/a.png'), uriOf('pictures/b.png')];
    await answer({}, trackWith(a), trackWith(b));
    server.gatekeeper = (_, response) => {
      answerError(response, 403, 'AccessDenied');
      return true;
    };
    const [first, second, last] = await linesOf(storeArtifacts(work() as never, context()));
    expect([first, second]).to.deep.equal([trackWith(a), trackWith(b)]);
    const { warnings } = (last as { readonly summary: FinishSummary }).summary;
    expect(warnings.map(({ code }) => code)).to.deep.equal(['REMOTE_STORAGE_UPLOAD']);
    expect(warnings[0]?.message).to.match(
      /^Some extracted pictures could not be uploaded and stay on the server:/,
    );
  });

  it('may be derivative media, the output of media selectors and marked-up copies', async () => {
    await writeFiles('7.png', 'selected.json', 'copy.mp4');
    const derived = [{ mediaId: 7, path: path('7.png'), uri: uriOf('7.png') }];
    await answer({ derived, selectorsOutputUri: uriOf('selected.json') }, trackWith(null));
    const [, finished] = await linesOf(storeFinished(work() as never, context()));
    expect(finished).to.deep.equal({
      summary: {
        ...EMPTY,
        derived: [{ ...derived[0], uri: storedAs('7.png') }],
        selectorsOutputUri: storedAs('selected.json'),
      },
    });
    const copy: MarkupAnswer = { path: path('copy.mp4'), uri: uriOf('copy.mp4'), warnings: [] };
    await writeFile(path('answer.ndjson'), `${JSON.stringify(copy)}\n`);
    expect(await linesOf(storeMarkup(work() as never, context()))).to.deep.equal([
      { ...copy, uri: storedAs('copy.mp4') },
    ]);
  });

  it('are given up when the job is cancelled', async () => {
    await writeFiles('pictures/a.png');
    await answer({}, trackWith(uriOf('pictures/a.png')));
    const stop = new AbortController();
    const cancelled = new Error('cancelled');
    server.gatekeeper = () => {
      stop.abort(cancelled);
      return true;
    };
    const stored = textOf(storeArtifacts(work() as never, context({ signal: stop.signal })));
    expect(await stored.catch((error: unknown) => error)).to.equal(cancelled);
  });
});
