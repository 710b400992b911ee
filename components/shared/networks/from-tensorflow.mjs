/**
 * Makes an ONNX model of a TensorFlow.js graph (model.json with its weights beside it); our face and object models were made
 * with it:
 *
 *     node components/shared/networks/from-tensorflow.mjs blazeface.json blazeface.onnx
 *
 * Every operation becomes the same operation of ONNX, with the same weights: halves stay halves. TensorFlow keeps the
 * channels of a picture last, ONNX first, so each operation on pictures stands between two transpositions; the runtime
 * takes out those that cancel each other when it loads the model. An operation that is not in the list below is refused.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FLOAT, FLOAT16, INT64, model } from './onnx-writer.mjs';

const [source, target] = process.argv.slice(2);
if (target === undefined) throw new Error('Usage: node from-tensorflow.mjs MODEL.json MODEL.onnx');
const file = JSON.parse(readFileSync(source, 'utf8'));
const { inputs, outputs } = file.signature ?? file.userDefinedMetadata.signature;
const constants = readWeights();
const nodes = [];
const tensors = [];

/** Operations that are the same in ONNX, with the same inputs. */
const SAME = { Relu: 'Relu', Sigmoid: 'Sigmoid', Add: 'Add', AddV2: 'Add', Identity: 'Identity' };

const OPERATIONS = {
  Conv2D: convolution,
  _FusedConv2D: convolution,
  DepthwiseConv2dNative: convolution,
  MaxPool: (node) => {
    const [, height, width] = numbers(node, 'ksize');
    const options = { ...window(node), kernel_shape: [height, width] };
    onPicture(node.name, 'MaxPool', [node.input[0]], options);
  },
  ResizeBilinear: (node) => {
    if (flag(node, 'align_corners') || !flag(node, 'half_pixel_centers'))
      throw new Error(`${node.name} scales in a way that is not known here.`);
    const size = integersOf(node.input[1]);
    const picture = channelsFirst(node.input[0]);
    const channels = shapeOfChannels(node);
    const sizes = integers(`${node.name}/sizes`, [1, channels, ...size]);
    const options = { mode: 'linear', coordinate_transformation_mode: 'half_pixel' };
    add('Resize', [picture, '', '', sizes], [`${node.name}/first`], options);
    channelsLast(`${node.name}/first`, node.name);
  },
  Pad: (node) => padded(node),
  PadV2: (node) => padded(node, weight(node.input[2])),
  Transpose: (node) =>
    add('Transpose', [value(node.input[0])], [node.name], { perm: integersOf(node.input[1]) }),
  LeakyRelu: (node) =>
    add('LeakyRelu', [value(node.input[0])], [node.name], { alpha: { float: node.attr.alpha.f } }),
  Reshape: (node) => {
    const shape = integers(`${node.name}/shape`, integersOf(node.input[1]));
    add('Reshape', [value(node.input[0]), shape], [node.name]);
  },
  ConcatV2: (node) =>
    add('Concat', node.input.slice(0, -1).map(value), [node.name], {
      axis: integersOf(node.input.at(-1))[0],
    }),
  SplitV: (node) => {
    const sizes = integersOf(node.input[1]);
    const parts = sizes.map((_, i) => (i === 0 ? node.name : `${node.name}:${i}`));
    const split = integers(`${node.name}/sizes`, sizes);
    add('Split', [value(node.input[0]), split], parts, { axis: integersOf(node.input[2])[0] });
  },
};

/** Channels of pictures by the name of what makes them, for the scaling, which must say all four sizes. */
const channelsOf = new Map();

for (const node of file.modelTopology.node) {
  if (node.op === 'Const' || node.op === 'Placeholder' || foldsAway(node)) continue;
  const convert = OPERATIONS[node.op];
  if (convert !== undefined) convert(node);
  else if (SAME[node.op] !== undefined) add(SAME[node.op], node.input.map(value), [node.name]);
  else throw new Error(`${node.op} (${node.name}) is not known here.`);
  if (!channelsOf.has(node.name)) channelsOf.set(node.name, channelsOf.get(node.input[0]));
}
const graph = { nodes, tensors, inputs: described(inputs), outputs: described(outputs) };
writeFileSync(target, model(path.basename(target, '.onnx'), graph));

function convolution(node) {
  const filter = constants.get(node.input[1]);
  const [height, width, first, second] = filter.shape;
  const depthwise = node.op === 'DepthwiseConv2dNative';
  const shape = depthwise ? [first * second, 1, height, width] : [second, first, height, width];
  const order = depthwise ? [2, 3, 0, 1] : [3, 2, 0, 1];
  const steps = (node.attr.fused_ops?.list.s ?? []).map((step) => Buffer.from(step, 'base64').toString());
  const known = ['', 'BiasAdd', 'BiasAdd,Relu'].includes(steps.join());
  if (!known) throw new Error(`${node.name} is fused with ${steps.join()}, which is not known here.`);
  const weights = tensor(`${node.name}/weights`, filter.type, shape, permuted(filter, order));
  const bias = steps.length > 0 ? [weight(node.input[2])] : [];
  channelsOf.set(node.name, shape[0]);
  const options = { ...window(node), kernel_shape: [height, width], group: depthwise ? first : 1 };
  const relu = steps.length > 1;
  const result = relu ? `${node.name}/before` : node.name;
  onPicture(result, 'Conv', [node.input[0], weights, ...bias], options);
  if (relu) add('Relu', [result], [node.name]);
}

/** An operation whose first input and only output are pictures with the channels last, here. */
function onPicture(name, operator, [picture, ...rest], options) {
  add(operator, [channelsFirst(picture), ...rest], [`${name}/first`], options);
  channelsLast(`${name}/first`, name);
}

function channelsFirst(name) {
  const turned = `${name}/turned${nodes.length}`;
  add('Transpose', [value(name)], [turned], { perm: [0, 3, 1, 2] });
  return turned;
}

function channelsLast(from, to) {
  add('Transpose', [from], [to], { perm: [0, 2, 3, 1] });
}

/** What convolution and pooling share. SAME of TensorFlow pads as SAME_UPPER of ONNX does. */
function window(node) {
  const padding = Buffer.from(node.attr.padding.s, 'base64').toString();
  const [, down, right] = numbers(node, 'strides');
  const dilations = node.attr.dilations === undefined ? [1, 1, 1, 1] : numbers(node, 'dilations');
  const auto = { SAME: 'SAME_UPPER', VALID: 'VALID' }[padding];
  if (auto === undefined || dilations.some((one) => one !== 1))
    throw new Error(`${node.name} is padded or dilated in a way that is not known here.`);
  return { strides: [down, right], auto_pad: auto };
}

/** TensorFlow says the padding as [before, after] for each dimension, ONNX all before and then all after. */
function padded(node, ...fill) {
  const both = integersOf(node.input[1]);
  const pads = [0, 1].flatMap((side) => both.filter((_, i) => i % 2 === side));
  const sizes = integers(`${node.name}/pads`, pads);
  add('Pad', [value(node.input[0]), sizes, ...fill], [node.name], { mode: 'constant' });
}

/** The shapes of reshapings are computed by the graph from constants: a list of the same number, and a sum. */
function foldsAway(node) {
  if (node.op === 'SparseToDense') {
    const [, shape, values, fill] = node.input.map(integersOf);
    if (values.length > 0) throw new Error(`${node.name} has values, which is not known here.`);
    constants.set(node.name, { integers: Array(shape[0]).fill(fill[0]) });
    return true;
  }
  const sum = node.op === 'AddV2' && node.input.every((name) => constants.get(name)?.integers !== undefined);
  if (!sum) return false;
  const [left, right] = node.input.map(integersOf);
  constants.set(node.name, { integers: left.map((one, i) => one + right[i]) });
  return true;
}

/** A value of the graph: the result of a node, or a constant, which becomes a tensor of the model. */
function value(name) {
  return constants.has(name) ? weight(name) : name;
}

function weight(name) {
  const { type, shape, data } = constants.get(name);
  return tensor(name, type, shape, data);
}

/** Halves are made floats at run time, once, when the model is loaded. */
function tensor(name, type, shape, data) {
  const known = tensors.some((one) => one.name === name);
  if (!known) tensors.push({ name, type, shape, data });
  if (type !== FLOAT16) return name;
  if (!known) add('Cast', [name], [`${name}/float`], { to: FLOAT });
  return `${name}/float`;
}

function integers(name, values) {
  return tensor(name, INT64, [values.length], Buffer.from(BigInt64Array.from(values, BigInt).buffer));
}

function add(operator, from, to, attributes) {
  nodes.push({ operator, inputs: from, outputs: to, attributes });
}

function permuted({ type, shape, data }, order) {
  const size = type === FLOAT16 ? 2 : 4;
  const steps = shape.map((_, i) => shape.slice(i + 1).reduce((all, one) => all * one, size));
  const result = Buffer.alloc(data.length);
  let to = 0;
  const copy = (from, level) => {
    if (level === order.length) to += data.copy(result, to, from, from + size);
    else for (let i = 0; i < shape[order[level]]; i++) copy(from + i * steps[order[level]], level + 1);
  };
  copy(0, 0);
  return result;
}

function readWeights() {
  const found = new Map();
  for (const group of file.weightsManifest) {
    const parts = group.paths.map((name) => readFileSync(path.join(path.dirname(source), name)));
    const data = Buffer.concat(parts);
    let from = 0;
    for (const { name, dtype, shape, quantization } of group.weights) {
      const half = quantization?.dtype === 'float16';
      if (quantization !== undefined && !half) throw new Error(`${name} is packed as ${quantization.dtype}.`);
      const length = shape.reduce((all, one) => all * one, half ? 2 : 4);
      const raw = data.subarray(from, (from += length));
      if (dtype === 'float32') found.set(name, { type: half ? FLOAT16 : FLOAT, shape, data: raw });
      else
        found.set(name, { integers: Array.from({ length: length / 4 }, (_, i) => raw.readInt32LE(i * 4)) });
    }
  }
  return found;
}

function integersOf(name) {
  return constants.get(name).integers ?? [];
}

function shapeOfChannels(node) {
  const channels = channelsOf.get(node.input[0]);
  if (channels === undefined) throw new Error(`How many channels ${node.name} scales is not known.`);
  return channels;
}

function numbers(node, attribute) {
  return node.attr[attribute].list.i.map(Number);
}

function flag(node, attribute) {
  return node.attr[attribute]?.b === true;
}

function described(values) {
  const listed = Object.entries(values).map(([name, { tensorShape }]) => ({
    name: name.replace(/:0$/, ''),
    shape: tensorShape.dim.map(({ size }) => Number(size)),
  }));
  // Identity, Identity_1 ...: the file lists them in any order.
  return listed.sort((a, b) => a.name.localeCompare(b.name));
}
