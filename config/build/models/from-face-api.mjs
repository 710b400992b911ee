/**
 * Makes face-recognition.onnx of the weights in the npm package @vladmandic/face-api, which is not needed afterwards:
 *
 *     npm pack @vladmandic/face-api@1.7.15 && tar xzf vladmandic-face-api-1.7.15.tgz
 *     node config/build/models/from-face-api.mjs package/model face-recognition.onnx
 *
 * The weights stay bytes; the graph multiplies them by the scale of their tensor and adds its minimum. The runtime does that once, when
 * it loads the model. Input: a face [1, 3, 150, 150], red, green and blue from 0 to 255. Output: its descriptor [1, 128].
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FLOAT, INT64, model, UINT8 } from './onnx-writer.mjs';

const NAME = 'face_recognition_model';
const SIDE = 150;
const NUMBERS = 128;
/** Means of red, green and blue that the network was trained with. */
const MEANS = [122.782, 117.001, 104.298];
/** Blocks of the network in their order. Those with "down" halve the picture. */
const BLOCKS =
  'conv32_1 conv32_2 conv32_3 conv64_down conv64_1 conv64_2 conv64_3 conv128_down conv128_1 conv128_2 ' +
  'conv256_down conv256_1 conv256_2 conv256_down_out';

const [folder, target] = process.argv.slice(2);
if (target === undefined) throw new Error('Usage: node from-face-api.mjs FOLDER MODEL.onnx');
const weights = readWeights();
const nodes = [];
const tensors = [];

numbers('means', MEANS, [3, 1, 1]);
numbers('255', [255], []);
let picture = add('Div', [add('Sub', ['face', 'means'], 'centred'), '255'], 'normalized');
let size = { side: SIDE, channels: 3 };
convolve('conv32_down', { down: true, relu: true });
picture = add('MaxPool', [picture], 'pooled', { kernel_shape: [3, 3], strides: [2, 2] });
size = { ...size, side: Math.floor((size.side - 3) / 2) + 1 };
for (const block of BLOCKS.split(' ')) residual(block);
const mean = add('GlobalAveragePool', [picture], 'mean');
add('Gemm', [add('Flatten', [mean], 'flat'), weight('fc')], 'descriptor');

const face = { name: 'face', shape: [1, 3, SIDE, SIDE] };
const outputs = [{ name: 'descriptor', shape: [1, NUMBERS] }];
writeFileSync(target, model('face-recognition', { nodes, tensors, inputs: [face], outputs }));

/** Tensors by name: { shape, bytes, data }, with bytes for each value; those of one byte have { scale, min }. */
function readWeights() {
  const manifest = JSON.parse(readFileSync(path.join(folder, `${NAME}-weights_manifest.json`), 'utf8'));
  const data = readFileSync(path.join(folder, `${NAME}.bin`));
  let at = 0;
  const found = manifest
    .flatMap((group) => group.weights)
    .map(({ name, shape, quantization }) => {
      const { dtype = 'float32', scale, min } = quantization ?? {};
      const bytes = { float32: 4, uint8: 1 }[dtype];
      if (bytes === undefined) throw new Error(`${name} is ${dtype}; float32 and uint8 are known here.`);
      const length = bytes * shape.reduce((product, one) => product * one, 1);
      return [name, { shape, scale, min, bytes, data: data.subarray(at, (at += length)) }];
    });
  if (at !== data.length) throw new Error(`${data.length} bytes of weights, of which the list names ${at}.`);
  return new Map(found);
}

/** A convolution, then a factor and a summand for each channel. */
function convolve(name, { down, relu }) {
  const filters = weight(`${name}/conv/filters`, { filters: true });
  const [side, , , channels] = weights.get(`${name}/conv/filters`).shape;
  const window = down ? { strides: [2, 2] } : { pads: [1, 1, 1, 1] };
  const parts = [picture, filters, weight(`${name}/conv/bias`)];
  const found = add('Conv', parts, `${name}/conv`, { kernel_shape: [side, side], ...window });
  const scaled = add('Mul', [found, weight(`${name}/scale/weights`, { channels: true })], `${name}/scaled`);
  picture = add('Add', [scaled, weight(`${name}/scale/biases`, { channels: true })], `${name}/moved`);
  if (relu) picture = add('Relu', [picture], `${name}/relu`);
  size = { side: down ? Math.floor((size.side - side) / 2) + 1 : size.side, channels };
}

/** What goes into the block is added to what comes out. A block that halves adds means of four pixels, and zeros for new channels. */
function residual(name) {
  const down = name.includes('down');
  const before = { ...size, picture };
  convolve(`${name}/conv1`, { down, relu: true });
  convolve(`${name}/conv2`, { down: false, relu: false });
  let kept = before.picture;
  if (down) {
    kept = add('AveragePool', [kept], `${name}/pooled`, { kernel_shape: [2, 2], strides: [2, 2] });
    const side = Math.floor(before.side / 2);
    kept = padded(kept, `${name}/kept`, { channels: size.channels - before.channels, side: 0 });
    picture = padded(picture, `${name}/whole`, { channels: 0, side: side - size.side });
    size = { ...size, side };
  }
  picture = add('Relu', [add('Add', [kept, picture], `${name}/sum`)], `${name}/out`);
}

/** So many zeros more: channels, and rows below and columns on the right. */
function padded(name, result, { channels, side }) {
  if (channels === 0 && side === 0) return name;
  const pads = [0, 0, 0, 0, 0, channels, side, side];
  return add('Pad', [name, integers(`${result}/pads`, pads)], result);
}

/** Adds a tensor, and what makes numbers of it when it is of bytes. Filters are stored [height, width, in, out]. */
function weight(name, { filters = false, channels = false } = {}) {
  const { shape, scale, min, bytes, data } = weights.get(name);
  const order = filters ? [3, 2, 0, 1] : shape.map((_, axis) => axis);
  const inOrder = order.map((axis) => shape[axis]);
  const tensor = {
    shape: channels ? [...inOrder, 1, 1] : inOrder,
    data: permuted({ shape, bytes, data }, order),
  };
  if (bytes === 4) {
    tensors.push({ ...tensor, name, type: FLOAT });
    return name;
  }
  tensors.push({ ...tensor, name: `${name}/bytes`, type: UINT8 });
  const cast = add('Cast', [`${name}/bytes`], `${name}/cast`, { to: FLOAT });
  const scaled = add('Mul', [cast, numbers(`${name}/scale`, [scale], [])], `${name}/times`);
  return add('Add', [scaled, numbers(`${name}/min`, [min], [])], name);
}

function permuted({ shape, bytes, data }, order) {
  const steps = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, one) => product * one, bytes));
  const result = Buffer.alloc(data.length);
  const at = shape.map(() => 0);
  for (let to = 0; to < data.length; to += bytes) {
    const from = order.reduce((sum, axis, i) => sum + at[i] * steps[axis], 0);
    data.copy(result, to, from, from + bytes);
    for (let i = order.length - 1; i >= 0 && ++at[i] === shape[order[i]]; i--) at[i] = 0;
  }
  return result;
}

function add(operator, inputs, output, attributes = {}) {
  nodes.push({ operator, inputs, outputs: [output], attributes });
  return output;
}

function numbers(name, values, shape) {
  tensors.push({ name, type: FLOAT, shape, data: Buffer.from(Float32Array.from(values).buffer) });
  return name;
}

function integers(name, values) {
  const data = Buffer.from(BigInt64Array.from(values, BigInt).buffer);
  tensors.push({ name, type: INT64, shape: [values.length], data });
  return name;
}
