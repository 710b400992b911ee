/** Several small sub-jobs in one message, with a component that does not use the SDK. */
import { expect } from 'chai';
import type { AnswersAnswer, ClaimAnswer, SubJobAnswer } from '../../protocol/worker-messages.ts';
import { RawComponent, trackNamed } from '../support/processes/raw-component.ts';
import { errorCodes, sampleUri, Service, tracksOf } from '../support/processes/service.ts';

const IMAGES = 4;
const LOST = 'The lease is lost: it ran out, was given to another component, or its job has ended.';

describe('A component that does its sub-jobs in turn', () => {
  let service: Service;
  let component: RawComponent;
  before(async () => {
    service = await Service.openShared();
    component = new RawComponent(service);
  });
  after(() => service.close());

  const submit = () =>
    service.submit({
      media: Array.from({ length: IMAGES }, () => sampleUri('hello-world.png')),
      pipelineName: 'ABSENT PIPELINE',
    });
  async function claim(max: number): Promise<readonly string[]> {
    const { status, body } = await component.say('/claim', {
      algorithms: ['ABSENT'],
      max,
      waitMs: 25_000,
      inTurn: true,
    });
    expect(status).to.equal(200);
    return (body as ClaimAnswer).work.map(({ token }) => token);
  }
  async function answer(answers: readonly SubJobAnswer[], max = 0): Promise<AnswersAnswer> {
    const { status, body } = await component.say('/answers', { answers, algorithms: ['ABSENT'], max });
    expect(status).to.equal(200);
    return body as AnswersAnswer;
  }
  const resultOf = (token: string) => ({ token, lines: `${JSON.stringify(trackNamed(token))}\n` });

  it('answers them together, each on its own: taken, failed, refused, given back, lost', async () => {
    const id = await submit();
    const tokens: string[] = [];
    while (tokens.length < IMAGES) tokens.push(...(await claim(64)));
    const [good, failed, garbage, back] = tokens as [string, string, string, string];
    const { refused } = await answer([
      resultOf(good),
      { token: failed, failure: { code: 'GPU_ERROR', message: 'The card is on fire.' } },
      { token: garbage, lines: '{"broken' },
      { token: back },
      { token: 'nobody', lines: '' },
    ]);
    expect(refused[0]).to.equal(null);
    expect(refused[1]).to.equal(null);
    expect(refused[2]).to.include('is not JSON');
    expect(refused.slice(3)).to.deep.equal([null, LOST]);
    // A repeated message, whose first response was lost, is accepted again.
    expect((await answer([resultOf(good)])).refused).to.deep.equal([null]);
    const rest: string[] = [];
    while (rest.length < 2) rest.push(...(await claim(64)));
    expect((await answer(rest.map(resultOf), 8)).work).to.deep.equal([]);
    expect((await service.terminal(id)).jobStatus).to.equal('ERROR');
    const document = await service.document(id);
    const errors = document.media.flatMap(({ mediaId }) => errorCodes(document, mediaId));
    expect(errors).to.deep.equal(['GPU_ERROR']);
    const labels = document.media
      .flatMap((medium) => tracksOf(medium, 'ABSENT'))
      .map(({ trackProperties }) => trackProperties['LABEL']);
    expect(labels).to.have.members([good, ...rest]);
  });

  it('gets more work with what its answers are answered', async () => {
    const id = await submit();
    let [todo, done] = [[...(await claim(1))], 0];
    while (done < IMAGES) {
      const { refused, work } = await answer(todo.map(resultOf), 1);
      expect(refused).to.deep.equal(todo.map(() => null));
      done += todo.length;
      todo = work.map(({ token }) => token);
      if (todo.length === 0 && done < IMAGES) todo = [...(await claim(1))];
    }
    expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
  });

  it('answers several jobs in one message, each on its own', async () => {
    const ids = await Promise.all([submit(), submit(), submit()]);
    const tokens: string[] = [];
    while (tokens.length < 3 * IMAGES) tokens.push(...(await claim(64)));
    const answers = tokens.map((token, n): SubJobAnswer => {
      if (n === 0) return { token, lines: '{"broken' };
      return n % 2 === 0 ? { token, lines: '' } : resultOf(token);
    });
    const { refused } = await answer(answers);
    expect(refused[0]).to.include('is not JSON');
    expect(refused.slice(1)).to.deep.equal(tokens.slice(1).map(() => null));
    const [again] = await claim(1);
    expect((await answer([resultOf(again!)])).refused).to.deep.equal([null]);
    const labels: unknown[] = [];
    for (const id of ids) {
      expect((await service.terminal(id)).jobStatus).to.equal('COMPLETE');
      const { media } = await service.document(id);
      for (const medium of media)
        labels.push(...tracksOf(medium, 'ABSENT').map(({ trackProperties }) => trackProperties['LABEL']));
    }
    expect(labels).to.have.members([again, ...tokens.filter((_, n) => n % 2 === 1)]);
  });

  it('may not answer more than 64 at a time, nor anything that is no text', async () => {
    const many = Array.from({ length: 65 }, (_, n) => ({ token: `t${n}`, lines: '' }));
    expect((await component.say('/answers', { answers: many })).status).to.equal(400);
    expect((await component.say('/answers', { answers: [{ token: 't', lines: 5 }] })).status).to.equal(400);
  });
});
