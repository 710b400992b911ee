/** A strict parser of comma-separated values (RFC 4180). Errors state the position. */
export function readCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length;) {
    const [field, end] = text[at] === '"' ? readQuoted(text, at) : plain(text, at);
    row.push(field);
    if (text[end] === ',') at = end + 1;
    else if (text.startsWith('\r\n', end)) {
      rows.push(row);
      row = [];
      at = end + 2;
      continue;
    } else throw new Error(`There is neither a comma nor a line break at ${end}.`);
    if (text.startsWith('\r\n', at)) {
      rows.push([...row, '']);
      row = [];
      at += 2;
    }
  }
  if (row.length > 0) throw new Error('The last line does not end.');
  return rows;
}

function readQuoted(text: string, from: number): readonly [string, number] {
  let field = '';
  for (let at = from + 1; ; at += 2) {
    const end = text.indexOf('"', at);
    if (end < 0) throw new Error(`What is quoted at ${from} does not end.`);
    field += text.slice(at, end);
    if (text[end + 1] !== '"') return [field, end + 1];
    field += '"';
    at = end;
  }
}

function plain(text: string, from: number): readonly [string, number] {
  const end = from + /^[^,\r\n"]*/.exec(text.slice(from))![0].length;
  return [text.slice(from, end), end];
}
