/**
 * The recorded media of the tests, read by the product's readers. samples/SOURCES.md describes their content.
 */
import { join } from 'node:path';
import type { FrameSource } from '../../../components/sdk/detector.ts';
import { openVideo, type VideoOptions } from '../../../media/video/video-frames.ts';

export function sample(name: string): string {
  return join('samples', name);
}

export async function withVideo<T>(
  name: string,
  options: VideoOptions,
  use: (source: FrameSource) => Promise<T>,
): Promise<T> {
  const video = await openVideo(sample(name), options);
  try {
    return await use(video);
  } finally {
    video.close();
  }
}
