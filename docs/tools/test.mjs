/** Tests of these tools: each rule finds what it is for, and names its line. */
import assert from 'node:assert/strict';
import sharp from 'sharp';
import { problemOf } from './lib/commands.mjs';
import { checkLinks } from './lib/links.mjs';
import { parsePage } from './lib/pages.mjs';
import { checkProse, checkText } from './lib/rules.mjs';
import { isEmpty } from './lib/settled.mjs';
import { sentencesOf } from './lib/sentences.mjs';
import { checkWords } from './lib/words.mjs';

const FRONT = '---\ndescription: A page.\n---\n\n# A page\n\n';
const FIRST = FRONT.split('\n').length;
const page = (text) => parsePage('docs/guides/a.md', text);
const found = (text) =>
  checkText(page(`${FRONT}${text}`)).map(({ line, rule, isWarning = false }) => [line, rule, isWarning]);
const words = (count) =>
  `${Array.from({ length: count }, () => 'word').join(' ')}.`.replaceAll(/(.{80} )/g, '$1\n');

assert.deepEqual(found('A short sentence. Another one.'), []);
assert.deepEqual(found(words(25)), []);
assert.deepEqual(found(`First.\nW${words(26).slice(1)}`), [[FIRST + 1, 'sentence-length', true]]);
assert.deepEqual(found(words(41)), [[FIRST, 'sentence-length', false]]);
assert.deepEqual(found('long '.repeat(21).trim()), [[FIRST, 'line-length', false]]);
assert.deepEqual(found(`\`\`\`sh\n${'long '.repeat(30)}\n\`\`\``), []);
assert.deepEqual(found(`| A |\n| --- |\n| ${'word '.repeat(26)} |`), [[FIRST + 2, 'cell-length', false]]);
assert.deepEqual(found('The job starts and\nthen goes on. `goes on` is code.'), [
  [FIRST + 1, 'terms', false],
]);
assert.deepEqual(
  checkText(page('No title')).map(({ rule }) => rule),
  ['title', 'description'],
);

assert.deepEqual(
  checkProse('The job starts.\nThen it goes on. `goes on` is code.', 7).map(({ line, rule }) => [line, rule]),
  [[8, 'terms']],
);
assert.deepEqual(
  checkProse(`W${words(41).slice(1)}`, 1).map(({ rule, isWarning }) => [rule, isWarning]),
  [['sentence-length', false]],
);
assert.deepEqual(
  sentencesOf(page('Use e.g. a file. See `a.b`. `C` runs? Yes.').tree).map((each) => each.words),
  [4, 2, 2, 1],
);

const some = [
  parsePage('docs/guides/a.md', `${FRONT}Three more words.`),
  parsePage('docs/start/b.md', `${FRONT}\`\`\`sh\nnot counted\n\`\`\``),
  parsePage('docs/records/c.md', words(25)),
];
assert.deepEqual(checkWords(some, 7), []);
assert.match(checkWords(some, 6)[0].message, /has 7 words \(at most 6\): docs\/guides 5, docs\/start 2\./);

const links = checkLinks([
  page(`${FRONT}[a](missing.md) [b](#a-page) [c](#nothing) [d](https://example.org)`),
]);
assert.deepEqual(
  links.map(({ rule, line }) => [rule, line]),
  [
    ['links', FIRST],
    ['links', FIRST],
  ],
);

const outcome = (expected, out, code = '0') =>
  problemOf(
    { command: 'x', expected: { value: expected } },
    { out, err: '', code },
    undefined,
  )?.message.split('\n')[0];
assert.equal(outcome('Job host-<n> is\n...\ndone', 'Job host-17 is\na\nb\ndone\n'), undefined);
assert.equal(outcome('took ... s', 'took 1.5 s'), undefined);
assert.equal(outcome('...\nlast', 'first\nlast'), undefined);
assert.match(outcome('one', 'one\ntwo'), /differs/);
assert.match(outcome('one (1)', 'one 1'), /differs/);
assert.match(outcome('one\ntwo\n3', 'one\n3\n'), /not found: two/);
assert.match(outcome('one', 'one', '1'), /exit code 1/);
assert.equal(
  problemOf({ command: 'x', fails: true }, { out: '', err: 'no', code: '2' }, undefined),
  undefined,
);

const blank = { create: { width: 390, height: 844, channels: 3, background: '#fff' } };
const button = { create: { width: 100, height: 44, channels: 3, background: '#4650dd' } };
const pictureWith = async (...inputs) =>
  sharp(blank)
    .composite(
      await Promise.all(inputs.map(async (input) => ({ input: await sharp(input).png().toBuffer() }))),
    )
    .png()
    .toBuffer();
assert.deepEqual(
  [await isEmpty(await pictureWith()), await isEmpty(await pictureWith(button))],
  [true, false],
);
