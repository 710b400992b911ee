import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { RunningServer } from '../../../main.ts';
import { pictureUri } from '../../support/media/data-uri.ts';
import { documentOf, Place, sample, tracksOf, type Outcome } from '../support/support.ts';

const FACES = ['--pipeline', 'FACE DETECTION PIPELINE'];

describe('troupe analyze', () => {
  const place = new Place({ warm: true });
  let server: RunningServer;
  before(async () => {
    server = await place.serveHere({ MEDIA_ROOTS: `${path.resolve('samples')}:${place.folder}` });
  });
  after(() => place.leave());

  it('prints only the detection document with --json, and writes it to a file with --output', async () => {
    const file = path.join(place.folder, 'found.json');
    const { code, stdout, stderr } = await place.troupe([
      'analyze',
      sample('astronaut.png'),
      ...FACES,
      '--json',
      '--output',
      file,
    ]);
    expect(code, stderr).to.equal(0);
    const document = documentOf(stdout);
    expect(document.status).to.equal('COMPLETE');
    expect(tracksOf(document).map(({ type }) => type)).to.deep.equal(['FACE']);
    expect(readFileSync(file, 'utf8')).to.equal(stdout);
  });

  it('ends with 1 when one medium cannot be read, and shows what the others have', async () => {
    const fake = path.join(place.folder, 'fake.mp4');
    writeFileSync(fake, 'these are words');
    const { code, stdout } = await place.troupe(['analyze', sample('astronaut.png'), fake, ...FACES]);
    expect(code).to.equal(1);
    expect(stdout)
      .to.match(/: ERROR after/)
      .and.to.match(/^ {2}FACE +0\.8/m);
    expect(stdout).to.match(/fake\.mp4.*\n {2}nothing found: see its errors$/m);
    expect(stdout).to.match(/^error [A-Z_]+ \(fake\.mp4, \w+\): /m);
  });

  it('takes file names with spaces, #, ?, % and quotes, and properties', async () => {
    const folder = path.join(place.folder, 'a #1?');
    mkdirSync(folder);
    const file = path.join(folder, `it's 100%41 "b"#?.png`);
    copyFileSync(sample('chelsea.png'), file);
    const properties = ['--property', 'CONFIDENCE_THRESHOLD=0.7', '--property', 'FIND_SMALL_FACES=NEVER'];
    const { code, stdout, stderr } = await place.troupe(['analyze', file, ...FACES, ...properties, '--json']);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.not.include('property');
    expect(tracksOf(documentOf(stdout)), 'the cat, below the default threshold').to.have.length(1);
  });

  it('accepts properties of an algorithm before those of the job, and refuses unknown algorithms', async () => {
    const job = ['analyze', sample('astronaut.png'), ...FACES];
    const { code, stdout, stderr } = await place.troupe([
      ...job,
      ...['--algorithm-property', 'face: ROTATE=A:B=C'],
      ...['--algorithm-property', 'FACE:CONFIDENCE_THRESHOLD=0.8'],
      ...['--algorithm-property', 'OBJECT:CONFIDENCE_THRESHOLD=0.9'],
      ...['--property', 'CONFIDENCE_THRESHOLD=0.95', '--output', 'found.json'],
    ]);
    expect(code, stderr).to.equal(0);
    const document = JSON.parse(readFileSync(path.join(place.folder, 'found.json'), 'utf8')) as object;
    expect(document).to.have.deep.property('algorithmProperties', {
      FACE: { ROTATE: 'A:B=C', CONFIDENCE_THRESHOLD: '0.8' },
      OBJECT: { CONFIDENCE_THRESHOLD: '0.9' },
    });
    expect(stdout).to.match(/^ {2}FACE {4}0\.89 /m);
    const refused = await place.troupe([...job, '--algorithm-property', 'FACES:ROTATE=A']);
    expect(refused.code).to.equal(2);
    expect(refused.stderr).to.match(
      /^The service has no algorithm named FACES\. Did you mean FACE\? The algorithms are: .*\bFACE,/m,
    );
  });

  it('warns of unknown properties and of wrong values that the reference forgives', async () => {
    const { code, stdout, stderr } = await place.troupe([
      ...['analyze', sample('astronaut.png'), ...FACES, '--json'],
      ...['--property', 'confidence_threshold=0.7', '--property', 'MIN_TRACK_LENGTH=short'],
      ...['--property', 'CUT_THRESHOLD=0.5', '--algorithm-property', 'FACE:MERGE_TRACK=TRUE'],
    ]);
    expect(code, stderr).to.equal(0);
    expect(documentOf(stdout).status).to.equal('COMPLETE_WITH_WARNINGS');
    expect(stderr.split('\n').filter((line) => /[Pp]ropert(?:y|ies)\b/.test(line))).to.deep.equal([
      'Warning: jobProperties: the property confidence_threshold is not known here (did you mean CONFIDENCE_THRESHOLD?); it is passed on and has no other effect.',
      'jobProperties: the property MIN_TRACK_LENGTH is "short", but it takes a whole number (INT); the value is passed on as it is.',
      'jobProperties: the property CUT_THRESHOLD is not known here; it is passed on and has no other effect.',
      'algorithmProperties.FACE: the property MERGE_TRACK is not known here (did you mean MERGE_TRACKS?); it is passed on and has no other effect.',
    ]);
  });

  it('ends with 2 and names the property whose value its type does not allow', async () => {
    const { code, stderr } = await place.troupe([
      ...['analyze', sample('astronaut.png'), ...FACES, '--property', 'FRAME_INTERVAL=often'],
    ]);
    expect(code).to.equal(2);
    expect(stderr).to.include(
      'The property FRAME_INTERVAL in jobProperties is "often", but it takes a whole number (INT). Correct the value, or leave the property out.',
    );
  });

  it('takes a data: URI as it is', async () => {
    const { code, stdout, stderr } = await place.troupe(['analyze', pictureUri(64, 48), ...FACES]);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^data:image\/bmp;base64,… {2}image\/bmp, 64x48$/m);
  });

  it('names the pipelines there are when there is none of that name, and ends with 2', async () => {
    const { code, stderr } = await place.troupe(['analyze', sample('astronaut.png'), '--pipeline', 'FACES']);
    expect(code).to.equal(2);
    expect(stderr)
      .to.include('No pipeline named: FACES\nThe pipelines are:\n')
      .and.to.match(/^ {2}FACE DETECTION PIPELINE {3,}\S.*$/m);
  });

  it('lists the pipelines when none is named, and ends with 2', async () => {
    const { code, stdout, stderr } = await place.troupe(['analyze', sample('astronaut.png')]);
    expect([code, stdout], stderr).to.deep.equal([2, '']);
    expect(stderr)
      .to.include('Choose a pipeline: --pipeline <NAME>.\nThe pipelines are:\n')
      .and.to.match(/^ {2}FACE DETECTION PIPELINE {3,}\S.*$/m);
  });

  it('takes of a video only what lies between --from and --to', async () => {
    const part = ['--from', '0:01.5', '--to', '2.5', '--property', 'FRAME_INTERVAL=5'];
    const { code, stdout, stderr } = await place.troupe([
      'analyze',
      sample('face_move.mp4'),
      ...FACES,
      ...part,
      '--json',
    ]);
    expect(code, stderr).to.equal(0);
    const { media } = JSON.parse(stdout) as {
      media: readonly [{ readonly timeRanges: unknown; readonly output: Record<string, unknown> }];
    };
    const tracks = JSON.stringify(media).match(/"startOffsetTime":\d+|"stopOffsetTime":\d+/g) ?? [];
    expect(tracks).to.not.have.length(0);
    for (const time of tracks) expect(Number(time.split(':')[1])).to.be.within(1_460, 2_540);
  });

  it('takes of a document only the pages that --pages names', async () => {
    const { code, stdout, stderr } = await place.troupe([
      ...['analyze', sample('text-embedded-and-images.pdf'), sample('astronaut.png')],
      ...['--pipeline', 'DOCUMENT IMAGES DETECTION PIPELINE', '--pages', '2', '--json'],
    ]);
    // The pipeline does not process pictures.
    expect(code, stderr).to.equal(1);
    const { media } = JSON.parse(stdout) as { media: readonly { readonly frameRanges: unknown }[] };
    expect(media.map(({ frameRanges }) => frameRanges)).to.deep.equal([[{ start: 2, stop: 2 }], [], []]);
    expect(stdout.match(/"PAGE_NUM": ?"[^"]*"/g)).to.satisfy((found: string[]) =>
      found.every((page) => page.endsWith('"2"')),
    );
  });

  it('takes a signal that arrives twice at the same time, as npm passes it on, for one', async () => {
    const running = place.start(['analyze', sample('scenes_pd.mp4'), ...FACES]);
    await running.says('stderr', 'IN_PROGRESS');
    running.signal('SIGINT');
    running.signal('SIGTERM');
    const { code, stdout } = await running.ended;
    expect(code).to.equal(1);
    expect(stdout).to.include('CANCELLED');
  });

  it('analyses all media in a folder with -r, whatever their names, and lists each at the end', async () => {
    const folder = path.join(place.folder, 'photos');
    const inside = (...names: readonly string[]) => path.join(folder, ...names);
    for (const name of ['deep/er', '.hidden', 'data']) mkdirSync(inside(name), { recursive: true });
    copyFileSync(sample('astronaut.png'), inside('10.png'));
    copyFileSync(sample('gen_text.png'), inside('deep', 'er', 'no ending'));
    copyFileSync(sample('chelsea.png'), inside('.hidden', 'a.png'));
    copyFileSync(sample('chelsea.png'), inside('data', 'of the service.png'));
    writeFileSync(inside('2.png'), 'no picture');
    writeFileSync(inside('notes.txt'), 'words');
    symlinkSync(folder, inside('circle'));
    copyFileSync(sample('video_01_invalid.mp4'), inside('9.mp4'));
    const job = ['analyze', '-r', 'photos', '--pipeline', 'FACE DETECTION PIPELINE'];
    const TROUPE_TOKEN = (await place.troupe(['token'])).stdout.trim();
    const elsewhere = { DATA_DIR: inside('data'), TROUPE_URL: server.url, TROUPE_TOKEN };
    const { code, stdout, stderr } = await place.troupe(job, elsewhere);
    expect(stderr).to.match(/^photos: 3 media; 2 other files are skipped$/m);
    expect(stdout, stderr).to.match(/\nMEDIUM +TYPE +TRACKS +BEST +PROBLEMS\n/);
    const rows = stdout.slice(stdout.indexOf('\nMEDIUM')).split('\n').slice(2, 6);
    expect(
      rows.map((row) => row.replaceAll(/ {2,}/g, '|').replace(/\|[^|]+\|1 error .*/, '|1 error')),
    ).to.deep.equal([
      'photos/9.mp4|1 error',
      'photos/10.png|image/png|1 FACE|0.89',
      'photos/deep/er/no ending|image/png|nothing found',
      '3 media, 1 track, 1 with errors',
    ]);
    expect(code).to.equal(1);
    mkdirSync(inside('nothing'));
    const nothing = await place.troupe(['analyze', '-r', 'photos/nothing', ...FACES]);
    expect([nothing.code, nothing.stdout]).to.deep.equal([2, '']);
    expect(nothing.stderr).to.include(
      'There are no pictures, videos, sounds, PDF or office documents in photos/nothing.',
    );
  });

  describe('of a video', () => {
    let outcome: Outcome;
    before(async () => {
      const job = ['analyze', sample('face_move.mp4'), ...FACES, '--property', 'FRAME_INTERVAL=5'];
      outcome = await place.troupe(job);
    });

    it('shows times, frames and how many detections there are of what moves through it', () => {
      const { code, stdout, stderr } = outcome;
      expect(code, stderr).to.equal(0);
      expect(stdout).to.match(/video\/mp4, 640x360, 100 frames, 0:00:04\.000$/m);
      expect(stdout).to.match(/^ {2}FACE +0:00:00\.\d{3} - 0:00:03\.\d{3} +1\d - 8\d +0\.9\d +\d\d$/m);
    });

    it('tells the progress on standard error, a line per ten per cent or change of state', () => {
      const lines = outcome.stderr.split('\n').filter((line) => line.includes(' %'));
      expect(lines).to.have.length.within(1, 12);
      expect(lines.at(-1)).to.match(/^\S+ +100 % +COMPLETE$/);
      expect(new Set(lines).size).to.equal(lines.length);
    });
  });
});

describe('troupe analyze, where no service runs', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.leave());

  it('says which files are missing before it starts anything', async () => {
    const { code, stderr } = await place.troupe([
      'analyze',
      'none.png',
      place.folder,
      'ftp://host/a.png',
      ...FACES,
    ]);
    expect(code).to.equal(2);
    expect(stderr).to.include('There is no file none.png.');
    expect(stderr).to.include(`${place.folder} is a folder. Name files in it, or add -r for all its media.`);
    expect(stderr).to.include(
      'There is no file ftp://host/a.png. URIs must start with file:, http:, https: or data:.',
    );
    expect(readdirSync(place.folder)).to.deep.equal([]);
  });

  const warm = new Place({ warm: true });
  after(() => warm.leave());
  for (const [args, complaint] of [
    [['analyze', 'a.png', ...FACES, '--from', '1:75'], 'Write seconds (83.5) or'],
    [['analyze', 'a.png', ...FACES, '--from', '9', '--to', '0:08'], '--to must be later than --from.'],
    [['analyze', 'a.png', ...FACES, '--pages', '0'], 'Write pages from 1'],
    [['analyze', sample('astronaut.png'), ...FACES, '--pages', '2'], '--pages is for documents'],
    [['analyze', ...FACES], "missing required argument 'FILE'"],
    [['analyze', 'a.png', ...FACES, '--property', 'A'], 'Write NAME=VALUE.'],
    [['analyze', 'a.png', ...FACES, '--algorithm-property', 'A=B:C'], 'Write ALGORITHM:NAME=VALUE.'],
    [['analyze', 'a.png', ...FACES, '--algorithm-property', 'A:B'], 'Write ALGORITHM:NAME=VALUE.'],
    [['analyze', 'a.png', ...FACES, '--priority', '10'], 'It is a number from 0 to 9.'],
    [['analyze', 'a.png', ...FACES, '--url', 'host:80'], 'It is an http(s) URL.'],
    [['analyse'], "unknown command 'analyse'"],
  ] as const)
    it(`ends with 2 on "troupe ${args.join(' ')}"`, async () => {
      const { code, stderr } = await warm.troupe(args);
      expect(code).to.equal(2);
      expect(stderr).to.include(complaint);
    });
});
