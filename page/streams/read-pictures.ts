/** Extracts JPEG pictures from the parts of a multipart answer. */
const HEAD_END = '\r\n\r\n';
/** Maximum number of bytes before a part and in its head. */
const MOST_HEAD = 1_000;

export async function readPictures(
  body: ReadableStream<Uint8Array>,
  onPicture: (picture: Blob) => void,
): Promise<void> {
  const reader = body.getReader();
  let bytes = new Uint8Array();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes = joinBytes(bytes, value);
    for (let part = partOf(bytes); part !== undefined; part = partOf(bytes)) {
      // If several pictures arrive together, only the last one is shown.
      bytes = bytes.slice(part.end);
      if (partOf(bytes) === undefined) onPicture(new Blob([part.picture], { type: 'image/jpeg' }));
    }
  }
}

/** Returns the first complete part. */
function partOf(bytes: Uint8Array) {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, MOST_HEAD));
  const start = head.indexOf(HEAD_END);
  const length = /content-length: (\d{1,9})/i.exec(head.slice(0, start))?.[1];
  if (start < 0 || length === undefined) return undefined;
  const end = start + HEAD_END.length + Number(length);
  if (bytes.length < end) return undefined;
  return { picture: bytes.slice(start + HEAD_END.length, end), end };
}

function joinBytes(before: Uint8Array, next: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(before.length + next.length);
  all.set(before);
  all.set(next, before.length);
  return all;
}
