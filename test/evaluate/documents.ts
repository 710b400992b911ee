/** Short definitions of detection documents. */
export interface SomeTrack {
  readonly type?: string;
  readonly action?: string;
  readonly label?: string;
  readonly properties?: Readonly<Record<string, string>>;
  /** For visual tracks: frame, x, y, width, height and confidence. */
  readonly boxes?: readonly (readonly number[])[];
  /** For sounds: milliseconds. */
  readonly time?: readonly [start: number, stop: number];
}
export interface SomeMedium {
  readonly name: string;
  readonly type?: 'IMAGE' | 'VIDEO' | 'AUDIO';
  readonly frames?: number;
  readonly size?: readonly [width: number, height: number];
  readonly status?: string;
  readonly tracks?: readonly SomeTrack[];
}

const ACTION = 'A';

/** `actions`: those of the pipeline, in order. */
export function documentWith(
  media: readonly SomeMedium[],
  actions: readonly string[] = [ACTION],
  status = 'COMPLETE',
) {
  const tasks = actions.map((name) => ({ actionType: 'DETECTION', name: `${name} TASK`, description: '', actions: [{ name, algorithm: 'X', description: '', properties: {} }] })); // oxfmt-ignore
  return {
    jobId: 'host-7',
    status,
    pipeline: { name: 'P', description: '', tasks },
    media: media.map((medium, number) => mediumOf(medium, number + 1)),
  };
}

function mediumOf(
  { name, type = 'IMAGE', frames, size = [640, 480], status = 'COMPLETE', tracks = [] }: SomeMedium,
  mediaId: number,
) {
  const output: Record<string, { source: string; algorithm: string; tracks: object[] }[]> = {};
  for (const [index, track] of tracks.entries()) {
    const { type: trackType = 'CLASS', action = ACTION } = track;
    const entries = (output[trackType] ??= []);
    const entry = entries.find(({ source }) => source === action) ?? {
      source: action,
      algorithm: 'X',
      tracks: [],
    };
    if (!entries.includes(entry)) entries.push(entry);
    entry.tracks.push(trackOf(track, { type: trackType, action, index }));
  }
  return {
    ...{ mediaId, parentMediaId: -1, path: `file:///media/${name}`, mimeType: '', mediaType: type, status },
    length: frames ?? (type === 'AUDIO' ? -1 : 1),
    mediaMetadata: type === 'AUDIO' ? {} : { FRAME_WIDTH: String(size[0]), FRAME_HEIGHT: String(size[1]) },
    output,
  };
}

function trackOf(
  { label, properties = {}, boxes = [[0, 0, 0, 0, 0, -1]], time }: SomeTrack,
  { type, action, index }: { readonly type: string; readonly action: string; readonly index: number },
) {
  const detections = boxes.map(([offsetFrame = 0, x, y, width, height, confidence]) => ({
    ...{ offsetFrame, offsetTime: time?.[0] ?? offsetFrame * 40, x, y, width, height, confidence },
    ...{ detectionProperties: {}, artifactExtractionStatus: 'NOT_ATTEMPTED', artifactPath: null },
  }));
  return {
    ...{ id: `${type}-${index}`, index, type, source: action, confidence: detections[0]!.confidence },
    startOffsetFrame: detections[0]!.offsetFrame,
    stopOffsetFrame: detections.at(-1)!.offsetFrame,
    startOffsetTime: time?.[0] ?? detections[0]!.offsetTime,
    stopOffsetTime: time?.[1] ?? detections.at(-1)!.offsetTime,
    trackProperties: { ...(label === undefined ? {} : { CLASSIFICATION: label }), ...properties },
    exemplar: detections[0],
    detections,
  };
}
