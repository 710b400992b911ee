/**
 * Jobs with very many sub-jobs do not delay others, and have no more sub-jobs outstanding than the window
 * allows.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { Service, tracksOf } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { commitsOf as commitsOfJob, mostAtATime } from '../media/many-images.ts';
import { uriOf } from '../results.ts';

const QUICK = { ARTIFACT_EXTRACTION_POLICY: 'NONE' };
/** More than the window. IMAGES=1000 takes a minute. */
const IMAGES = Number(process.env['IMAGES'] ?? 70);
const SMALL_JOBS = 3;

const isTerminal = (job: { readonly terminal: boolean } | undefined) => job?.terminal === true;

describe('Large jobs', function () {
  this.timeout(240_000);
  let service: Service;
  before(async () => {
    service = await Service.openShared();
  });
  after(() => service.close());

  const commitsOf = (id: string) => commitsOfJob(service, id);
  /** Job ids of assigned detections, in order. */
  const handedOutBy = (): readonly string[] =>
    service
      .log('handed out a sub-job')
      .filter(({ kind }) => kind === 'DETECT')
      .map(({ subJob }) => String(subJob).split('.')[0]!);
  const waitsForDetection = (id: string) => commitsOf(id).some(({ stage }) => stage === 'TASK');

  it('of very many images let small jobs of their priority pass, and lose nothing', async () => {
    const names = Array.from({ length: IMAGES }, (_, n) => `${n}.png`);
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#456' } })
      .png()
      .toBuffer();
    await Promise.all(names.map((name) => writeFile(join(service.mediaDir, name), png)));
    // The only component waits at the first image of the large job until the small jobs are submitted.
    const gate = join(service.folder, 'gate');
    const jobProperties = { ...QUICK, TROUBLE: 'wait', TROUBLE_FILE: gate };
    const job = { pipelineName: 'TROUBLE PIPELINE', jobProperties };
    const large = await service.submit({ ...job, media: names.map((name) => uriOf(service, name)) });
    await until('the large job is held', () => handedOutBy().includes(large));
    const small: string[] = [];
    for (let n = 0; n < SMALL_JOBS; n++)
      small.push(await service.submit({ ...job, media: [uriOf(service, `${n}.png`)] }));
    await until('the small jobs wait for the component', () => small.every(waitsForDetection));
    const held = handedOutBy().length;
    await writeFile(gate, '');

    for (const id of small) expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
    // Jobs are served in turn: the large job gets at most one turn before each small job had one.
    const turns = handedOutBy().slice(held, held + SMALL_JOBS + 1);
    expect(turns).to.include.members(small);
    // Polls rarely, because each response lists all media.
    const patience = { withinMs: 140_000, everyMs: 500 };
    const ended = await until('the large job has ended', () => service.job(large), isTerminal, patience);
    expect(ended!.jobStatus).to.equal('COMPLETE');
    const { media } = await service.document(large);
    expect(media.flatMap((medium) => tracksOf(medium, 'TROUBLE'))).to.have.length(IMAGES);
    for (const what of ['inspections', 'others'] as const)
      expect(mostAtATime(service, large, what), `${what} at a time`).to.be.within(1, 64);
  });
});
