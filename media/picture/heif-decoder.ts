/** Decodes HEIF photos (including HEIC) with libheif as WebAssembly. Loaded for the first such picture. */
import { readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { StillPicture } from './still-decoder.ts';

/** The used part of libheif-js, whose own types do not fit its Node build. */
interface Libheif {
  readonly heif_colorspace: { readonly heif_colorspace_RGB: object };
  readonly heif_chroma: {
    readonly heif_chroma_interleaved_RGB: object;
    readonly heif_chroma_interleaved_RGBA: object;
  };
  readonly heif_error_code: { readonly heif_error_Ok: object };
  heif_context_alloc(): object;
  heif_context_read_from_memory(context: object, file: Uint8Array): Failure;
  heif_js_context_get_primary_image_handle(context: object): object | Failure;
  heif_image_handle_get_width(handle: object): number;
  heif_image_handle_get_height(handle: object): number;
  heif_image_handle_has_alpha_channel(handle: object): number;
  /** These functions use addresses in the module's memory. `error` is the address for an error. */
  _heif_image_handle_get_raw_color_profile_size(handle: number): number;
  _heif_image_handle_get_raw_color_profile(error: number, handle: number, into: number): void;
  _malloc(bytes: number): number;
  readonly HEAPU8: Uint8Array;
  heif_js_decode_image2(handle: object, colours: object, order: object): Decoded | Failure;
}

interface Failure {
  readonly code: object;
  readonly message: string;
}

interface Decoded {
  readonly width: number;
  readonly height: number;
  /** One channel, in which the colours of each pixel are adjacent. */
  readonly channels: readonly { readonly stride: number; readonly data: Uint8Array }[];
}

/** The used part of WebAssembly, which Node's types do not include. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

type Start = (options: {
  instantiateWasm(imports: object, ready: (instance: object, module: object) => void): object;
  print(text: string): void;
  printErr(text: string): void;
}) => Libheif;

let loaded: { readonly start: Start; readonly code: object } | undefined;

export interface HeifPicture extends StillPicture {
  /** ICC profile of the colours. Undefined means sRGB. */
  readonly profile: Uint8Array | undefined;
}

/**
 * Decodes the primary picture of a file with eight bits per channel. Its properties (irot, imir) are applied, so it is upright whatever its
 * Exif says. Throws if it is damaged or has more than `maxPixels` pixels.
 */
export async function decodeHeif(path: string, maxPixels: number): Promise<HeifPicture> {
  const library = fresh();
  const context = library.heif_context_alloc();
  const read = library.heif_context_read_from_memory(context, await readFile(path));
  if (read.code !== library.heif_error_code.heif_error_Ok) throw failure(read);
  const handle = orThrow(library.heif_js_context_get_primary_image_handle(context));
  const width = library.heif_image_handle_get_width(handle);
  const height = library.heif_image_handle_get_height(handle);
  if (width * height > maxPixels) throw new Error(`it has more than ${maxPixels} pixels`);
  const channels = library.heif_image_handle_has_alpha_channel(handle) === 0 ? 3 : 4;
  const { heif_chroma_interleaved_RGB, heif_chroma_interleaved_RGBA } = library.heif_chroma;
  const decoded = orThrow(
    library.heif_js_decode_image2(
      handle,
      library.heif_colorspace.heif_colorspace_RGB,
      channels === 3 ? heif_chroma_interleaved_RGB : heif_chroma_interleaved_RGBA,
    ),
  );
  return { ...packRows(decoded, channels), profile: profileOf(library, handle) };
}

const ERROR_BYTES = 12;

/* oxlint-disable no-underscore-dangle -- Emscripten gives these names to functions in C. */
function profileOf(library: Libheif, handle: object): Uint8Array | undefined {
  // The wrapped functions return 0 for every picture. The raw functions take the address of the handle.
  const place = (handle as { readonly $$: { readonly ptr: number } }).$$.ptr;
  const bytes = library._heif_image_handle_get_raw_color_profile_size(place);
  if (bytes <= 0) return undefined;
  const into = library._malloc(bytes);
  library._heif_image_handle_get_raw_color_profile(library._malloc(ERROR_BYTES), place, into);
  return library.HEAPU8.slice(into, into + bytes);
}

/** Creates a decoder for one picture. WebAssembly memory only grows, and is freed with its decoder. */
function fresh(): Libheif {
  const { start, code } = (loaded ??= load());
  return start({
    instantiateWasm: (imports, ready) => {
      const instance = new WebAssembly.Instance(code, imports);
      ready(instance, code);
      return instance.exports;
    },
    print: () => undefined,
    printErr: () => undefined,
  });
}

function load(): NonNullable<typeof loaded> {
  const require = createRequire(import.meta.url);
  const code = readFileSync(require.resolve('libheif-js/libheif-wasm/libheif.wasm'));
  return {
    start: require('libheif-js/libheif-wasm/libheif.js') as Start,
    code: new WebAssembly.Module(code),
  };
}

function orThrow<T extends object>(answer: T | Failure): T {
  if ('message' in answer) throw failure(answer);
  return answer;
}

const failure = ({ message }: Failure): Error => new Error(message.replaceAll('\n', ' ').trim());

/** Copies the rows without the decoder's padding. */
function packRows({ width, height, channels: planes }: Decoded, channels: 3 | 4): StillPicture {
  const [plane] = planes;
  if (plane === undefined) throw new Error('it has no colours');
  const row = width * channels;
  const data = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++)
    data.set(plane.data.subarray(y * plane.stride, y * plane.stride + row), y * row);
  return { width, height, channels, data };
}
