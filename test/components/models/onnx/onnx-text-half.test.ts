/** Vectors of words by the text half of a pair of models, as the search asks for them. */
import { expect } from 'chai';
import { TextTokenizer } from '../../../../components/models/onnx/text-half/tokenizer.ts';
import { modelOf, node } from '../../../support/media/onnx-model.ts';
import {
  colourModel,
  colourTextModel,
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
    await models.write('plain/image.onnx', colourModel());
    await models.write('plain/tokenizer.json', TOKENIZER);
    await models.write('plain/onnx/fixed.onnx', colourTextModel(5));
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

describe('The tokenizer of a text model', () => {
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
