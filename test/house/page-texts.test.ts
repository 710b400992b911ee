/** All texts of the page are in one file. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../config/info.ts';
import { visibleTexts } from './page-texts.ts';
import { filesBelow } from './sources.ts';

const CATALOGUE = 'page/kit/text.ts';

describe('The texts of the page', () => {
  it('are in one file', () => {
    const files = filesBelow('page', /\.tsx?$/).filter((file) => file !== CATALOGUE);
    expect(files.length).to.be.greaterThan(80);
    const found = files.flatMap((file) => {
      const built = path.join(packageRoot, 'dist', file.replace(/\.tsx?$/, '.js'));
      return visibleTexts(file, readFileSync(built, 'utf8'));
    });
    expect(found.map(({ file, line, text }) => `${file}:${line}: ${text}`)).to.deep.equal([]);
  });

  it('are all used', () => {
    const keys = [...readFileSync(CATALOGUE, 'utf8').matchAll(/^ {4}(\w+): /gm)].map(([, key = '']) => key);
    const used = filesBelow('page', /\.tsx?$/)
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    expect(keys.length).to.be.greaterThan(400);
    expect(keys.filter((key) => used.split(key).length < 3)).to.deep.equal([]);
  });

  it('are found where a view has one of its own', () => {
    const code = `
      import { jsx } from 'preact/jsx-runtime';
      const a = jsx('p', { class: 'one two', children: 'all' });
      const b = jsx('button', { 'aria-label': 'close', title: \`Delete \${a}\`, type: 'button' });
      const c = a === 'Not this one' ? 'This is read' : \`rest/jobs/\${a}\`;
      const e = { '0.5': '50 % sure', part: \`\${a} of \${b} media\` };
      const d = ['FACE DETECTION PIPELINE', 'Library', 'click'];`;
    expect(visibleTexts('a.tsx', code).map(({ text }) => text)).to.deep.equal([
      'all',
      'close',
      'Delete  x',
      'This is read',
      '50 % sure',
      'x  of  x  media',
      'Library',
    ]);
  });
});
