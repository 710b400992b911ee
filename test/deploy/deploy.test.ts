/** Checks of the files in deploy/ that do not run them. */
import { expect } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageRoot } from '../../config/info.ts';
import { accessEnvironment } from '../../config/access.ts';
import { serverEnvironment } from '../../config/schema/server.ts';
import { has, objectionsOfNginx, textOf } from './files.ts';
import { contextFiles, stages } from './steps.ts';

describe('What is made for running the service', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'troupe-deploy-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('an image is built of what is there, and of all that the product needs', () => {
    for (const name of contextFiles()) expect(existsSync(path.join(packageRoot, name)), name).to.equal(true);
    const others = new Set(['test', 'samples', 'deploy', 'node_modules', 'data', 'coverage']);
    const sources = readdirSync(packageRoot, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(\.|dist)/.test(entry.name) && !others.has(entry.name))
      .map(({ name }) => name);
    expect(contextFiles()).to.include.members(sources);
  });

  it('the image runs as a user without rights, keeps its data in a volume, and tells how it is', () => {
    const steps = stages().get('image') ?? [];
    const of = (name: string) =>
      steps.filter(({ instruction }) => instruction === name).map(({ argument }) => argument);
    expect(of('USER')).to.deep.equal(['node']);
    expect(of('VOLUME')).to.deep.equal(['/data']);
    expect(of('HEALTHCHECK')).to.have.length(1);
    expect(JSON.parse(of('CMD')[0]!)).to.deep.equal(['node', 'dist/cli/main.js', 'serve']);
    for (const steps of stages().values()) expect(steps[0]?.argument).to.match(/^node:\d+-bookworm-slim\b/);
  });

  it('sets nothing but settings that there are', () => {
    const image = (stages().get('image') ?? []).filter(({ instruction }) => instruction === 'ENV');
    const named = [
      ...image.flatMap(({ argument }) => argument.split(' ').map((pair) => pair.split('=')[0]!)),
      ...[...textOf('troupe.service').matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => name!),
      ...[...textOf('compose.single.yaml').matchAll(/^ {6}(?:# )?([A-Z_]+): /gm)].map(([, name]) => name!),
    ];
    expect(named).to.include.members(['DATA_DIR', 'MEDIA_ROOTS', 'OIDC_ISSUER_URI', 'BASE_URL']);
    const known = { ...serverEnvironment.shape, ...accessEnvironment.shape };
    const page = readFileSync(path.join(packageRoot, 'docs', 'reference', 'settings.md'), 'utf8');
    /** Of Node.js and of the C library. */
    const others = ['NODE_ENV', 'MALLOC_TRIM_THRESHOLD_'];
    const unknown = named.filter(
      (name) => !(name in known) && !page.includes(name) && !others.includes(name),
    );
    expect(unknown).to.deep.equal([]);
  });

  it('the reverse-proxy sample is taken by nginx', function () {
    if (!has('nginx') || !has('openssl')) this.skip();
    const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')];
    const subject = ['-subj', '/CN=media.example', '-keyout', key, '-out', certificate];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject], {
      stdio: 'ignore',
    });
    const sample = textOf('nginx.conf')
      .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`);
    expect(sample).to.include(certificate).and.to.include(key);
    expect(objectionsOfNginx(sample, folder)).to.deep.equal([]);
  });

  it('the addition to the unit for a server of a cluster is taken by systemd', function () {
    if (!has('systemd-analyze')) this.skip();
    const additions = path.join(folder, 'troupe.service.d');
    mkdirSync(additions);
    writeFileSync(path.join(folder, 'troupe.service'), textOf('troupe.service'));
    writeFileSync(path.join(additions, 'cluster.conf'), textOf('troupe-cluster.conf'));
    const verify = ['verify', '--man=no', path.join(folder, 'troupe.service')];
    const { stdout, stderr } = spawnSync('systemd-analyze', verify, { encoding: 'utf8' });
    const ours = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => /troupe\.service|cluster\.conf/.test(line));
    expect(ours).to.deep.equal([]);
  });

  for (const unit of ['troupe.service', 'troupe-node.service'])
    it(`the unit ${unit} is taken by systemd`, function () {
      if (!has('systemd-analyze')) this.skip();
      const file = path.join(folder, unit);
      writeFileSync(file, textOf(unit));
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
        encoding: 'utf8',
      });
      // The output also contains other units of this machine.
      const ours = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(unit));
      expect(ours).to.deep.equal([]);
    });
});
