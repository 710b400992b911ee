/** Damaged model files, and the model files of the product. */
import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { checkModel } from '../../../../components/models/onnx/check.ts';
import { readFileFacts } from '../../../../components/shared/model-files/file-facts.ts';
import { damagedModels } from './onnx-damaged-suite.ts';

damagedModels({ read: 200, used: 4 });

describe('The models that come with the product', () => {
  it('are read as ONNX files, by what real exports write', async () => {
    const { signal } = new AbortController();
    const files = readdirSync('components', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.onnx'),
    );
    expect(files).to.have.length.of.at.least(3);
    for (const file of files) {
      const { hasGraph, external } = readFileFacts(path.join('components', file));
      expect([file, hasGraph, external]).to.deep.equal([file, true, []]);
      const refusal = await checkModel(path.join('components', file), {}, { checkMs: 60_000, signal }).catch(
        (error: unknown) => error,
      );
      // Only the face model has a supported layout. For the others, the message lists their outputs.
      if (file.includes('face-recognition'))
        expect(refusal).to.have.nested.property('head.type', 'EMBEDDING');
      else
        expect(String(refusal), file).to.match(
          / \[1, \d+.* The nearest rule is | only models that take one picture /,
        );
    }
  });
});
