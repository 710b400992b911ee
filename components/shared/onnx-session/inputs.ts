/** The inputs of a network: a picture and, for some, the size for its boxes. */
import { wrongHint, type Hints } from './hints.ts';

/** An input or output as the model declares it. An axis of any length has a name instead of a number. */
export interface ValueInfo {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

export const PIXEL_TYPES = ['float32', 'float16', 'uint8', 'int8'] as const;
export type PixelType = (typeof PIXEL_TYPES)[number];

export interface PictureInput {
  readonly name: string;
  readonly type: PixelType;
  readonly layout: 'NCHW' | 'NHWC';
  readonly channels: 1 | 3;
  readonly width: number;
  readonly height: number;
  /** Number of pictures per run; undefined for any number. */
  readonly batch: number | undefined;
}

export interface NetworkInputs {
  readonly picture: PictureInput;
  /** Input that receives the picture size; undefined if the model has none. */
  readonly size: { readonly name: string; readonly type: 'int64' | 'float32' } | undefined;
}

/** Default input sizes of networks that accept any size and do not state their own. */
const USUAL_SIDE = 640;
const USUAL_SIDE_OF_WHOLE = 224;

function usualSide({ type, task }: Hints): number {
  const ofWhole = [type, task].some((one) => one === 'CLASSIFICATION' || one === 'EMBEDDING');
  return ofWhole ? USUAL_SIDE_OF_WHOLE : USUAL_SIDE;
}

/** Returns the network's inputs. Throws INVALID_PROPERTY with the shapes of the inputs. */
export function inputsOf(name: string, infos: readonly ValueInfo[], hints: Hints): NetworkInputs {
  const picture = infos.find(({ shape }) => shape.length === 4);
  const others = infos.filter((info) => info !== picture);
  const size = others.find(({ name: input, shape }) => shape.length === 2 && /size/i.test(input));
  if (picture === undefined || others.some((info) => info !== size))
    throw wrongHint(
      `The model ${name} wants ${shownInfos(infos)}: only models that take one picture with four axes, [1, 3, height, width] or [1, height, width, 3], can be run, if need be with orig_target_sizes [1, 2].`,
    );
  return { picture: pictureOf(name, picture, hints), size: size && sizeOf(name, size) };
}

export const shownInfos = (infos: readonly ValueInfo[]): string =>
  infos.map(({ name, type, shape }) => `${name} [${shape.join(', ')}] of ${type}`).join(', ') || 'nothing';

function sizeOf(model: string, { name, type }: ValueInfo): NetworkInputs['size'] {
  if (type === 'int64' || type === 'float32') return { name, type };
  throw wrongHint(`The model ${model} wants ${name} as ${type}: export it with int64.`);
}

function pictureOf(model: string, info: ValueInfo, hints: Hints): PictureInput {
  const type = PIXEL_TYPES.find((one) => one === info.type);
  if (type === undefined)
    throw wrongHint(
      `The model ${model} wants a picture of ${info.type}: export it with an input of ${PIXEL_TYPES.join(', ')}.`,
    );
  const [batch] = info.shape;
  const layout = layoutOf(info, hints);
  const axes = layout === 'NCHW' ? [1, 2, 3] : [3, 1, 2];
  const [channels, height, width] = axes.map((axis) => info.shape[axis]);
  return {
    name: info.name,
    type,
    layout,
    channels: channelsOf(model, info, channels, hints),
    width: sideOf(model, info, width, hints.width ?? usualSide(hints)),
    height: sideOf(model, info, height, hints.height ?? usualSide(hints)),
    batch: typeof batch === 'number' ? batch : undefined,
  };
}

function layoutOf({ shape }: ValueInfo, { layout }: Hints): PictureInput['layout'] {
  if (layout !== undefined) return layout;
  const isColour = (axis: number) => shape[axis] === 3 || shape[axis] === 1;
  return !isColour(1) && isColour(3) ? 'NHWC' : 'NCHW';
}

function channelsOf(
  model: string,
  info: ValueInfo,
  given: number | string | undefined,
  { pixelFormat }: Hints,
): 1 | 3 {
  if (given === 1 || (typeof given === 'string' && pixelFormat === 'GRAY')) return 1;
  if (given === 3 || typeof given === 'string') return 3;
  throw wrongHint(
    `The model ${model} wants ${shownInfos([info])}: a picture has 3 channels, or 1. Set INPUT_LAYOUT to NHWC or NCHW if the order of the axes is wrong.`,
  );
}

function sideOf(model: string, info: ValueInfo, given: number | string | undefined, hint: number): number {
  if (typeof given !== 'number') return hint;
  if (given < 1)
    throw wrongHint(`The model ${model} wants ${shownInfos([info])}, which is no size of a picture.`);
  return given;
}
