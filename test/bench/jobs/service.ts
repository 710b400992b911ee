/** The whole service, compared with a plain loop with the same detector and reader. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import superagent from 'superagent';
import { requestToken } from '../../../components/sdk/connection/token-request.ts';
import { readSettings } from '../../../config/settings.ts';
import { startServer } from '../../../main.ts';
import { loadOrCreateDevelopmentSecrets } from '../../../http/access/development-secrets.ts';
import { makeVideo } from '../../media/support/make-video.ts';
import { startBare } from '../bare/bare.ts';
import { runInterleaved, round, measureTime, type Figure } from '../measure.ts';
import { silent } from '../parts.ts';

const FRAMES = 500;

export async function serviceOverhead(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const clip = path.join(folder, 'clip.mp4');
  const image = path.join(folder, 'image.png');
  makeVideo(clip, { frames: FRAMES, width: 1280, height: 720, gop: 50, bFrames: 2 });
  copyFileSync('samples/astronaut.png', image);
  const bare = startBare();
  const one = await startService(folder, 1);
  const all = await startService(folder, 2);
  await Promise.all([bare({ images: [image] }), one.run(image), all.run(image), all.run(clip)]);
  const times = await runInterleaved(5, {
    bare: () => bare({ video: clip, start: 0, stop: FRAMES - 1, length: FRAMES }),
    one: () => measureTime(() => one.run(clip)),
    all: () => measureTime(() => all.run(clip)),
  });
  const fixed = await runInterleaved(9, {
    bare: () => bare({ images: [image] }),
    one: () => measureTime(() => one.run(image)),
  });
  bare.stop();
  await Promise.all([one.stop(), all.stop()]);
  rmSync(folder, { recursive: true, force: true });
  return [
    { what: '20 s of 720p, faces: bare loop', value: `${round(times.bare)} ms` },
    {
      what: 'the service, one component process',
      value: `${round(times.one)} ms, ratio ${round(times.one / times.bare, 3)}`,
      aim: '<= 1.05',
    },
    {
      what: 'the service, two component processes',
      value: `${round(times.all)} ms, ratio ${round(times.all / times.bare, 3)}`,
    },
    {
      what: 'fixed cost: a job on one image, minus the bare loop on it',
      value: `${round(fixed.one - fixed.bare)} ms (${round(fixed.one)} - ${round(fixed.bare)})`,
      aim: '<= 150 ms',
    },
  ];
}

async function startService(folder: string, processes: number) {
  const dataDir = path.join(folder, `data-${processes}`);
  const settings = readSettings({
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    MEDIA_ROOTS: folder,
    COMPONENT_PROCESSES: String(processes),
  });
  const server = await startServer(settings, { logger: silent });
  const { clientSecret } = await loadOrCreateDevelopmentSecrets(dataDir);
  const token = await requestToken({ issuer: `${server.url}/oidc`, clientId: 'troupe-cli', clientSecret });
  const run = async (file: string): Promise<void> => {
    const media = [{ mediaUri: pathToFileURL(file).href }];
    const created = await superagent
      .post(`${server.url}/rest/jobs`)
      .auth(token, { type: 'bearer' })
      .send({ pipelineName: 'FACE DETECTION PIPELINE', media });
    const { jobId } = created.body as { jobId: string };
    for (;;) {
      const { body } = await superagent
        .get(`${server.url}/rest/jobs/${jobId}`)
        .auth(token, { type: 'bearer' });
      const { terminal, jobStatus } = body as { terminal: boolean; jobStatus: string };
      if (terminal && jobStatus !== 'COMPLETE') throw new Error(`The job ended ${jobStatus}.`);
      if (terminal) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { run, stop: () => server.stop() };
}
