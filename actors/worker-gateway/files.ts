/** Files of a sub-job: its component is told their paths, and what is stored of its answer names them by their keys. */
import type {
  ArtifactsWork,
  CopyWork,
  DetectWork,
  DocumentHead,
  DocumentMedium,
  DocumentWork,
  FeedWork,
  FinishPart,
  FinishWork,
  MarkupWork,
  PrepareWork,
  SubJobAssignment,
  TrackSource,
  UploadWork,
  WorkKind,
  WorkMedium,
} from '../../protocol/worker-protocol.ts';
import type { CheckedResult } from '../../results/check.ts';
import type { FileKey } from '../../results/file-keys.ts';

type Work = SubJobAssignment['work'];
type PathOf = (key: FileKey) => string;

/** What is to be done, with paths in place of keys. */
export function withPaths(kind: WorkKind, work: Work, at: PathOf): Work {
  return (PATHS_IN[kind] as (given: Work, at: PathOf) => Work)(work, at);
}

const PATHS_IN: { readonly [K in WorkKind]: (work: WorkOf<K>, at: PathOf) => Work } = {
  PREPARE: (work: PrepareWork, at) => ({ ...work, fetchTo: at(work.fetchTo) }),
  FEED: (work: FeedWork, at) => ({ ...onMedium(work, at), sources: sourcesAt(work.sources, at) }),
  DETECT: (work: DetectWork, at) => ({
    ...onMedium(work, at),
    ...(work.outputFolder === undefined ? {} : { outputFolder: at(work.outputFolder) }),
  }),
  FINISH: finishAt,
  ARTIFACTS: (work: ArtifactsWork, at) => ({
    ...onMedium(work, at),
    tracks: at(work.tracks),
    folder: at(work.folder),
  }),
  MARKUP: (work: MarkupWork, at) => ({
    ...onMedium(work, at),
    sources: sourcesAt(work.sources, at),
    folder: at(work.folder),
  }),
  DOCUMENT: (work: DocumentWork, at) => ({
    ...work,
    ...(work.mediaIndex === undefined ? {} : { mediaIndex: at(work.mediaIndex) }),
  }),
  UPLOAD: (work: UploadWork, at) => ({ ...work, path: at(work.path) }),
  COPY: (work: CopyWork, at) => ({ ...work, folder: at(work.folder) }),
};
type WorkOf<K extends WorkKind> = Extract<SubJobAssignment, { kind: K }>['work'];

function finishAt(work: FinishWork, at: PathOf): FinishWork {
  const { prepared, parts, annotated, derive, selectorsOutput } = work;
  return {
    ...onMedium(work, at),
    prepared: at(prepared),
    parts: parts.map((part) => partAt(part, at)),
    ...(annotated === undefined ? {} : { annotated: sourcesAt(annotated, at) }),
    ...(derive === undefined
      ? {}
      : { derive: { ...derive, folder: at(derive.folder), from: at(derive.from) } }),
    ...(selectorsOutput === undefined
      ? {}
      : { selectorsOutput: { ...selectorsOutput, file: at(selectorsOutput.file) } }),
  };
}

const partAt = ({ fed, ...part }: FinishPart, at: PathOf): FinishPart => ({
  ...part,
  path: at(part.path),
  ...(fed === undefined ? {} : { fed: { ...fed, path: at(fed.path) } }),
});

const onMedium = <W extends { readonly medium: WorkMedium }>(work: W, at: PathOf): W => ({
  ...work,
  medium: { ...work.medium, path: at(work.medium.path) },
});

const sourcesAt = (sources: readonly TrackSource[], at: PathOf): readonly TrackSource[] =>
  sources.map((source) => ({ ...source, path: at(source.path) }));

/** What a document is written from, with paths in place of keys. */
export async function* withTracksAt(
  input: AsyncIterable<DocumentHead | DocumentMedium>,
  at: PathOf,
): AsyncGenerator<DocumentHead | DocumentMedium> {
  for await (const line of input) {
    if (!('outputs' in line)) yield line;
    else
      yield {
        ...line,
        outputs: line.outputs.map((output) =>
          output.tracks === null ? output : { ...output, tracks: at(output.tracks) },
        ),
      };
  }
}

type Result = CheckedResult & { ok: true };

/** What an answer says, with keys in place of the paths that its component has named. */
export function withKeys(result: Result, keyOf: (path: string) => FileKey): Result {
  switch (result.kind) {
    case 'PREPARE':
      return { ...result, prepared: { ...result.prepared, path: keyOf(result.prepared.path) } };
    case 'MARKUP':
      return { ...result, markup: { ...result.markup, path: keyOf(result.markup.path) } };
    case 'FINISH':
    case 'ARTIFACTS': {
      const { derived } = result.summary;
      if (derived === undefined) return result;
      const named = derived.map((one) => ({ ...one, path: keyOf(one.path) }));
      return { ...result, summary: { ...result.summary, derived: named } };
    }
    case 'DETECT':
    case 'FEED':
    case 'UPLOAD':
    case 'DOCUMENT':
    case 'COPY':
      return result;
  }
}
