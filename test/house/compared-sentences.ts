/** Places where code compares a sentence: what is said to people may change at any time, so errors carry codes. */

/** Files that read a sentence of somebody else, and why there is no other way. */
export const FOREIGN_SENTENCES: Readonly<Record<string, string>> = {
  'media/picture/image-frame.ts': 'sharp gives its errors no codes.',
  'store/redis/connection.ts': 'The code of an error of Redis is the first word of its message.',
  'store/redis/redis-store.ts': 'The code of an error of Redis is the first word of its message.',
  'store/redis/scripts.ts': 'The code of an error of Redis is the first word of its message.',
};

const COMPARED: readonly RegExp[] = [
  // error.message === 'Something', and the other way round; an empty message may be asked for.
  /\bmessage\s*[!=]==?\s*(['"`])[^'"`]*[^'"`\w][^'"`]*\1/,
  /(['"`])[^'"`]*[^'"`\w][^'"`]*\1\s*[!=]==?\s*[\w.?]*\bmessage\b/,
  /\.message\??\.(?:includes|startsWith|endsWith|match|search|indexOf)\(/,
  /\.(?:test|exec)\((?:String\(\w*(?:err|error|reason)\)|\w+\(error\)|(?:[\w?]+\.)*message)\)/,
  // A whole sentence of ours, whatever it is compared with.
  /(?:[!=]==?|\bcase)\s*(['"`])[A-Z][^'"`\n]* [^'"`\n]*\.\1/,
];

/** The lines of a source that compare sentences. */
export const comparedSentences = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => COMPARED.some((pattern) => pattern.test(line)))
    .map((line) => line.trim());
