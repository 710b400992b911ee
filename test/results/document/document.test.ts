import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DocumentHead, DocumentMedium } from '../../../protocol/document-work.ts';
import { writeDocument } from '../../../results/document/document.ts';
import { temporaryFolder } from '../folder.ts';
import { head, mediumWith, trackLine, outputOf } from './document-parts.ts';

interface Written {
  readonly [field: string]: unknown;
  readonly media: readonly (Record<string, unknown> & {
    readonly output: Record<string, readonly Entry[]>;
  })[];
}
interface Entry {
  readonly source: string;
  readonly algorithm: string;
  readonly tracks?: readonly { readonly id: string; readonly type: string }[];
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function textOf(top: DocumentHead, media: readonly DocumentMedium[]): Promise<string> {
  let text = '';
  for await (const chunk of writeDocument(top, each(media))) text += chunk;
  return text;
}
const writeAll = async (top: DocumentHead, media: readonly DocumentMedium[]): Promise<Written> =>
  JSON.parse(await textOf(top, media)) as Written;

describe('The detection document', () => {
  const path = temporaryFolder();

  async function tracksFile(name: string, lines: readonly string[]): Promise<string> {
    await writeFile(path(name), [...lines, '{"summary":{"tracks":0}}', ''].join('\n'));
    return path(name);
  }

  it('has the fields of the specification', async () => {
    const document = await writeAll(head(), [mediumWith([])]);
    expect(Object.keys(document).toSorted().join(' ')).to.equal(
      'algorithmProperties environmentVariableProperties errors externalJobId jobId jobProperties ' +
        'media objectId pipeline priority siteId status timeStart timeStop timing warnings',
    );
    expect(
      Object.keys(document.media[0] ?? {})
        .toSorted()
        .join(' '),
    ).to.equal(
      'detectionProcessingErrors frameRanges length markupResult mediaId mediaMetadata mediaProperties mediaType ' +
        'mimeType output parentMediaId path sha256 status timeRanges',
    );
    expect(document.media[0]).to.include({
      sha256: 'c067',
      mediaType: 'VIDEO',
      length: 90,
      markupResult: null,
    });
  });

  it('lists the properties in force, by types of media, without secrets, if details are wanted', async () => {
    const propertiesFor = (mediaType: 'VIDEO' | 'AUDIO') =>
      ({
        action: 'A',
        algorithm: 'X',
        mediaType,
        properties: { FRAME_INTERVAL: '2', S3_SECRET_KEY: 's' },
      }) as const;
    const componentVersions = [{ action: 'A', algorithm: 'X', versions: ['1.0', '1.1'] }];
    const details = {
      effectiveProperties: [propertiesFor('VIDEO'), propertiesFor('AUDIO')],
      componentVersions,
    };
    const document = await writeAll(head({ details }), [mediumWith([])]);
    expect(document['componentVersions']).to.deep.equal(componentVersions);
    expect(document['effectiveProperties']).to.deep.equal([
      { ...propertiesFor('VIDEO'), properties: { FRAME_INTERVAL: '2', S3_SECRET_KEY: '<censored>' } },
    ]);
  });

  it('holds no media, or many, in the order given', async () => {
    expect(await writeAll(head(), [])).to.have.deep.property('media', []);
    const document = await writeAll(head(), [
      mediumWith([], { mediaId: 12 }),
      mediumWith([], { mediaId: 3, facts: null, status: 'ERROR' }),
    ]);
    expect(document.media.map(({ mediaId }) => mediaId)).to.deep.equal([12, 3]);
    expect(document.media[1]).to.include({
      sha256: '',
      mimeType: '',
      mediaType: 'UNKNOWN',
      length: -1,
      status: 'ERROR',
    });
  });

  it('keys the output by track type, and names actions without tracks under NO TRACKS', async () => {
    const lines = [trackLine('FACE', 0, 2), trackLine('TEXT', 1, 1), trackLine('FACE', 2, 1)];
    const mixed = await tracksFile('mixed', lines);
    const faces = await tracksFile('faces', [trackLine('FACE', 7, 1)]);
    const none = await tracksFile('none', []);
    const { media } = await writeAll(head(), [
      mediumWith([
        outputOf({ action: 'BOTH', algorithm: 'X', tracks: mixed, types: { FACE: 2, TEXT: 1 } }),
        outputOf({ action: 'FACES', algorithm: 'Y', tracks: faces, types: { FACE: 1 } }),
        outputOf({ action: 'EMPTY', algorithm: 'Z', tracks: none, types: {} }),
        outputOf({ action: 'FAILED', algorithm: 'Z', tracks: null, types: {} }),
      ]),
    ]);
    const output = media[0]?.output ?? {};
    expect(Object.keys(output)).to.deep.equal(['FACE', 'NO TRACKS', 'TEXT']);
    expect(output['NO TRACKS']).to.deep.equal([
      { source: 'EMPTY', algorithm: 'Z' },
      { source: 'FAILED', algorithm: 'Z' },
    ]);
    const ids = (type: string): unknown =>
      output[type]?.map(({ source, tracks }) => [source, tracks?.map(({ id }) => id)]);
    expect(ids('FACE')).to.deep.equal([
      ['BOTH', ['0', '2']],
      ['FACES', ['7']],
    ]);
    expect(ids('TEXT')).to.deep.equal([['BOTH', ['1']]]);
    expect(output['FACE']?.[0]?.tracks?.[0]).to.deep.equal(JSON.parse(lines[0] ?? ''));
  });

  it('gathers errors and warnings of the job and of each medium', async () => {
    const job = { source: 'WORKFLOW_MANAGER', code: 'OTHER', message: 'odd' } as const;
    const medium = { source: 'FACE', code: 'DETECTION_FAILED', message: 'broke (Frames: 0 - 9)' } as const;
    const document = await writeAll(head({ warnings: [job] }), [
      mediumWith([], { errors: [medium, medium] }),
      mediumWith([]),
    ]);
    expect(document['warnings']).to.deep.equal([{ details: [job] }]);
    expect(document['errors']).to.deep.equal([{ mediaId: 8, details: [medium, medium] }]);
  });

  it('shows the errors of sub-jobs by action', async () => {
    const failure = {
      startTime: 0,
      stopTime: 300,
      algorithm: 'FACE',
      code: 'DEAD_LETTER',
      message: 'gone',
    } as const;
    const { media } = await writeAll(head(), [
      mediumWith([], {
        detectionErrors: { FACES: [{ ...failure, range: { start: 0, stop: 9 } }] },
        status: 'INCOMPLETE',
      }),
    ]);
    expect(media[0]).to.have.deep.property('detectionProcessingErrors', {
      FACES: [
        {
          startOffsetFrame: 0,
          stopOffsetFrame: 9,
          startOffsetTime: 0,
          stopOffsetTime: 300,
          code: 'DEAD_LETTER',
          message: 'gone',
        },
      ],
    });
  });

  it('shows no secret', async () => {
    const secret = { S3_SECRET_KEY: 'hush', S3_HOST: 'host' };
    const action = { name: 'A', properties: secret };
    const text = await textOf(
      head({
        pipeline: { tasks: [{ actions: [action] }] },
        jobProperties: secret,
        algorithmProperties: { FACE: { ARCHIVE_COPY_SRC_S3_SESSION_TOKEN: 'hush' } },
        environmentVariableProperties: { ACS_URL: 'hush' },
      }),
      [
        mediumWith([], {
          mediaProperties: { S3_ACCESS_KEY: 'hush' },
          path: 'https://user:hush@host/a.png?v=1&X-Amz-Signature=hush',
        }),
      ],
    );
    expect(text).not.to.contain('hush');
    expect(text.match(/<censored>/g)).to.have.length(5);
    expect(text)
      .to.contain('"https://***@host/a.png?v=1&X-Amz-Signature=***"')
      .and.to.contain('"S3_HOST":"host"');
  });

  it('fails rather than leave out tracks when a result is short', async () => {
    const short = await tracksFile('short', [trackLine('FACE', 0, 1)]);
    const failure = await writeAll(head(), [
      mediumWith([outputOf({ action: 'A', algorithm: 'X', tracks: short, types: { FACE: 2 } })]),
    ]).catch(String);
    expect(failure).to.contain('1 tracks of type FACE instead of 2');
  });

  it('of 100,000 detections is written within a heap of 24 MB', async () => {
    await mkdir(path('large'));
    const program = fileURLToPath(new URL('./large-document.js', import.meta.url));
    const run = await promisify(execFile)(process.execPath, [
      '--max-old-space-size=24',
      program,
      path('large'),
      '2000',
    ]);
    expect(JSON.parse(run.stdout)).to.have.property('peakMb').below(40);
    expect((await stat(path('large/document.json'))).size).to.be.greaterThan(15_000_000);
    let quotes = 0;
    for await (const chunk of createReadStream(path('large/document.json'), 'utf8'))
      quotes += String(chunk).split('"offsetFrame"').length - 1;
    expect(quotes).to.be.within(101_900, 102_000);
  });
});
