/** Characters that XML 1.0 forbids: control characters, lone surrogates, and two noncharacters. */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ESCAPED = /[&<>"\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** A text with U+FFFD for each character that XML forbids. */
export const inXml = (text: string): string => text.replaceAll(NO_XML, '\ufffd');

/** A text escaped for an element or for an attribute in double quotes. */
export const escapeText = (text: string): string => inXml(text).replaceAll(ESCAPED, (one) => ESCAPES[one]!);
