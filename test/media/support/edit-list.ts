/**
 * Edit lists of MP4 files (ISO 14496-12, 8.6.6): which parts of the stored video are shown, and in which
 * order.
 */

export interface Edit {
  /** Duration on the timeline. */
  readonly ms: number;
  /** Start in the stored video, in ticks of the track. */
  readonly from: number;
  /** Shows the frame at this place as a still. */
  readonly still?: boolean;
}

/** Adds these edits to an MP4 file. Its index must come after the media data, so that no frame moves. */
export function withEdits(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const at = bytes.indexOf('elst') - 4;
  const size = bytes.readUInt32BE(at);
  const list = editList(edits);
  const file = Buffer.concat([bytes.subarray(0, at), list, bytes.subarray(at + size)]);
  for (const box of ['moov', 'trak', 'edts']) {
    const head = file.indexOf(box) - 4;
    file.writeUInt32BE(file.readUInt32BE(head) + list.length - size, head);
  }
  return file;
}

function editList(edits: readonly Edit[]): Buffer {
  const list = Buffer.alloc(16 + edits.length * 12);
  list.writeUInt32BE(list.length, 0);
  list.write('elst', 4, 'latin1');
  list.writeUInt32BE(edits.length, 12);
  for (const [index, { ms, from, still = false }] of edits.entries()) {
    list.writeUInt32BE(ms, 16 + index * 12);
    list.writeInt32BE(from, 20 + index * 12);
    list.writeInt16BE(still ? 0 : 1, 24 + index * 12);
  }
  return list;
}
