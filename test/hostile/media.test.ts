/**
 * Malicious media: mutated files, decompression bombs, and a component with growing memory. Each job ends,
 * and no other job is affected. SEED= repeats a run; MUTATIONS= sets the number of files per sample (default:
 * one per format).
 */
import { expect } from 'chai';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../config/info.ts';
import { errorCodes, sampleUri, Service, tracksOf } from '../support/processes/service.ts';
import { BOMBS, mutateBytes, randomOf } from './bombs.ts';
import { seed } from '../support/seed.ts';

const mutations = Number(process.env['MUTATIONS'] ?? 1);
const MAX_MIB = 500;
const LIGHT = { pipelineName: 'LIGHT PIPELINE' };
const ASTRONAUT = sampleUri('astronaut.png');
const SAMPLES = join(packageRoot, 'samples');

describe(`Media that attack [SEED=${seed} MUTATIONS=${mutations}]`, function () {
  this.timeout(240_000 + mutations * 60_000);
  let service: Service;
  let pid: number;
  before(async () => {
    service = await Service.start({
      SUB_JOB_ATTEMPTS: '1',
      MAX_COMPONENT_MEMORY: String(MAX_MIB * 2 ** 20),
    });
    pid = service.pid;
  });
  after(() => service.close());

  const put = (name: string, bytes: Buffer | string): string => {
    const file = join(service.mediaDir, name);
    writeFileSync(file, bytes);
    return pathToFileURL(file).href;
  };
  /** In any case the job ended, has a document, and the server process is the same. */
  async function ends(id: string): Promise<void> {
    const { terminal } = await service.terminal(id, 200_000);
    expect(terminal).to.equal(true);
    expect((await service.document(id)).media).not.to.deep.equal([]);
    expect(service.pid).to.equal(pid);
  }
  async function worksStill(): Promise<void> {
    const document = await service.run({ media: [ASTRONAUT], ...LIGHT }, 100_000);
    expect(tracksOf(document.media[0], 'LIGHT').length).to.be.above(0);
  }

  it('a component over its memory limit is ended; only its work fails, and the error says why', async () => {
    const growing = await service.submit({
      media: [{ mediaUri: ASTRONAUT, properties: { TROUBLE: 'grow' } }, ASTRONAUT],
      pipelineName: 'TROUBLE PIPELINE',
    });
    const beside = await service.submit({ media: [ASTRONAUT], ...LIGHT });
    expect((await service.terminal(growing, 100_000)).jobStatus).to.equal('ERROR');
    expect((await service.terminal(beside, 100_000)).jobStatus).to.equal('COMPLETE');
    const document = await service.document(growing);
    const [bad, good] = document.media;
    expect(errorCodes(document, bad?.mediaId)).to.deep.equal(['DEAD_LETTER']);
    expect(errorCodes(document, good?.mediaId)).to.deep.equal([]);
    expect(JSON.stringify(bad?.detectionProcessingErrors)).to.match(
      new RegExp(
        `the process had \\d[\\d,]* MiB of memory and was ended; MAX_COMPONENT_MEMORY allows ${MAX_MIB} MiB`,
      ),
    );
  });

  it('bombs and files that promise too much end, and the next job works', async () => {
    const media = Object.entries(BOMBS).map(([name, make]) => put(name, make()));
    const ids = [
      await service.submit({ media, ...LIGHT }),
      await service.submit({
        media: media.filter((uri) => /bomb|xml$/.test(uri)),
        pipelineName: 'DOCUMENT TEXT DETECTION PIPELINE',
      }),
    ];
    await worksStill();
    for (const id of ids) await ends(id);
  });

  it('mutated files of every format end, and the next job works', async () => {
    const random = randomOf(seed);
    const media = samplesToMutate().flatMap((name) =>
      Array.from({ length: mutations }, (_, n) =>
        put(`${n}-${name}`, mutateBytes(readFileSync(join(SAMPLES, name)), random)),
      ),
    );
    const id = await service.submit({ media, ...LIGHT });
    await ends(id);
    await worksStill();
  });
});

/** All samples if MUTATIONS is set, else the smallest one of each format. */
function samplesToMutate(): readonly string[] {
  const sizeOf = (name: string) => statSync(join(SAMPLES, name)).size;
  const all = readdirSync(SAMPLES).filter((name) => !name.endsWith('.md'));
  if (process.env['MUTATIONS'] !== undefined) return all;
  const largestFirst = all.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return [...new Map(largestFirst.map((name) => [extname(name), name])).values()];
}
