/** Callback signatures (Standard Webhooks), verified with the library of the standard. */
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import {
  areWebhookSecrets,
  secretsFor,
  noteUnusedSecrets,
  takeCallbackSecrets,
  webhookHeaders,
  webhookId,
} from '../../../domain/job/webhook.ts';

const secretOf = (bytes: number, fill = 7) => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;
const [NEW, OLD] = [secretOf(32), secretOf(24, 9)];

describe('The signature of a callback', () => {
  const sign = (secrets: readonly string[], body: string) =>
    webhookHeaders({ id: 'host-1_1_callback', at: Date.now(), body, secrets });

  for (const body of ['{"jobId":"host-1","externalId":"ü"}', ''])
    it(`is verified by the library of the standard for the body "${body}"`, () => {
      expect(() => new Webhook(NEW).verify(body, sign([NEW], body))).not.to.throw();
      expect(() => new Webhook(OLD).verify(body, sign([NEW], body))).to.throw('No matching signature found');
      expect(() => new Webhook(NEW).verify(`${body} `, sign([NEW], body))).to.throw('No matching signature');
    });

  it('is there for both secrets while they are rotated', () => {
    const headers = sign([NEW, OLD], '{}');
    for (const secret of [NEW, OLD]) expect(new Webhook(secret).verify('{}', headers)).to.deep.equal({});
  });

  it('is missing without a secret', () => {
    expect(sign([], '{}')).to.deep.equal({});
  });

  it('belongs to an id without a full stop, which separates what is signed', () => {
    expect(webhookId('a.b-12.1.callback')).to.equal('a_b-12_1_callback');
  });
});

describe('The secrets of callbacks', () => {
  it('have 24 to 64 bytes, and there are at most two', () => {
    for (const well of [[secretOf(24)], [secretOf(64)], [NEW, OLD], [NEW.replace(/=+$/, '')]])
      expect(areWebhookSecrets(well), String(well)).to.equal(true);
    const wrong = [
      [],
      [secretOf(23)],
      [secretOf(65)],
      [NEW.slice('whsec_'.length)],
      ['whsec_not base64!'],
      [NEW, OLD, NEW],
    ];
    for (const each of wrong) expect(areWebhookSecrets(each), String(each)).to.equal(false);
  });

  it('are those of the longest beginning of the URL, else those of the host', () => {
    const receivers = ['a.example', 'a.example:81', 'https://a.example/x', 'https://a.example/x/y/'].map(
      (receiver) => ({ receiver, secrets: [receiver] }),
    );
    const found = (url: string) => secretsFor(url, receivers)[0];
    expect(found('https://a.example/x/y/z?q=1')).to.equal('https://a.example/x/y/');
    expect(found('https://a.example/x?q=1')).to.equal('https://a.example/x');
    expect(found('https://a.example/xy')).to.equal('a.example');
    expect(found('http://A.example:81/x')).to.equal('a.example:81');
    expect(found('https://b.a.example/')).to.equal(undefined);
    expect(found('no url')).to.equal(undefined);
  });

  it('leave the properties of a job, which components and documents show', () => {
    const properties = { CALLBACK_SECRET: ` ${NEW}  ${OLD} `, QUALITY: '1' };
    expect(takeCallbackSecrets(properties)).to.deep.equal({
      jobProperties: { QUALITY: '1' },
      callbackSecrets: [NEW, OLD],
    });
    expect(takeCallbackSecrets({ CALLBACK_SECRET: ' ' })).to.deep.equal({ jobProperties: {} });
  });

  it('are reported when the job has no callback', () => {
    const note = (text: string, hasCallback: boolean) =>
      noteUnusedSecrets({ CALLBACK_SECRET: text }, hasCallback, 'callbackURL');
    const sentence = 'The CALLBACK_SECRET property has no effect, because the job has no callbackURL.';
    expect(note(NEW, false)).to.deep.equal([sentence]);
    for (const nothing of [note(NEW, true), note(' ', false), noteUnusedSecrets({}, false, '')])
      expect(nothing).to.deep.equal([]);
  });

  it('are refused by a sentence without them when they are malformed', () => {
    const { refused } = takeCallbackSecrets({ CALLBACK_SECRET: 'whsec_c2hvcnQ=' });
    expect(refused).to.contain('The CALLBACK_SECRET property must have one or two secrets');
    expect(refused).not.to.contain('c2hvcnQ');
  });
});
