/**
 * A libvulkan.so.1 without graphics processors. The whisper runtime queries Vulkan for devices even if it must not use any. On hosts
 * without that library, which most servers are, it jumps to address 0. This replacement has two functions, which report that there is no
 * driver.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let isHidden = false;

/** Makes this process use the replacement. The loader does not search for a library whose name is already loaded. */
export function hideVulkan(): void {
  const library = isHidden ? undefined : noVulkan();
  isHidden = true;
  if (library === undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'troupe-whisper-'));
  try {
    const path = join(folder, 'libvulkan.so.1');
    writeFileSync(path, library, { mode: 0o755 });
    process.dlopen({ exports: {} }, path, NOW | STAYS);
  } catch {
    // An error is expected, because the library is no Node module, but it stays loaded. If loading failed, the runtime may work without it.
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Flags of dlopen on Linux: RTLD_NOW, RTLD_NODELETE. */
const [NOW, STAYS] = [2, 0x1000];

const PAGE = 0x1_0000;
const NAMES = '\0vkGetInstanceProcAddr\0libvulkan.so.1\0';
/** Returns the address of the code after it: a function that returns -9, VK_ERROR_INCOMPATIBLE_DRIVER. */
const CODE: Readonly<Record<string, readonly number[]>> = {
  x64: [0x48, 0x8d, 0x05, 1, 0, 0, 0, 0xc3, 0xb8, 0xf7, 0xff, 0xff, 0xff, 0xc3],
  arm64: [0x40, 0, 0, 0x10, 0xc0, 3, 0x5f, 0xd6, 0, 1, 0x80, 0x12, 0xc0, 3, 0x5f, 0xd6],
};
const MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };

const [HEADER, SEGMENT, SEGMENTS, SYMBOL] = [64, 56, 4, 24];

/** Returns the library; undefined on platforms for which it is not built. */
export function noVulkan(platform = process.platform, arch: string = process.arch): Buffer | undefined {
  const code = CODE[arch];
  const machine = MACHINES[arch];
  if (platform !== 'linux' || code === undefined || machine === undefined) return undefined;
  const hash = words(1, 2, 1, 0, 0, 0);
  const at = { hash: HEADER + SEGMENT * SEGMENTS, symbols: 0, names: 0, code: 0, dynamic: 0 };
  at.symbols = at.hash + hash.length;
  at.names = at.symbols + 2 * SYMBOL;
  at.code = roundUp(at.names + NAMES.length);
  at.dynamic = roundUp(at.code + code.length);
  // The loader writes to the last part, so it has a separate page.
  const dynamic = longs(4, at.hash, 5, at.names, 6, at.symbols, 10, NAMES.length, 11, SYMBOL, 14, 23, 0, 0);
  const file = Buffer.alloc(at.dynamic + dynamic.length);
  headerOf(machine).copy(file);
  const [read, write, execute] = [4, 2, 1];
  const segments = [
    segment(1, read | execute, { at: 0, address: 0, size: at.dynamic }),
    segment(1, read | write, { at: at.dynamic, address: PAGE + at.dynamic, size: dynamic.length }),
    segment(2, read | write, { at: at.dynamic, address: PAGE + at.dynamic, size: dynamic.length }),
    segment(0x6474_e551, read | write, { at: 0, address: 0, size: 0 }),
  ];
  Buffer.concat(segments).copy(file, HEADER);
  hash.copy(file, at.hash);
  symbol(at.code, code.length).copy(file, at.symbols + SYMBOL);
  file.write(NAMES, at.names, 'latin1');
  Buffer.from(code).copy(file, at.code);
  dynamic.copy(file, at.dynamic);
  return file;
}

const roundUp = (offset: number) => Math.ceil(offset / 16) * 16;
const words = (...all: number[]) => Buffer.from(Uint32Array.from(all).buffer);
const longs = (...all: number[]) => Buffer.from(BigUint64Array.from(all.map(BigInt)).buffer);

/** Returns the header of a shared library for 64-bit Linux. */
function headerOf(machine: number): Buffer {
  const header = Buffer.alloc(HEADER);
  header.write('\u007fELF\u0002\u0001\u0001', 'latin1');
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(machine, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(BigInt(HEADER), 32);
  for (const [index, size] of [HEADER, SEGMENT, SEGMENTS, HEADER].entries())
    header.writeUInt16LE(size, 52 + 2 * index);
  return header;
}

interface Place {
  readonly at: number;
  readonly address: number;
  readonly size: number;
}

function segment(type: number, flags: number, { at, address, size }: Place): Buffer {
  return Buffer.concat([words(type, flags), longs(at, address, address, size, size, PAGE)]);
}

function symbol(at: number, size: number): Buffer {
  const entry = Buffer.alloc(SYMBOL);
  entry.writeUInt32LE(1, 0);
  // A global function in an arbitrary section.
  entry.writeUInt8(0x12, 4);
  entry.writeUInt16LE(1, 6);
  entry.writeBigUInt64LE(BigInt(at), 8);
  entry.writeBigUInt64LE(BigInt(size), 16);
  return entry;
}
