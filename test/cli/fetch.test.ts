/** `troupe jobs fetch` with a real service. The tool has no access to its data folder. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sampleUri, Service, type DetectionDocument } from '../support/processes/service.ts';
import { until } from '../support/until.ts';
import { Place } from './support/support.ts';

describe('troupe jobs fetch', () => {
  let service: Service;
  let place: Place;
  /** A document with artifacts, marked-up copies and derivative media. */
  let document: DetectionDocument;
  let derived: DetectionDocument;
  before(async () => {
    service = await Service.openShared();
    place = new Place({ warm: true });
    document = await service.run({
      media: [sampleUri('astronaut.png'), sampleUri('camera.png')],
      pipelineDefinition: {
        pipeline: ['LIGHT TASK', 'DRAWING'],
        tasks: [{ name: 'DRAWING', actions: ['GENERIC MARKUP ACTION'] }],
      },
      jobProperties: { ARTIFACT_EXTRACTION_POLICY: 'ALL_TYPES' },
    });
    const text = path.join(service.mediaDir, 'a.txt');
    writeFileSync(text, 'a text');
    derived = await service.run({ media: [`file://${text}`], pipelineName: 'TROUBLE PIPELINE' });
  });
  after(async () => {
    await place.leave();
    await service.close();
  });

  const fetchAll = (...args: readonly string[]) =>
    place.troupe(['jobs', 'fetch', ...args], {
      DATA_DIR: path.join(place.folder, 'nothing'),
      TROUPE_URL: service.url,
      TROUPE_TOKEN: service.token,
    });
  const nameOf = (n: number) => `${document.media[n]!.mediaId}-${n === 0 ? 'astronaut' : 'camera'}.png`;
  const inPlace = (...names: readonly string[]) => path.join(place.folder, ...names);
  const same = (file: string, uri: string) =>
    expect(readFileSync(file).equals(readFileSync(fileURLToPath(uri))), file).to.equal(true);

  /** The files that the document names, by their expected path. */
  function expectedFiles(document: DetectionDocument): ReadonlyMap<string, string> {
    const files = new Map<string, string>();
    for (const { mediaId, path: uri, parentMediaId, markupResult } of document.media) {
      const name = `${mediaId}-${path.basename(uri)}`;
      if (parentMediaId >= 0) files.set(`media/${name}`, uri);
      if (markupResult !== null)
        files.set(`markup/${mediaId}-${path.basename(markupResult.path)}`, markupResult.path);
    }
    for (const [, uri = '', end = ''] of JSON.stringify(document).matchAll(
      /"artifactPath":"(file:[^"]*\/artifacts\/[^/"]+\/([^"]+))"/g,
    ))
      files.set(`artifacts/${end}`, uri);
    return files;
  }

  it('brings the document and every file that it names, and the second time nothing', async () => {
    for (const [from, kinds] of [
      [document, ['markup', 'artifacts']],
      [derived, ['media']],
    ] as const) {
      const { code, stdout, stderr } = await fetchAll(from.jobId);
      expect([code, stderr]).to.deep.equal([0, '']);
      const files = expectedFiles(from);
      expect([...files.keys()].map((name) => name.split('/')[0])).to.include.members(kinds);
      expect(stdout).to.match(
        new RegExp(`^The document and ${files.size} files? \\(.*\\) fetched: ${from.jobId}\n$`),
      );
      for (const [name, uri] of files) same(inPlace(from.jobId, name), uri);
      const text = readFileSync(inPlace(from.jobId, 'detection.json'), 'utf8');
      expect(JSON.parse(text)).to.deep.equal(from);
      const again = await fetchAll(from.jobId);
      expect(again.stdout).to.include(
        `0 files (0 kB) fetched, ${files.size} file${files.size === 1 ? '' : 's'} there already`,
      );
    }
    expect(existsSync(inPlace(document.jobId, 'media', nameOf(0)))).to.equal(false);
  });

  it('brings the media of the job, too, when it is asked to, into the folder that is named', async () => {
    const { code } = await fetchAll(document.jobId, '--media', '--to', 'here/below');
    expect(code).to.equal(0);
    same(inPlace('here/below/media', nameOf(0)), sampleUri('astronaut.png'));
    same(inPlace('here/below/media', nameOf(1)), sampleUri('camera.png'));
  });

  it('goes on with what broke off, and begins anew with a part of another file', async () => {
    const folder = inPlace('cut', 'media');
    const file = path.join(folder, nameOf(0));
    const whole = readFileSync(fileURLToPath(sampleUri('astronaut.png')));
    const asked: string[] = [];
    const parts = () =>
      (existsSync(folder) ? readdirSync(folder) : []).filter(
        (name) => name.startsWith(nameOf(0)) && name.endsWith('.part'),
      );
    const partSize = () => parts().reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
    // The first download breaks in the middle of the picture.
    let breaks = true;
    const proxy = createServer((incoming, outgoing) => {
      asked.push(`${incoming.method ?? ''} ${incoming.url ?? ''} ${incoming.headers.range ?? ''}`.trim());
      const { host: _, ...headers } = incoming.headers as Record<string, string>;
      void fetch(`${service.url}${incoming.url ?? ''}`, { method: incoming.method ?? '', headers })
        .then(async (answer) => {
          const body = Buffer.from(await answer.arrayBuffer());
          const length = answer.headers.get('content-length');
          outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
          if (
            !breaks ||
            incoming.method !== 'GET' ||
            !incoming.url!.endsWith(`/media/${document.media[0]!.mediaId}`)
          )
            return outgoing.end(body);
          breaks = false;
          expect(length).to.equal(String(whole.length));
          outgoing.write(body.subarray(0, 100_000));
          await until('a part of it is here', partSize, (size) => size > 0);
          return outgoing.destroy();
        })
        .catch(() => outgoing.destroy());
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const through = () =>
      place.troupe(
        ['jobs', 'fetch', document.jobId, '--media', '--to', 'cut', '--url', `http://127.0.0.1:${port}`],
        {
          DATA_DIR: inPlace('nothing'),
          TROUPE_TOKEN: service.token,
        },
      );
    try {
      const broken = await through();
      expect(broken.code).to.equal(1);
      expect(broken.stderr).to.include('Run the same command again to continue.');
      const size = partSize();
      expect(size).to.be.within(1, 100_000);
      asked.length = 0;
      expect((await through()).code).to.equal(0);
      expect(asked).to.include(
        `GET /rest/jobs/${document.jobId}/media/${document.media[0]!.mediaId} bytes=${size}-`,
      );
      same(file, sampleUri('astronaut.png'));
      expect(parts()).to.deep.equal([]);
      // The rest of a partial download that the service does not have any more.
      renameSync(file, `${file}.other.part`);
      truncateSync(`${file}.other.part`, 10);
      expect((await through()).code).to.equal(0);
      same(file, sampleUri('astronaut.png'));
      // The existing file has another size.
      writeFileSync(file, 'other');
      expect((await through()).code).to.equal(0);
      same(file, sampleUri('astronaut.png'));
    } finally {
      proxy.close();
      proxy.closeAllConnections();
    }
  });

  it('says which files are not to be had, and brings the others', async () => {
    mkdirSync(path.join(service.mediaDir, 'more'));
    const medium = path.join(service.mediaDir, 'more', 'gone.png');
    writeFileSync(medium, readFileSync(fileURLToPath(sampleUri('camera.png'))));
    const { jobId, media } = await service.run({
      media: [`file://${medium}`, sampleUri('camera.png')],
      pipelineName: 'LIGHT PIPELINE',
    });
    rmSync(medium);
    const { code, stdout, stderr } = await fetchAll(jobId, '--media');
    expect(code).to.equal(1);
    expect(stderr).to.equal(
      `media/${media[0]!.mediaId}-gone.png: The medium can no longer be read: File does not exist.\n`,
    );
    expect(stdout).to.match(/ fetched, 1 file not available: /);
  });

  it('says when the folder cannot be made', async () => {
    const { jobId } = await service.run({ media: [sampleUri('camera.png')], pipelineName: 'LIGHT PIPELINE' });
    // Creating a file in /proc fails with the error for a missing folder.
    const { code, stderr } = await fetchAll(jobId, '--to', '/proc/below');
    expect([code, stderr]).to.deep.equal([
      2,
      'The folder /proc/below cannot be made (ENOENT): name another one by --to.\n',
    ]);
  });

  it('refuses what is no job, and a job that has not ended', async () => {
    expect((await fetchAll('test-host-999999')).code).to.equal(2);

    const live = await service.submit({ media: [sampleUri('camera.png')], pipelineName: 'ABSENT PIPELINE' });
    const { code, stderr } = await fetchAll(live);
    expect(code).to.equal(2);
    expect(stderr).to.include('has no document yet');
    await service.cancel(live);
  });
});
