/**
 * Finds code that compares error messages. Messages may change at any time, so code must compare error codes.
 */

/** Files that must read messages of other software, with the reason. */
export const FOREIGN_SENTENCES: Readonly<Record<string, string>> = {
  'media/picture/image-frame.ts': 'sharp gives its errors no codes.',
  'store/redis/connection.ts': 'The code of an error of Redis is the first word of its message.',
  'store/redis/redis-store.ts': 'The code of an error of Redis is the first word of its message.',
  'store/redis/scripts.ts': 'The code of an error of Redis is the first word of its message.',
};

const COMPARED: readonly RegExp[] = [
  // error.message === 'Something', in either order. Comparing with an empty message is allowed.
  /\bmessage\s*[!=]==?\s*(['"`])[^'"`]*[^'"`\w][^'"`]*\1/,
  /(['"`])[^'"`]*[^'"`\w][^'"`]*\1\s*[!=]==?\s*[\w.?]*\bmessage\b/,
  /\.message\??\.(?:includes|startsWith|endsWith|match|search|indexOf)\(/,
  /\.(?:test|exec)\((?:String\(\w*(?:err|error|reason)\)|\w+\(error\)|(?:[\w?]+\.)*message)\)/,
  // A complete sentence of the product, compared with anything.
  /(?:[!=]==?|\bcase)\s*(['"`])[A-Z][^'"`\n]* [^'"`\n]*\.\1/,
];

/** Lines that compare messages. */
export const comparedSentences = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => COMPARED.some((pattern) => pattern.test(line)))
    .map((line) => line.trim());
