/**
 * The component template with the packages from `npm pack`, on a host without access to the server's files.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';
import { installPacked } from '../config/packages.ts';
import { makeVideo } from '../media/support/make-video.ts';
import { canBeNobody, NOBODY } from '../support/processes/other-user.ts';
import { Service, tracksOf } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

/** A package of the SDK, and the name under which its template imports it. */
interface Sdk {
  readonly of: string;
  readonly name: string;
  install(folder: string): void;
}

const SDKS: readonly Sdk[] = [
  {
    of: 'the SDK alone',
    name: '@troupe/sdk',
    install: (folder) => installPacked('sdk/typescript', folder),
  },
  { of: 'the package of the server', name: 'troupe/sdk', install: installServer },
];

/**
 * Installs the package like `npm install`. Its dependencies come from this checkout, so no registry is used.
 */
function installServer(folder: string): void {
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(
    execFileSync('npm', pack, { cwd: packageRoot, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as [{ filename: string }];
  execFileSync('tar', ['xzf', path.join(folder, filename), '-C', modules]);
  execFileSync('mv', [path.join(modules, 'package'), path.join(modules, 'troupe')]);
  symlinkSync(path.join(packageRoot, 'node_modules'), path.join(modules, 'troupe', 'node_modules'));
  for (const name of ['typescript', '@types', '@typescript', 'undici-types'])
    symlinkSync(path.join(packageRoot, 'node_modules', name), path.join(modules, name));
}

/** A copy of the template that imports the SDK under this name. */
function copyTemplate(folder: string, sdk: string): void {
  const template = path.join(packageRoot, 'templates', 'component');
  cpSync(template, folder, { recursive: true });
  for (const file of ['detector.ts', 'detector.test.ts', 'remote.ts']) {
    const text = readFileSync(path.join(template, file), 'utf8');
    writeFileSync(path.join(folder, file), text.replace("'@troupe/sdk'", `'${sdk}'`));
  }
}

for (const sdk of SDKS)
  describe(`A copy of the template on another host, with ${sdk.of}`, function () {
    this.timeout(240_000);
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-template-')));
    after(() => rmSync(folder, { recursive: true, force: true }));

    it('is built, registers itself, and finds what is to be found in media that it cannot read', async function () {
      if (!canBeNobody()) return this.skip();
      sdk.install(folder);
      copyTemplate(folder, sdk.name);
      execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'], { cwd: folder });
      execFileSync(process.execPath, ['--test', 'dist/detector.test.js'], { cwd: folder });
      chmodSync(folder, 0o755);
      const everybodys = path.join(folder, 'everybodys');
      mkdirSync(everybodys);
      chmodSync(everybodys, 0o777);
      const service = await Service.here();
      const child = spawn(process.execPath, ['dist/remote.js'], {
        ...{ ...NOBODY, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
        env: {
          PATH: process.env['PATH'],
          TROUPE_URL: service.url,
          TROUPE_CLIENT_ID: 'troupe-cli',
          TROUPE_CLIENT_SECRET: readFileSync(
            path.join(service.dataDir, 'secrets', 'troupe-cli.secret'),
            'utf8',
          ).trim(),
          PROCESSES: '2',
          MEDIA_CACHE_FOLDER: path.join(everybodys, 'media'),
        },
      });
      let said = '';
      child.stderr.on('data', (text) => (said += String(text)));
      try {
        const components = () => service.ask('GET', '/rest/components');
        await until(
          'it is registered',
          components,
          ({ text }) => text.includes('DarknessDetection') || said !== '',
        );
        const clip = path.join(service.mediaDir, 'clip.mp4');
        makeVideo(clip, { frames: 120, gop: 10 });
        const document = await service.run({
          media: [pathToFileURL(clip).href],
          pipelineName: 'DARKNESS DETECTION PIPELINE',
          jobProperties: {
            MAX_BRIGHTNESS: '255',

            TARGET_SEGMENT_LENGTH: '40',
            MIN_SEGMENT_LENGTH: '10',
          },
        });
        expect(document.media[0]?.status, said + JSON.stringify(document.errors)).to.equal('COMPLETE');
        expect(tracksOf(document.media[0], 'DARKNESS').length, JSON.stringify(document)).to.be.above(0);
      } finally {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
        await service.close();
      }
    });
  });
