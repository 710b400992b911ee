/** Process records: which processes they end, and which they never end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ProcessNotes } from '../../processes/process-notes.ts';
import { endOf, isAlive } from '../support/processes/processes.ts';

const NOTES = new URL('../../processes/process-notes.js', import.meta.url).href;
/** Another server that has started a process and keeps running. */
const OTHER_SERVER = `
  const [, notes, folder, pid] = process.argv;
  const { ProcessNotes } = await import(notes);
  new ProcessNotes(folder, 'other', false).add(Number(pid));
  console.log('noted');
  setInterval(() => {}, 1000);`;

describe('The notes of processes', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-notes-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function sleeper() {
    const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    return { child, pid: child.pid! };
  }

  it('end what was noted and still runs, once', async () => {
    const { child, pid } = await sleeper();
    new ProcessNotes(folder, 'earlier', true).add(pid);
    expect(new ProcessNotes(folder, 'later', true).endLeftovers()).to.deep.equal([pid]);
    expect(await endOf(child)).to.equal('SIGKILL');
    expect(new ProcessNotes(folder, 'later', true).endLeftovers()).to.deep.equal([]);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('never end another process that was given the same id', async () => {
    const [noted, other] = [await sleeper(), await sleeper()];
    new ProcessNotes(folder, 'earlier', true).add(noted.pid);
    const notes = new ProcessNotes(folder, 'own', true);
    const place = join(folder, 'earlier');
    writeFileSync(join(place, String(other.pid)), 'another-boot 1');
    for (const name of ['1', '0', '-1', 'x']) writeFileSync(join(place, name), '');
    expect(notes.endLeftovers()).to.deep.equal([noted.pid]);
    await endOf(noted.child);
    expect(isAlive(other)).to.equal(true);
    process.kill(other.pid, 'SIGKILL');
    await endOf(other.child);
  });

  it('of a server that runs beside this one are left alone, until it is gone', async () => {
    const { child, pid } = await sleeper();
    const server = spawn(
      process.execPath,
      ['--input-type=module', '-e', OTHER_SERVER, NOTES, folder, String(pid)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await once(server.stdout, 'data');
    const notes = new ProcessNotes(folder, 'own', false);
    expect(notes.endLeftovers()).to.deep.equal([]);
    expect(isAlive({ pid })).to.equal(true);
    server.kill('SIGKILL');
    await endOf(server);
    expect(notes.endLeftovers()).to.deep.equal([pid]);
    await endOf(child);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('of another host, or of before it started, tell a server nothing that is not alone', () => {
    for (const [name, server] of Object.entries({ elsewhere: `1 boot pid:[1] 7`, unnamed: '' })) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'server'), server);
    }
    expect(new ProcessNotes(folder, 'own', false).endLeftovers()).to.deep.equal([]);
    expect(readdirSync(folder)).to.deep.equal(['elsewhere']);
    expect(new ProcessNotes(folder, 'own', true).endLeftovers()).to.deep.equal([]);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('go when the server goes down in order', async () => {
    const { child, pid } = await sleeper();
    const notes = new ProcessNotes(folder, 'own', false);
    notes.add(pid);
    notes.remove(pid);
    notes.close();
    expect(readdirSync(folder)).to.deep.equal([]);
    process.kill(pid, 'SIGKILL');
    await endOf(child);
  });

  it('let a process run that cannot be noted', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { child, pid } = await sleeper();
    const notes = new ProcessNotes(file, 'own', true);
    notes.add(pid);
    expect(notes.endLeftovers()).to.deep.equal([]);
    expect(isAlive({ pid })).to.equal(true);
    process.kill(pid, 'SIGKILL');
    await endOf(child);
    notes.remove(pid);
  });
});
