/** Files in messages to components: stored by key, sent as paths. */
import type { WorkMedium } from '../../../protocol/media-work.ts';
import type { TrackSource } from '../../../protocol/track-work.ts';
import type { FileKey } from '../../../results/file-keys.ts';

export type PathOf = (key: FileKey) => string;
export type KeyOf = (path: string) => FileKey;

export const onMedium = <W extends { readonly medium: WorkMedium }>(work: W, at: PathOf): W => ({
  ...work,
  medium: { ...work.medium, path: at(work.medium.path) },
});

export const sourcesAt = (sources: readonly TrackSource[], at: PathOf): readonly TrackSource[] =>
  sources.map((source) => ({ ...source, path: at(source.path) }));
