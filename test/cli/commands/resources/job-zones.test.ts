/** Zones and rules on the results of a completed job. A face is visible from 0.40 s to 3.56 s. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { Place, sample } from '../../support/support.ts';

const ALL = 'all=0,0 1,0 1,1 0,1';
const rule = (name: string, longerThan: number) => ({ name, zone: 'all', event: 'DWELL', longerThan });

describe('troupe jobs zones', function () {
  this.timeout(120_000);
  let place: Place;
  let job: string;
  before(async () => {
    place = new Place({ warm: true });
    await place.serveHere({ MEDIA_ROOTS: path.dirname(sample('face_move.mp4')), JOB_ID_HOST: 'cli-host' });
    const words = ['analyze', sample('face_move.mp4'), '--pipeline', 'FACE DETECTION PIPELINE', '--json'];
    const { code, stderr } = await place.troupe(words);
    expect(code, stderr).to.equal(0);
    job = 'cli-host-1';
    const two = ['analyze', sample('hello-world.png'), sample('race.jpg')];
    await place.troupe([...two, '--pipeline', 'IMAGE PROPERTIES DETECTION PIPELINE']);
  });
  after(() => place.leave());

  const zones = (...words: readonly string[]) => place.troupe(['jobs', 'zones', job, ...words]);

  it('shows when tracks enter, stay and leave, and how often', async () => {
    writeFileSync(path.join(place.folder, 'rules.json'), JSON.stringify([rule('short', 2), rule('long', 9)]));
    const { code, stdout } = await zones('--zone', ALL, '--rule', 'rules.json');
    expect(code).to.equal(0);
    const events = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    const found = events.filter(([second]) => /^\d/.test(second!)).map((cells) => cells.slice(0, 3));
    expect(found).to.deep.equal([
      ['0.40', 'entered', 'all'],
      ['2.40', 'rule', 'short'],
      ['3.56', 'left', 'all'],
    ]);
    expect(stdout).to.include('zone all: 1 entered, 1 left').and.to.include('rule short: 1');
    expect(stdout).to.include('rule long: 0');
  });

  it('gives the same as JSON', async () => {
    const { stdout } = await zones('--zone', ALL, '--json');
    const { events, counts } = JSON.parse(stdout) as {
      events: readonly { readonly event: string }[];
      counts: { zones: { readonly all: { readonly entered: number } } };
    };
    expect(events).to.have.length(2);
    expect(counts.zones.all.entered).to.equal(1);
  });

  it('gives what troupe analyze counts, and has in its document, with the same zones', async () => {
    const rules = ['--rule', JSON.stringify([rule('short', 2), rule('long', 9)])];
    const words = ['analyze', sample('face_move.mp4'), '--pipeline', 'FACE DETECTION PIPELINE'];
    const output = path.join(place.folder, 'document.json');
    const { code, stdout } = await place.troupe([...words, '--zone', ALL, ...rules, '--output', output]);
    expect(code).to.equal(0);
    expect(stdout).to.include('zone all: 1 entered, 1 left').and.to.include('rule short: 1');
    const { media } = JSON.parse(readFileSync(output, 'utf8')) as {
      readonly media: readonly { readonly zoneRun: object }[];
    };
    const tried = await zones('--zone', ALL, ...rules, '--json');
    expect(media[0]!.zoneRun).to.deep.equal(JSON.parse(tried.stdout));
  });

  it('asks for the medium of a job with several', async () => {
    const several = await place.troupe(['jobs', 'zones', 'cli-host-2', '--zone', ALL]);
    expect(several.code).to.equal(2);
    expect(several.stderr).to.include('Job cli-host-2 has 2 media: choose one with --medium');
    const unknown = await place.troupe(['jobs', 'zones', 'cli-host-9', '--zone', ALL]);
    expect(unknown.stderr).to.include('cli-host-9');
  });

  it('says which zone a rule names that does not exist, and which could be meant', async () => {
    const wrong = JSON.stringify({ ...rule('short', 2), zone: 'al' });
    const { code, stderr } = await zones('--zone', ALL, '--rule', wrong);
    expect(code).to.equal(2);
    expect(stderr).to.include('al').and.to.include('all');
  });
});
