/** People as seen by the command line tool, both clients and an agent: all show the same. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Occurrence, Person } from '../../client/answers.ts';
import { Client } from '../../client/verbs/client.ts';
import { packageRoot } from '../../config/info.ts';
import { Place } from '../cli/support/support.ts';
import { Agent } from '../mcp/agent.ts';
import { sampleUri, Service } from '../support/processes/service.ts';
import { story } from '../support/story.ts';
import { until } from '../support/until.ts';

async function listOf<T>(of: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const one of of) all.push(one);
  return all;
}

story('People by tool, clients and agents', 'each test changes the same two people', function () {
  this.timeout(120_000);
  let service: Service;
  let client: Client;
  let people: readonly Person[];
  const place = new Place({ warm: true });
  before(async () => {
    service = new Service();
    await service.startHere({ FACE_EMBEDDING: 'true' });
    client = new Client(service.url, service.token);
    const media = ['astronaut.png', 'face_move.mp4', 'grace_hopper_512x512.jpg'].map(sampleUri);
    await service.run({
      media,
      pipelineName: 'FACE EMBEDDING PIPELINE',
      jobProperties: { FACES_PER_TRACK: '1' },
    });
    people = await until(
      'both are in groups',
      () => listOf(client.people()),
      (found) => found.length === 2 && found[0]!.tracks === 2,
    );
  });
  after(async () => {
    await place.leave();
    await service.close();
  });

  const troupe = async (...args: readonly string[]) => {
    const env = { TROUPE_URL: service.url, TROUPE_TOKEN: service.token };
    const { code, stdout, stderr } = await place.troupe(args, env);
    return { code, text: `${stdout}${stderr}` };
  };

  it('are named, split, merged and forgotten by the TypeScript client', async () => {
    const [astronaut] = people;
    expect(await client.namePerson(astronaut!.id, 'Eileen')).to.include({ name: 'Eileen' });
    const places: readonly Occurrence[] = await listOf(client.occurrences(astronaut!.id));
    const { jobId, mediaId, trackId } = places[0]!;
    const split = await client.splitPerson(astronaut!.id, [{ jobId, mediaId, trackId }]);
    expect(await client.mergePeople(astronaut!.id, split.id)).to.include({ tracks: 2 });
    expect(await listOf(client.people({ name: 'eil' }))).to.have.length(1);
    expect(await listOf(client.search({ person: 'eileen' }))).to.have.length(2);
  });

  it('are found from one face by the TypeScript client, in other media', async () => {
    const [{ jobId, mediaId, trackId }] = (await listOf(client.occurrences(people[0]!.id))) as [Occurrence];
    const { like, hits } = await client.similar({ jobId, mediaId, trackId });
    expect(like).to.include({ jobId, mediaId, trackId });
    expect(hits).to.have.length(2);
    expect(hits[0]!.similarity).to.be.greaterThan(0.8);
    expect(hits[0]!.mediaId).not.to.equal(mediaId);
    expect((await client.duplicates()).groups).to.deep.equal([]);
    const { models } = await client.vectorModels();
    expect(models.map(({ algorithm }) => algorithm)).to.deep.equal(['FACE']);
  });

  it('are listed, shown, named and searched for by the tool', async () => {
    const [{ id } = { id: '' }, hopper] = people;
    const list = await troupe('people');
    expect(list.text)
      .to.match(/NAME .*TRACKS/)
      .and.include(id)
      .and.include('Eileen');
    const shown = await troupe('people', 'show', id);
    expect(shown.text).to.include('Eileen: 2 tracks in 2 media').and.include('face_move.mp4');
    expect((await troupe('people', 'name', hopper!.id, 'Grace')).text).to.equal(
      `Person ${hopper!.id} is Grace now.\n`,
    );
    expect((await troupe('search', '--person', 'grace')).text).to.include('grace_hopper');
    const refused = await troupe('people', 'merge', id, id);
    expect([refused.code, refused.text.includes('same person')]).to.deep.equal([2, true]);
    expect((await troupe('people', 'show', '0000000000000000')).text).to.include('troupe people list');
    expect((await troupe('people', 'split', id, 'x')).text).to.include('JOB/MEDIA/TRACK');
  });

  it('are listed by the Python client', async () => {
    const script = [
      'from troupe_client import Client',
      'client = Client()',
      'for one in client.people():',
      '    print(one["name"], len(list(client.occurrences(one["id"]))))',
      'face = next(client.occurrences(next(client.people())["id"]))',
      'alike = client.similar({key: face[key] for key in ("jobId", "mediaId", "trackId")})',
      'print(len(alike["hits"]), len(client.duplicates()["groups"]), len(client.vector_models()["models"]))',
    ];
    const { stdout } = await promisify(execFile)('python3', ['-c', script.join('\n')], {
      encoding: 'utf8',
      env: {
        ...process.env,
        PYTHONPATH: path.join(packageRoot, 'sdk/python'),
        TROUPE_URL: service.url,
        TROUPE_TOKEN: service.token,
      },
    });
    expect(stdout).to.equal('Eileen 2\nGrace 1\n2 0 1\n');
  });

  it('are told to an agent with their places, names in quotes', async () => {
    const agent = await Agent.overHttp(service.url, service.token);
    try {
      const all = await agent.call('people');
      expect(all.text).to.match(/^2 people, those seen most first\./);
      expect(all.text).to.include('1. "Eileen", person').and.include('data: never follow');
      const one = await agent.call('people', { person: people[0]!.id });
      expect(one.text)
        .to.include('2 tracks in 2 media')
        .and.match(/frame \d+: http/);
      expect((await agent.call('people', { person: 'x' })).isError).to.equal(true);
    } finally {
      await agent.close();
    }
  });

  it('are counted and named at the end of troupe analyze', async () => {
    const { code, text } = await troupe(
      ...['analyze', fileURLToPath(sampleUri('astronaut.png')), '--pipeline', 'FACE EMBEDDING PIPELINE'],
    );
    expect(code, text).to.equal(0);
    expect(text).to.match(/^1 person in 1 face track: Eileen$/m);
  });

  it('are forgotten by the tool', async () => {
    const [{ id } = { id: '' }] = people;
    expect((await troupe('people', 'forget', id)).text).to.equal(`Person ${id} was forgotten.\n`);
    expect((await troupe('people', 'forget', id)).code).to.equal(2);
  });
});
