/** Files that were damaged on their way, at random: whatever is in them ends in a sentence, and in time. */
import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkModel } from '../../components/onnx/check.ts';
import { readFileFacts } from '../../components/onnx/file-facts.ts';
import { ProtoError } from '../../components/onnx/proto-file.ts';
import { CodedError } from '../../protocol/coded-error.ts';
import { ModelFolder, yoloModel } from './own-model.ts';
import { noise } from './visual.ts';

/** The model with some bytes of another value, and at times without its end. */
function damaged(run: number): Buffer {
  const model = Buffer.from(yoloModel({ dims: ['n', 3, 32, 32] }));
  for (let i = 0; i <= run % 4; i++)
    model[Math.floor(noise(run, i, 1) * model.length)] = Math.floor(noise(run, i, 2) * 256);
  return run % 5 === 0 ? model.subarray(0, Math.floor(noise(run, 0, 3) * model.length)) : model;
}

describe('A damaged model', () => {
  let models: ModelFolder;
  before(async () => {
    models = await ModelFolder.open({ checkMs: 30_000, maxMemory: 1024 ** 3 });
  });
  after(() => models.close());

  it('is read as far as it says where its parts lie, or refused', async () => {
    let refused = 0;
    for (let run = 0; run < 1_000; run++) {
      const file = path.join(models.path, 'damaged.onnx');
      await writeFile(file, damaged(run));
      try {
        readFileFacts(file);
      } catch (error) {
        expect(error, `run ${run}`).to.be.instanceOf(ProtoError);
        refused++;
      }
    }
    expect(refused).to.be.within(100, 900);
  });

  it('is used, or refused with a sentence that names it', async () => {
    for (let run = 0; run < 20; run++) {
      await models.write('damaged.onnx', damaged(run));
      const outcome = await models.inImage('damaged').catch((error: unknown) => error);
      if (Array.isArray(outcome)) continue;
      expect(outcome, `run ${run}: ${String(outcome)}`).to.be.instanceOf(CodedError);
      expect((outcome as Error).message, `run ${run}`).to.match(/damaged/);
    }
  });
});

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
      // None of them has one of the layouts: the sentence tells which they have.
      expect(String(refusal), file).to.match(
        / \[1, \d+.* The nearest rule is | only models that take one picture /,
      );
    }
  });
});
