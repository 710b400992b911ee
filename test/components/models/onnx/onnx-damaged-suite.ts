/** Randomly damaged model files: each is refused with a message, within a time limit. */
import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readFileFacts } from '../../../../components/shared/model-files/file-facts.ts';
import { ProtoError } from '../../../../components/shared/model-files/proto-file.ts';
import { CodedError } from '../../../../protocol/coded-error.ts';
import { ModelFolder, yoloModel } from './own-model.ts';
import { noise } from '../../visual.ts';

/** The model with some changed bytes, sometimes truncated. */
function damageModel(run: number): Buffer {
  const model = Buffer.from(yoloModel({ dims: ['n', 3, 32, 32] }));
  for (let i = 0; i <= run % 4; i++)
    model[Math.floor(noise(run, i, 1) * model.length)] = Math.floor(noise(run, i, 2) * 256);
  return run % 5 === 0 ? model.subarray(0, Math.floor(noise(run, 0, 3) * model.length)) : model;
}

/** `read`, `used`: numbers of models that are parsed, and that are loaded in a process each. */
export function damagedModels({ read, used }: { readonly read: number; readonly used: number }): void {
  describe('A damaged model', () => {
    let models: ModelFolder;
    before(async () => {
      models = await ModelFolder.open({ checkMs: 30_000, maxMemory: 1024 ** 3 });
    });
    after(() => models.close());

    it('is read as far as it says where its parts lie, or refused', async () => {
      let refused = 0;
      for (let run = 0; run < read; run++) {
        const file = path.join(models.path, 'damaged.onnx');
        await writeFile(file, damageModel(run));
        try {
          readFileFacts(file);
        } catch (error) {
          expect(error, `run ${run}`).to.be.instanceOf(ProtoError);
          refused++;
        }
      }
      expect(refused).to.be.within(read / 10, read * 0.9);
    });

    it('is used, or refused with a sentence that names it', async () => {
      for (let run = 0; run < used; run++) {
        await models.write('damaged.onnx', damageModel(run));
        const outcome = await models.inImage('damaged').catch((error: unknown) => error);
        if (Array.isArray(outcome)) continue;
        expect(outcome, `run ${run}: ${String(outcome)}`).to.be.instanceOf(CodedError);
        expect((outcome as Error).message, `run ${run}`).to.match(/damaged/);
      }
    });
  });
}
