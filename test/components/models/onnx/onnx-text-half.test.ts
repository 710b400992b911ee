/** Vectors of words from the text model of a pair, as the search requests them. */
import { appendFile, truncate } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { TextTokenizer } from '../../../../components/models/onnx/text-half/tokenizer.ts';
import { modelOf, node } from '../../../support/media/onnx-model.ts';
import {
  colourModel,
  colourTextModel,
  crashingTextModel,
  endlessTextModel,
  idOf,
  TOKENIZER,
  writeModelPair,
} from '../../../support/media/model-pair.ts';
import { ModelFolder } from './own-model.ts';
import { picture } from '../../visual.ts';

const PIXEL = picture(1, 1, () => [0, 0, 0]);
const vectorOf = (base64 = ''): number[] => {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, i) => Number(bytes.readFloatLE(i * 4).toFixed(2)));
};

describe('The text half of a model', () => {
  let models: ModelFolder;
  before(async () => {
    models = await ModelFolder.open();
    writeModelPair(models.path);
    await models.write('plain/image.onnx', colourModel());
    await models.write('plain/tokenizer.json', TOKENIZER);
    await models.write('plain/onnx/fixed.onnx', colourTextModel(5));
  });
  after(() => models.close());

  const words = async (text: string, name = 'colours/image', properties = {}) => {
    const [track] = await models.inImage(name, PIXEL, { SEARCH_TEXT: text, ...properties });
    return track!.properties!;
  };

  it('makes vectors of words in the space of its pictures', async () => {
    const [red] = await models.inImage(
      'colours/image',
      picture(8, 8, () => [255, 0, 0]),
    );
    const asked = await words('  Something   RED ');
    expect(asked['FEATURE_MODEL']).to.equal(red!.properties!['FEATURE_MODEL']);
    expect(vectorOf(red!.properties!['FEATURE'])).to.deep.equal([1, 0, 0]);
    const [r, g, b] = vectorOf(asked['FEATURE']);
    expect(r).to.be.greaterThan(5 * g!);
    expect(g).to.equal(b);
    expect(vectorOf((await words('blue'))['FEATURE'])).to.deep.equal([0.02, 0.02, 1.02]);
  });

  it('is named by a property as well, and may take a fixed number of tokens', async () => {
    const named = { TEXT_MODEL_NAME: 'plain/onnx/fixed', MODEL_TYPE: 'EMBEDDING' };
    const vector = async (text: string) => vectorOf((await words(text, 'plain/image', named))['FEATURE']);
    expect(await vector('green')).to.deep.equal([0.02, 1.02, 0.02]);
    expect(await vector('green green green blue blue')).to.deep.equal([0.02, 3.02, 0.02]);
  });

  it('is refused with what to do when it is missing or not of the same model', async () => {
    const refusal = (properties: Record<string, string>) =>
      models.refusal('plain/image', { SEARCH_TEXT: 'red', MODEL_TYPE: 'EMBEDDING', ...properties });
    expect((await refusal({})).message).to.contain('Name it by TEXT_MODEL_NAME in plain/image.json');
    expect((await refusal({ TEXT_MODEL_NAME: 'nowhere' })).message).to.contain('set TEXT_MODEL_NAME to one');
    await models.write('other/text.onnx', colourTextModel('length', 4));
    expect((await refusal({ TEXT_MODEL_NAME: 'other/text' })).message).to.contain('has no tokenizer');
    await models.write('other/tokenizer.json', '{"model": 7}');
    expect((await refusal({ TEXT_MODEL_NAME: 'other/text' })).message).to.contain('cannot be used');
    await models.write('other/tokenizer.json', TOKENIZER);
    expect((await refusal({ TEXT_MODEL_NAME: 'other/text' })).message).to.contain(
      'makes vectors of 4 numbers, but plain/image makes 3',
    );
    expect((await refusal({ TEXT_MODEL_NAME: 'plain/image' })).message).to.contain('only tokens');
    const noVector = {
      nodes: [node('Identity', ['input_ids'], ['last_hidden_state'])],
      inputs: [{ name: 'input_ids', dims: ['n', 'length'], type: 'int64' as const }],
      outputs: [{ name: 'last_hidden_state', dims: ['n', 'length'], type: 'int64' as const }],
    };
    await models.write('other/states.onnx', modelOf(noVector));
    expect((await refusal({ TEXT_MODEL_NAME: 'other/states' })).message).to.contain(
      'none surely is a vector',
    );
  });
});

describe('A damaged text half', () => {
  let models: ModelFolder;
  before(async () => {
    models = await ModelFolder.open({ checkMs: 5_000 });
    writeModelPair(models.path);
    await models.write('bad/tokenizer.json', TOKENIZER);
  });
  after(() => models.close());

  const refusal = (name: string) =>
    models.refusal('colours/image', { SEARCH_TEXT: 'red', TEXT_MODEL_NAME: name, MODEL_TYPE: 'EMBEDDING' });

  it('that never ends is given up after MODEL_CHECK_MS, and the process continues', async () => {
    await models.write('bad/endless.onnx', endlessTextModel());
    const { code, message } = await refusal('bad/endless');
    expect(code).to.equal('DETECTION_NOT_INITIALIZED');
    expect(message).to.contain('The model bad/endless had not answered within 5000 ms (MODEL_CHECK_MS)');
    expect(await refusal('colours/text').catch(String)).to.contain('was not refused');
  });

  it('that ends its process takes nothing with it', async function () {
    if (process.arch !== 'x64') this.skip();
    await models.write('bad/crash.onnx', crashingTextModel());
    const { code, message } = await refusal('bad/crash');
    expect(code).to.equal('DETECTION_NOT_INITIALIZED');
    expect(message).to.contain('ended the process that tried it (SIGFPE');
    await models.write('bad/cut.onnx', colourTextModel().subarray(0, 200));
    expect((await refusal('bad/cut')).code).to.equal('COULD_NOT_READ_DATAFILE');
  });
});

describe('The tokenizer of a text model', () => {
  it('may have 35 MiB, as those of many languages, but not 65', async () => {
    const models = await ModelFolder.open();
    writeModelPair(models.path);
    const file = path.join(models.path, 'colours/tokenizer.json');
    await appendFile(file, ' '.repeat(35 * 1024 ** 2));
    const [track] = await models.inImage('colours/image', PIXEL, { SEARCH_TEXT: 'blue' });
    expect(vectorOf(track!.properties!['FEATURE'])).to.deep.equal([0.02, 0.02, 1.02]);
    await truncate(file, 65 * 1024 ** 2);
    const other = await ModelFolder.open({ roots: [models.path] });
    const { message } = await other.refusal('colours/image', { SEARCH_TEXT: 'blue' });
    expect(message).to.contain('tokenizer.json has more than 64 MiB');
    await other.close();
    await models.close();
  });

  const [start, end] = [idOf('<|startoftext|>'), idOf('<|endoftext|>')];

  it('joins letters by the merges of its file, as CLIP does', async () => {
    const tokenizer = await TextTokenizer.of(TOKENIZER, {});
    const pieces = ['blue</w>', 'r', 'a', 'b', 'b', 'i', 't</w>'].map(idOf);
    expect(tokenizer.encode('Blue  rabbit')).to.deep.equal({
      ids: [start, ...pieces, end],
      mask: [1, 1, 1, 1, 1, 1, 1, 1, 1],
    });
  });

  it('fills up to the length of the model, and cuts before the last token', async () => {
    const tokenizer = await TextTokenizer.of(TOKENIZER, { pad_token: '<|endoftext|>' });
    expect(tokenizer.encode('red', 5)).to.deep.equal({
      ids: [start, idOf('red</w>'), end, end, end],
      mask: [1, 1, 1, 0, 0],
    });
    const long = tokenizer.encode('red '.repeat(200));
    expect([long.ids.length, long.ids.at(-1)]).to.deep.equal([77, end]);
    const short = await TextTokenizer.of(TOKENIZER, { model_max_length: 4 });
    expect(short.encode('red green blue').ids).to.deep.equal([
      start,
      idOf('red</w>'),
      idOf('green</w>'),
      end,
    ]);
    const fixed = await TextTokenizer.of(
      { ...TOKENIZER, padding: { strategy: { Fixed: 6 }, pad_id: 0 } },
      {},
    );
    expect(fixed.encode('red').ids).to.deep.equal([start, idOf('red</w>'), end, 0, 0, 0]);
  });
});
