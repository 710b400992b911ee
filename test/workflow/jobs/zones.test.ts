/** Zones, lines and rules of batch jobs, with a face that is visible from 0.40 s to 3.56 s. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { sampleUri, Service, type DetectionDocument } from '../../support/processes/service.ts';

const FACE = sampleUri('face_move.mp4');
const ALL = { name: 'all', points: [[0, 0], [1, 0], [1, 1], [0, 1]] }; // oxfmt-ignore
const NOWHERE = { name: 'nowhere', points: [[0, 0.99], [0.01, 0.99], [0.01, 1], [0, 1]] }; // oxfmt-ignore
const rule = (name: string, longerThan: number) => ({ name, zone: 'all', longerThan });
const PLAN = {
  zones: [ALL, NOWHERE],
  lines: [{ name: 'edge', points: [[0, 0], [0, 1]] }], // oxfmt-ignore
  rules: [rule('short', 2), rule('long', 9)],
  anchor: 'CENTER',
};
const FACES = { pipelineName: 'FACE DETECTION PIPELINE' };

interface Run {
  readonly events: readonly { readonly event: string; readonly at: number; readonly rule?: string }[];
  readonly omitted: number;
  readonly counts: object;
  readonly most: object;
  readonly warnings: readonly string[];
}
const runsOf = ({ media }: DetectionDocument) =>
  media.map((medium) => (medium as typeof medium & { readonly zoneRun?: Run }).zoneRun);

describe('Zones of a batch job', () => {
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  const finished = async (members: object) => {
    const id = await service.submit({ media: [FACE], ...FACES, ...members });
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    return id;
  };
  const textOf = async (id: string) => (await service.ask('GET', `/rest/jobs/${id}/output/detection`)).text;

  it('are in the document with their events and counts, as a dry run has them', async () => {
    const id = await service.submit({ media: [FACE, sampleUri('hello-world.png')], ...FACES, ...PLAN });
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const [seen, nothing] = runsOf(await service.document(id));
    const { events, omitted, counts, most, warnings } = seen!;
    expect(events.map(({ event, at, rule: name }) => [event, at, name])).to.deep.equal([
      ['entered', 400, undefined],
      ['rule', 2_400, 'short'],
      ['left', 3_560, undefined],
    ]);
    expect({ omitted, counts, most, warnings }).to.deep.equal({
      omitted: 0,
      counts: {
        classes: { FACE: 1 },
        zones: { all: { entered: 1, left: 1, dwellMs: 3_160 } },
        lines: {},
        rules: { short: 1 },
      },
      most: { all: 1 },
      warnings: [],
    });
    const tried = await service.ask('POST', `/rest/jobs/${id}/${await service.placeOf(id)}/zone-runs`, PLAN);
    expect(seen).to.deep.equal(tried.body);
    expect(nothing?.events).to.deep.equal([]);
  });

  it('see all detections where the document keeps exemplars alone', async () => {
    const jobProperties = { OUTPUT_ARTIFACTS_AND_EXEMPLARS_ONLY: 'TRUE' };
    const document = await service.run({ media: [FACE], ...FACES, ...PLAN, jobProperties });
    expect(document.media[0]!.output['FACE']![0]!.tracks![0]!.detections).to.have.length(1);
    expect(runsOf(document)[0]!.events).to.have.length(3);
  });

  it('survive a retry and a resubmission', async () => {
    const late = join(service.mediaDir, 'late.mp4');
    const id = await service.submit({ media: [FACE, pathToFileURL(late).href], ...FACES, ...PLAN });
    expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
    const [first, missing] = runsOf(await service.document(id));
    expect(first!.events).to.have.length(3);
    expect(missing).to.equal(undefined);
    copyFileSync(fileURLToPath(FACE), late);
    const retried = await service.ask('POST', `/rest/jobs/${id}/retry`, { what: 'FAILED_SUB_JOBS' });
    expect(retried.status, retried.text).to.equal(200);
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    const both = runsOf(await service.document(id));
    expect(both[0]).to.deep.equal(first);
    expect(both[1]!.counts).to.deep.equal(first!.counts);
    expect((await service.resubmit(id)).status).to.equal(200);
    await service.terminal(id);
    expect(runsOf(await service.document(id))).to.deep.equal(both);
  });

  it('are no part of the document of a job without them', async () => {
    const plain = await service.submit({ media: [FACE], ...FACES });
    const empty = await service.submit({ media: [FACE], ...FACES, zones: [], lines: null, rules: [] });
    for (const id of [plain, empty]) {
      await service.terminal(id);
      expect(await textOf(id)).to.not.include('zoneRun');
    }
  });

  it('change nothing else in the document', async () => {
    const ids = [
      await service.submit({ media: [FACE], ...FACES }),
      await service.submit({ media: [FACE], ...FACES, ...PLAN }),
    ];
    const [plain, zoned] = await Promise.all(
      ids.map(async (id) => {
        await service.terminal(id);
        return (await textOf(id)).replaceAll(id, 'ID');
      }),
    );
    // One face, so one track has the properties. Everything else stays the same, byte by byte.
    const added = '"ZONES":"all","ZONE_DWELL_MS":"all=3160"';
    expect(zoned!.split(added)).to.have.length(2);
    expect(plain).to.not.match(/ZONE|LINES_CROSSED|zoneRun/);
    const unzoned = zoned!.replace(added, '').replace(/,\n"zoneRun":.*\}(?=\}\],\n)/, '');
    const without = (text: string) =>
      text
        .replaceAll(/"(objectId|timeStart|timeStop)":"[^"]*"/g, '"$1":""')
        .replaceAll(/"(mediaId|processingTime)":\d+/g, '"$1":0')
        .replaceAll(/artifacts\/ID.1\/\d+/g, 'artifacts');
    expect(without(unzoned)).to.equal(without(plain!));
  });

  it('give properties only to the tracks that touched them', async () => {
    const corner = { name: 'corner', points: NOWHERE.points };
    const plan = { zones: [corner], lines: [{ name: 'edge', points: [[0, 0], [0, 1]] }] }; // oxfmt-ignore
    const text = await textOf(await finished(plan));
    expect(text)
      .to.include('"zoneRun"')
      .and.not.match(/"(ZONES|ZONE_DWELL_MS|LINES_CROSSED)"/);
  });

  it('leave the stored document as it is when they are tried later', async () => {
    const id = await finished({});
    const before = await textOf(id);
    const path = `/rest/jobs/${id}/${await service.placeOf(id)}/zone-runs`;
    expect((await service.ask('POST', path, PLAN)).status).to.equal(200);
    expect(await textOf(id)).to.equal(before);
  });

  describe('are refused', () => {
    const refusals: readonly (readonly [string, object, RegExp])[] = [
      ['with two points', { zones: [{ name: 'a', points: [[0, 0], [1, 1]] }] }, /at least 3/], // oxfmt-ignore
      ['when they cross themselves', { zones: [{ name: 'a', points: [[0, 0], [1, 1], [1, 0], [0, 1]] }] }, /crosses itself/], // oxfmt-ignore
      ['outside the picture', { zones: [{ name: 'a', points: [[0, 0], [2, 0], [1, 1]] }] }, /outside the picture/], // oxfmt-ignore
      [
        'with a rule for another zone',
        { zones: [ALL], rules: [{ name: 'r', zone: 'al' }] },
        /Did you mean all/,
      ],
      [
        'with a rule for a class that no detector finds',
        { zones: [ALL], rules: [{ name: 'r', zone: 'all', classes: ['BOAT'] }] },
        /which no detector of the pipeline finds/,
      ],
      ['without a document', { zones: [ALL], buildOutput: false }, /need a detection document/],
    ];
    for (const [name, members, message] of refusals)
      it(name, async () => {
        const { status, body } = await service.create({ media: [FACE], ...FACES, ...members });
        expect(status).to.equal(400);
        expect((body as { readonly message: string }).message).to.match(message);
      });
  });
});
