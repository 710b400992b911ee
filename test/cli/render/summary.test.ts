import { Readable } from 'node:stream';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { overviewLines } from '../../../cli/render/overview.ts';
import { summarize } from '../../../cli/render/summary.ts';
import { documentLines } from '../../../cli/render/tables.ts';
import { Place } from '../support/support.ts';

const DETECTION = {
  ...{ offsetFrame: 0, offsetTime: 0, x: 0, y: 0, width: 9, height: 9, confidence: 0.5 },
  ...{
    detectionProperties: { A: 'exemplar', B: '' },
    artifactExtractionStatus: 'NOT_ATTEMPTED',
    artifactPath: null,
  },
};
const trackOf = (type: string, detections: readonly object[] = [DETECTION]) => ({
  ...{ id: 'x', index: 0, startOffsetFrame: 2, stopOffsetFrame: 7, startOffsetTime: 80, stopOffsetTime: 280 },
  ...{ type, source: 'S', confidence: 0.5, trackProperties: { A: 'track' }, exemplar: DETECTION, detections },
});
const mediumOf = (mediaId: number, parentMediaId: number, more: object = {}) => ({
  ...{
    mediaId,
    parentMediaId,
    path: `file:///m/${mediaId}.bin`,
    mimeType: 'a/b',
    mediaType: 'VIDEO',
    length: 9,
  },
  ...{ mediaMetadata: {}, status: 'COMPLETE', detectionProcessingErrors: {}, markupResult: null, output: {} },
  ...more,
});
const linesOf = async (media: readonly object[], more: object = {}): Promise<readonly string[]> => {
  const text = JSON.stringify({ status: 'COMPLETE', media, errors: [], warnings: [], ...more });
  // Chunks with arbitrary borders.
  const chunks = text.match(/.{1,7}/gs)?.map((part) => Buffer.from(part)) ?? [];
  return documentLines(await summarize(Readable.from(chunks)));
};
const artifact = (name: string) => ({
  ...DETECTION,
  artifactExtractionStatus: 'COMPLETED',
  artifactPath: name,
});

describe('The tables of what a job has found', () => {
  it('show what a track says of itself, but no vector', async () => {
    const track = {
      ...trackOf('FACE'),
      trackProperties: { A: 'track', FEATURE: 'AAAAPw==', FEATURE_MODEL: 'faces@1' },
    };
    const output = { FACE: [{ source: 'S', algorithm: 'FACE', tracks: [track] }] };
    const text = (await linesOf([mediumOf(1, -1, { output })])).join('\n');
    expect(text).to.include('A=track').and.include('FEATURE_MODEL=faces@1').and.not.include('FEATURE=');
  });

  it('show media that were taken out of a document below it, wherever the document has them', async () => {
    const media = [
      mediumOf(1, -1),
      mediumOf(2, -1),
      mediumOf(3, 1),
      mediumOf(4, 2),
      mediumOf(5, 3),
      mediumOf(6, 99),
    ];
    const titles = (await linesOf(media)).filter((line) => line.includes('.bin'));
    expect(titles.map((line) => line.replace(/ {2}a\/b.*/, ''))).to.deep.equal([
      '/m/1.bin',
      '  medium 3 of /m/1.bin: /m/3.bin',
      '    medium 5 of /m/3.bin: /m/5.bin',
      '/m/2.bin',
      '  medium 4 of /m/2.bin: /m/4.bin',
      '/m/6.bin',
    ]);
  });

  it('leave out media in which nothing was found when there are many: the overview has them', async () => {
    const output = { FACE: [{ source: 'A', tracks: [trackOf('FACE')] }] };
    const failed = { errors: [{ mediaId: 4, details: [{ source: 'S', code: 'C', message: 'm' }] }] };
    const media = [mediumOf(1, -1), mediumOf(2, -1, { output }), mediumOf(3, -1), mediumOf(4, -1)];
    const titles = (await linesOf(media, failed)).filter((line) => line.startsWith('/m/'));
    expect(titles.map((line) => line.split(' ')[0])).to.deep.equal(['/m/2.bin', '/m/4.bin']);
  });

  it('say of a sound that it was not cut, whatever part of it was asked for', async () => {
    const timeRanges = [{ start: 1000, stop: 2000 }];
    const media = [
      mediumOf(1, -1, { timeRanges, length: 1 }),
      mediumOf(2, -1, { timeRanges, mediaType: 'AUDIO' }),
      mediumOf(3, -1, { timeRanges: [], mediaType: 'AUDIO' }),
    ];
    expect((await linesOf(media)).filter((line) => line.includes('.bin'))).to.deep.equal([
      '/m/1.bin  a/b, 1 frame',
      '/m/2.bin  a/b, all of it: only videos are cut by time',
      '/m/3.bin  a/b',
    ]);
  });

  it('show each track once, with the properties of its exemplar and without empty ones', async () => {
    const tracks = [trackOf('FACE'), trackOf('FACE', [DETECTION, DETECTION])];
    const output = {
      CLASS: [{ source: 'B', tracks: [trackOf('CLASS')] }],
      FACE: [
        { source: 'A', tracks },
        { source: 'C', tracks },
      ],
    };
    const rows = (await linesOf([mediumOf(1, -1, { output })])).filter((line) =>
      /^ {2}(FACE|CLASS)/.test(line),
    );
    expect(rows.map((line) => line.replace(/ {2,}/g, '|'))).to.deep.equal(
      ['CLASS|1', 'FACE|1', 'FACE|2', 'FACE|1', 'FACE|2'].map((row) => {
        const [type, detections] = row.split('|');
        return `|${type}|0:00:00.080 - 0:00:00.280|2 - 7|0.50|${detections}|A=track`;
      }),
    );
  });

  it('count artifacts, and say where all of them are and how many could not be made', async () => {
    const failed = { ...DETECTION, artifactExtractionStatus: 'FAILED' };
    const places = async (...detections: readonly object[]) => {
      const output = { FACE: [{ source: 'A', tracks: detections.map((one) => trackOf('FACE', [one])) }] };
      return (await linesOf([mediumOf(1, -1, { output })])).find((line) => /artifact/.test(line));
    };
    expect(await places(DETECTION)).to.equal(undefined);
    expect(await places(artifact('file:///a/1/0/f-1.png'))).to.equal('  1 artifact in /a/1/0/');
    expect(await places(artifact('file:///a/1/0/f.png'), artifact('file:///a/1/2/f.png'), failed)).to.equal(
      '  2 artifacts in /a/1/; 1 could not be made',
    );
    expect(await places(artifact('file:///a/f.png'), artifact('https://h/b/aa'))).to.equal('  2 artifacts');
    expect(await places(artifact('https://h/b/aa/bb'), artifact('https://h/b/ac/dd'))).to.equal(
      '  2 artifacts in https://h/b/',
    );
  });

  it('say where markup copies and selector outputs are, who annotated, and what is suppressed', async () => {
    const output = {
      TEXT: [
        {
          source: 'A',
          algorithm: 'T',
          annotators: ['FIRST ACTION', 'SECOND ACTION'],
          tracks: [trackOf('TEXT')],
        },
      ],
      'NO TRACKS': [{ source: 'N', algorithm: 'T' }],
      'TRACKS SUPPRESSED': [{ source: 'HIDDEN ACTION', algorithm: 'T', annotators: ['SECOND ACTION'] }],
    };
    const lines = await linesOf([
      mediumOf(1, -1, {
        output,
        markupResult: { id: 1, path: 'file:///c/copy.webm', status: 'COMPLETE_WITH_WARNING', message: 'm' },
        mediaSelectorsOutputUri: 'file:///s/out.json',
      }),
      mediumOf(2, -1, {
        output: { 'TRACKS SUPPRESSED': [{ source: 'HIDDEN ACTION' }] },
        markupResult: { id: 2, path: '', status: 'FAILED', message: 'm' },
      }),
    ]);
    expect(lines.slice(4)).to.deep.equal([
      '  tracks of HIDDEN ACTION are suppressed',
      '  annotated by FIRST ACTION, SECOND ACTION',
      '  marked up: /c/copy.webm (COMPLETE_WITH_WARNING)',
      '  output of its selectors: /s/out.json',
      '',
      '/m/2.bin  a/b, 9 frames',
      '  tracks of HIDDEN ACTION are suppressed',
      '  not marked up: FAILED',
    ]);
  });

  it('tell errors and warnings of media and of the job, once each', async () => {
    const stretch = { startOffsetFrame: 0, stopOffsetFrame: 99, startOffsetTime: 0, stopOffsetTime: 3960 };
    const failure = { code: 'OTHER_DETECTION_ERROR_TYPE', message: 'The process ended. (Frames: 0 - 99)' };
    const crash = { ...stretch, ...failure };
    const issue = (source: string, code: string) => ({ source, code, message: `${code} because.` });
    const lines = await linesOf(
      [
        mediumOf(1, -1, {
          detectionProcessingErrors: { 'FACE ACTION': Array.from({ length: 12 }, () => crash) },
        }),
      ],
      {
        errors: [{ mediaId: 1, details: [issue('MARKUP', 'MARKUP'), { source: 'FACE', ...failure }] }],
        warnings: [
          { details: [issue('WORKFLOW_MANAGER', 'REMOTE_STORAGE_UPLOAD')] },
          { mediaId: 1, details: [issue('FACE', 'ARTIFACT_EXTRACTION')] },
        ],
      },
    );
    expect(lines.slice(2)).to.deep.equal([
      '  nothing found: see its errors',
      '',
      'error MARKUP (/m/1.bin, MARKUP): MARKUP because.',
      'error OTHER_DETECTION_ERROR_TYPE (/m/1.bin, FACE): The process ended. (Frames: 0 - 99)',
      'warning REMOTE_STORAGE_UPLOAD (WORKFLOW_MANAGER): REMOTE_STORAGE_UPLOAD because.',
      'warning ARTIFACT_EXTRACTION (/m/1.bin, FACE): ARTIFACT_EXTRACTION because.',
    ]);
  });

  it('say where to find a pipeline for a medium that the component does not process', async () => {
    const details = [{ source: 'TEXT', code: 'UNSUPPORTED_DATA_TYPE', message: 'It is a PDF file.' }];
    const lines = await linesOf([mediumOf(1, -1)], { errors: [{ mediaId: 1, details }] });
    expect(lines.slice(-2)).to.deep.equal([
      'error UNSUPPORTED_DATA_TYPE (/m/1.bin, TEXT): It is a PDF file.',
      '"troupe pipelines list" shows which pipeline is for which media.',
    ]);
  });
});

describe('The overview of what a job has found', () => {
  const overviewOf = async (media: readonly object[], width: number, more: object = {}) => {
    const text = JSON.stringify({ status: 'COMPLETE', media, errors: [], warnings: [], ...more });
    return overviewLines(await summarize(Readable.from([Buffer.from(text)])), width);
  };
  const output = (...types: readonly string[]) => ({
    output: { X: [{ source: 'A', tracks: types.map((type) => trackOf(type)) }] },
  });

  it('has a row a medium, to which counts what was taken out of it, with what went wrong', async () => {
    const details = [{ source: 'S', code: 'LATER', message: 'm' }];
    const lines = await overviewOf(
      [
        mediumOf(1, -1, output('TEXT', 'FACE', 'FACE')),
        mediumOf(2, -1, { mimeType: '' }),
        mediumOf(3, 1, output('TEXT', 'TEXT')),
        mediumOf(4, -1),
      ],
      Infinity,
      { warnings: [{ mediaId: 3, details }], errors: [{ mediaId: 2, details }, { details }] },
    );
    expect(lines.map((line) => line.replaceAll(/ {2,}/g, '|'))).to.deep.equal([
      '',
      'MEDIUM|TYPE|TRACKS|BEST|PROBLEMS',
      '/m/1.bin|a/b|3 TEXT, 2 FACE|0.50|1 warning (LATER)',
      '/m/2.bin|unknown|1 error (LATER)',
      '/m/4.bin|a/b|nothing found',
      '3 media, 5 tracks, 1 with errors',
    ]);
  });

  it('fits the terminal, and is left out for a single medium', async () => {
    const long = (id: number) => mediumOf(id, -1, { path: `file:///${'long/'.repeat(20)}${id}.bin` });
    for (const line of await overviewOf([long(1), long(2)], 60)) expect(line.length).to.be.at.most(60);
    expect(await overviewOf([mediumOf(1, -1, output('FACE')), mediumOf(2, 1)], 60)).to.deep.equal([]);
  });
});

describe('troupe jobs summary', () => {
  let place: Place;
  before(async () => {
    place = new Place({ warm: true });
    mkdirSync(path.join(place.folder, 'media'));
    await place.serveHere({ MEDIA_ROOTS: path.join(place.folder, 'media') });
  });
  after(() => place.leave());

  const fileOf = (name: string) => path.join(place.folder, 'media', name);
  const createJob = async (request: object): Promise<string> => {
    writeFileSync(path.join(place.folder, 'job.json'), JSON.stringify(request));
    const { code, stdout, stderr } = await place.troupe(['jobs', 'create', 'job.json', '--json']);
    expect(code, stderr).to.equal(0);
    return (JSON.parse(stdout) as { jobId: string }).jobId;
  };

  it('shows what a job found, with the words of its selectors and the resulting file', async () => {
    writeFileSync(
      fileOf('chat.json'),
      JSON.stringify({ said: ['Where is the next railway station, please?'] }),
    );
    const fed = { name: 'FEED_FORWARD_TYPE', value: 'REGION' };
    const selector = { type: 'JSON_PATH', expression: '$.said', resultDetectionProperty: 'TAGS' };
    const id = await createJob({
      media: [
        {
          mediaUri: pathToFileURL(fileOf('chat.json')).href,
          mediaSelectorsOutputAction: 'A',
          mediaSelectors: [selector],
        },
      ],
      pipelineDefinition: {
        pipeline: ['T'],
        tasks: [{ name: 'T', actions: ['A'] }],
        actions: [{ name: 'A', algorithm: 'KEYWORD TAGGING', properties: [fed] }],
      },
    });
    await place.troupe(['jobs', 'watch', id]);
    const { code, stdout, stderr } = await place.troupe(['jobs', 'summary', id]);
    expect(code, stderr).to.equal(0);
    expect(stdout)
      .to.match(new RegExp(`^Job ${id} \\(.*\\): COMPLETE after `))
      .and.to.match(/"Where is the next railway station, please\?" .*TAGS=TRAVEL/)
      .and.to.match(/^ {2}output of its selectors: .*\.json$/m)
      .and.to.match(new RegExp(`^Document: http.*/rest/jobs/${id}/output/detection$`, 'm'));
  });

  it('says why there is nothing to show', async () => {
    writeFileSync(fileOf('note.txt'), 'a note');
    const mediaUri = pathToFileURL(fileOf('note.txt')).href;
    const id = await createJob({
      media: [{ mediaUri }],
      pipelineName: 'KEYWORD TAGGING DETECTION PIPELINE',
      buildOutput: false,
    });
    await place.troupe(['jobs', 'watch', id]);
    const none = await place.troupe(['jobs', 'summary', id]);
    expect([none.code, none.stdout]).to.deep.equal([2, '']);
    expect(none.stderr).to.include(`Job ${id} has no document: it was created with buildOutput false`);
    const unknown = await place.troupe(['jobs', 'summary', 'host-999']);
    expect(unknown.code).to.equal(2);
    expect(unknown.stderr).to.include('There is no job host-999');
  });
});
