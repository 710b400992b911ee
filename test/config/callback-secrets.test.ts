/** CALLBACK_SECRETS: a file with the secrets of callback receivers. */
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { readSettings } from '../../config/settings.ts';
import { temporaryFolder } from '../store/folder.ts';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

describe('CALLBACK_SECRETS', () => {
  const place = temporaryFolder();
  const read = (content: string) => {
    const file = place('secrets.json');
    writeFileSync(file, content);
    return readSettings({ CALLBACK_SECRETS: file }).CALLBACK_SECRETS;
  };

  it('names hosts and beginnings of URLs with one or two secrets', () => {
    const content = { 'A.example:81': SECRET, 'https://B.example/Hook': [SECRET, SECRET] };
    expect(read(JSON.stringify(content))).to.deep.equal([
      { receiver: 'a.example:81', secrets: [SECRET] },
      { receiver: 'https://b.example/Hook', secrets: [SECRET, SECRET] },
    ]);
    expect(readSettings({}).CALLBACK_SECRETS).to.deep.equal([]);
  });

  for (const [what, content, message] of [
    ['no JSON', 'a.example whsec_x', 'which must be a JSON object'],
    ['no object', '["a.example"]', 'which must be a JSON object'],
    [
      'a malformed secret',
      '{"a.example":"whsec_c2hvcnQ="}',
      'which must give "a.example" one or two secrets: whsec_',
    ],
    [
      'three secrets',
      JSON.stringify({ a: [SECRET, SECRET, SECRET] }),
      'which must give "a" one or two secrets',
    ],
    ['a path without a host', JSON.stringify({ 'a/x': SECRET }), 'in which "a/x" is neither a host nor'],
  ] as const)
    it(`with ${what} stops the start, and the message shows no secret`, () => {
      expect(() => read(content))
        .to.throw(message)
        .with.property('message')
        .that.does.not.match(/c2hvcnQ|BQUF/);
    });

  it('with a file that is missing stops the start', () => {
    expect(() => readSettings({ CALLBACK_SECRETS: '/no/such/file' })).to.throw(
      'CALLBACK_SECRETS names /no/such/file, which cannot be read (ENOENT).',
    );
  });
});
