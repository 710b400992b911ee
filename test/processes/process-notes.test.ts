/** Notes of processes: what is ended by them, and what never is. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ProcessNotes } from '../../processes/process-notes.ts';
import { endOf, isAlive } from '../support/processes.ts';

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
    new ProcessNotes(folder).add(pid);
    expect(new ProcessNotes(folder).endLeftovers()).to.deep.equal([pid]);
    expect(await endOf(child)).to.equal('SIGKILL');
    expect(new ProcessNotes(folder).endLeftovers()).to.deep.equal([]);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('never end another process that was given the same id', async () => {
    const [noted, other] = [await sleeper(), await sleeper()];
    const notes = new ProcessNotes(folder);
    notes.add(noted.pid);
    writeFileSync(join(folder, String(other.pid)), 'another-boot 1');
    for (const name of ['1', '0', '-1', 'x', '..']) if (name !== '..') writeFileSync(join(folder, name), '');
    expect(notes.endLeftovers()).to.deep.equal([noted.pid]);
    await endOf(noted.child);
    expect(isAlive(other)).to.equal(true);
    process.kill(other.pid, 'SIGKILL');
    await endOf(other.child);
  });

  it('let a process run that cannot be noted', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { child, pid } = await sleeper();
    const notes = new ProcessNotes(file);
    notes.add(pid);
    expect(notes.endLeftovers()).to.deep.equal([]);
    expect(isAlive({ pid })).to.equal(true);
    process.kill(pid, 'SIGKILL');
    await endOf(child);
    notes.remove(pid);
  });
});
