import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FrameSource } from '@troupe/sdk';
import load from './detector.js';

/** Frames of 4 x 2 pixels, each of one brightness. */
function video(...brightness: number[]): FrameSource {
  const [width, height] = [4, 2];
  async function* frames() {
    for (const [index, value] of brightness.entries())
      yield { index, time: index * 40, width, height, data: new Uint8Array(24).fill(value), warmUp: false };
  }
  return { width, height, fps: 25, start: 0, stop: brightness.length - 1, frames };
}

test('each stretch of dark frames is a track', async () => {
  const detector = await load();
  const job = { properties: { MAX_BRIGHTNESS: '40' }, signal: new AbortController().signal };
  const found: number[][] = [];
  for await (const { detections } of detector.video!(video(10, 20, 200, 30, 90), job))
    found.push(detections.map(({ frame }) => frame));
  assert.deepEqual(found, [[0, 1], [3]]);
});
