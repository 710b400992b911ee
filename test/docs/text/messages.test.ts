/** The list of texts that users read: included and excluded texts. */
import { expect } from 'chai';
import { allTexts, textsOf } from './messages.ts';

const CODE = `/** The header of a file. */
import { x } from 'no message in here';

/** What an exported function does. */
export const f = () => 'A whole sentence is a message.';
/** Not exported. */
const g = (name) => \`There is no job \${name} in \` + 'this store.';
const sql = 'select a from b where c is not null';
const NAMES = ['JUST_A_NAME', 'one-word', '/rest/jobs'];
`;

describe('The list of messages', () => {
  it('has messages, headers and comments of exports with their lines', () => {
    expect(textsOf('a.ts', CODE).map(({ line, kind, text }) => [line, kind, text])).to.deep.equal([
      [1, 'comment', 'The header of a file.'],
      [4, 'comment', 'What an exported function does.'],
      [5, 'message', 'A whole sentence is a message.'],
      [7, 'message', 'There is no job … in this store.'],
    ]);
  });

  it('has the texts of each part of the product', () => {
    const texts = allTexts();
    for (const [file, part] of [
      ['http/routing/error-codes.ts', 'The access token is missing, invalid or expired.'],
      ['config/schema/server-groups.ts', 'Port to listen on'],
      ['page/kit/text.ts', 'This address does not exist.'],
      ['cli/program.ts', 'print a bearer token'],
      ['components/detectors/motion/descriptor.json', 'the background'],
    ] as const)
      expect(
        texts.some((text) => text.file === file && text.text.includes(part)),
        `${file}: ${part}`,
      ).to.equal(true);
  });
});
