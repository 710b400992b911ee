/** Edit lists of MP4 files (ISO 14496-12, 8.6.6): which stretches of the stored pictures are shown, and in which order. */

export interface Edit {
  /** How long it is shown. */
  readonly ms: number;
  /** Where it begins among the stored pictures, in ticks of the track. */
  readonly from: number;
  /** The picture at that place stands still. */
  readonly still?: boolean;
}

/** The MP4 file with these edits. Its index must lie behind its pictures, so that none of them moves. */
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
