import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { riskOfNode } from '../../cli/serve.ts';
import { packageRoot } from '../../config/info.ts';

describe('The version of Node', () => {
  it('is warned of where it may end the server, from the one on that package.json leaves out', () => {
    const { engines } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
      readonly engines: { readonly node: string };
    };
    const first = /<(\d+)$/.exec(engines.node)?.[1];
    expect(riskOfNode(`${first}.0.0`)).to.include('use Node 22 or 20');
    for (const version of [`${Number(first) - 1}.9.9`, '22.23.3', '20.19.0'])
      expect(riskOfNode(version), version).to.equal(undefined);
  });
});
