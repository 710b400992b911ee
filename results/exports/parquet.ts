/**
 * Parquet: a row for each detection, with the columns of the CSV. Row groups are written one after the other, so memory holds one of them.
 */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { FoundDetection, FoundMedium, FoundTrack, Through, Writer } from '../document/findings.ts';
import { isItsExemplar, UprightBoxes, wordsOf } from './lines.ts';

/** Limits of a row group. The first one reached ends it. */
const GROUP_ROWS = 20_000;
const GROUP_CHARACTERS = 8 * 1024 * 1024;
/** Maximum bytes of the smallest and largest text of a column in the file's statistics. */
const STATISTICS_BYTES = 64;

export async function* parquet(through: Through, mediaId: number | undefined): AsyncGenerator<Uint8Array> {
  const rows = new RowWriter();
  const file = new ParquetFile();
  for await (const _ of through(rows, mediaId)) if (rows.isGroup) yield file.group(rows.take());
  if (rows.count > 0) yield file.group(rows.take());
  yield file.end();
}

type Box = Pick<FoundDetection, 'x' | 'y' | 'width' | 'height'>;
/** Data of a row. */
interface Row {
  readonly one: FoundDetection;
  readonly track: FoundTrack;
  readonly upright: Box;
  /** JSON of its properties, made once for each track. */
  readonly trackProperties: string;
}
type Value = string | number | bigint | boolean | null;
interface Column {
  readonly name: string;
  readonly type: 'BYTE_ARRAY' | 'INT64' | 'DOUBLE' | 'BOOLEAN';
  readonly isOptional: boolean;
  readonly of: (row: Row) => Value;
}

const text = (name: string, of: (row: Row) => string | null, isOptional = false): Column => ({
  ...{ name, type: 'BYTE_ARRAY', of, isOptional },
});
/** Numbers are rounded, because a document of another service may contain fractions. */
const whole = (name: string, of: (row: Row) => number): Column => ({
  ...{ name, type: 'INT64', of: (row) => BigInt(Math.round(of(row))), isOptional: false },
});
const real = (name: string, of: (row: Row) => number): Column => ({
  ...{ name, type: 'DOUBLE', of, isOptional: false },
});
const word = (name: string, at: number): Column =>
  text(name, ({ one, track }) => wordsOf(one, track)[at] ?? null, true);

const COLUMNS: readonly Column[] = [
  text('job_id', ({ track }) => track.jobId),
  whole('media_id', ({ track }) => track.medium.mediaId),
  whole('parent_media_id', ({ track }) => track.medium.parentMediaId),
  text('medium', ({ track }) => track.medium.path),
  text('media_type', ({ track }) => track.medium.mediaType),
  text('task', ({ track }) => track.task, true),
  text('action', ({ track }) => track.action),
  text('algorithm', ({ track }) => track.algorithm),
  text('type', ({ track }) => track.type),
  text('track_id', ({ track }) => track.id),
  whole('track_index', ({ track }) => track.index),
  real('track_confidence', ({ track }) => track.confidence),
  whole('track_start_ms', ({ track }) => track.startOffsetTime),
  whole('track_stop_ms', ({ track }) => track.stopOffsetTime),
  whole('frame', ({ one }) => one.offsetFrame),
  whole('offset_ms', ({ one }) => one.offsetTime),
  real('x', ({ one }) => one.x),
  real('y', ({ one }) => one.y),
  real('width', ({ one }) => one.width),
  real('height', ({ one }) => one.height),
  real('upright_x', ({ upright }) => upright.x),
  real('upright_y', ({ upright }) => upright.y),
  real('upright_width', ({ upright }) => upright.width),
  real('upright_height', ({ upright }) => upright.height),
  real('confidence', ({ one }) => one.confidence),
  {
    name: 'is_exemplar',
    type: 'BOOLEAN',
    of: ({ one, track }) => isItsExemplar(one, track),
    isOptional: false,
  },
  text('artifact', ({ one }) => one.artifactPath, true),
  word('classification', 0),
  word('text', 1),
  word('transcript', 2),
  text('track_properties', ({ trackProperties }) => trackProperties),
  text('properties', ({ one }) => JSON.stringify(one.detectionProperties)),
];

type Values = readonly (readonly Value[])[];

/** Collects the rows of a group, column by column. */
class RowWriter implements Writer {
  readonly #boxes = new UprightBoxes();
  #columns: Value[][] = COLUMNS.map(() => []);
  #trackProperties = '';
  #characters = 0;

  get count(): number {
    return this.#columns[0]!.length;
  }

  get isGroup(): boolean {
    return this.count >= GROUP_ROWS || this.#characters >= GROUP_CHARACTERS;
  }

  /** The rows since the last call. */
  take(): Values {
    const taken = this.#columns;
    this.#columns = COLUMNS.map(() => []);
    this.#characters = 0;
    return taken;
  }

  medium(medium: FoundMedium): string {
    this.#boxes.enter(medium);
    return '';
  }

  track({ trackProperties }: FoundTrack): string {
    this.#trackProperties = JSON.stringify(trackProperties);
    return '';
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    const row = { one, track, upright: this.#boxes.of(one), trackProperties: this.#trackProperties };
    for (const [at, { of }] of COLUMNS.entries()) {
      const value = of(row);
      this.#columns[at]!.push(value);
      if (typeof value === 'string') this.#characters += value.length;
    }
    return '';
  }
}

/** The file in pieces. */
class ParquetFile {
  readonly #bytes = new ByteWriter();
  readonly #writer = new ParquetWriter({
    writer: this.#bytes,
    createdBy: 'Troupe',
    statisticsTruncateLength: STATISTICS_BYTES,
    schema: [
      { name: 'detections', num_children: COLUMNS.length },
      ...COLUMNS.map(({ name, type, isOptional }) => ({
        ...{ name, type },
        ...(type === 'BYTE_ARRAY' ? ({ converted_type: 'UTF8' } as const) : {}),
        repetition_type: isOptional ? ('OPTIONAL' as const) : ('REQUIRED' as const),
      })),
    ],
  });

  group(values: Values): Uint8Array {
    const columnData = COLUMNS.map(({ name }, at) => ({ name, data: [...values[at]!] }));
    void this.#writer.write({ columnData, rowGroupSize: Infinity });
    return this.#take();
  }

  end(): Uint8Array {
    void this.#writer.finish();
    return this.#take();
  }

  #take(): Uint8Array {
    const piece = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return piece;
  }
}
