/** What XML 1.0 cannot hold: control characters, halves of characters, and two that are none. */
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

/** A text with U+FFFD for each character that XML cannot hold. */
export const inXml = (text: string): string => text.replaceAll(NO_XML, '\ufffd');

/** A text in an element or, in double quotes, in an attribute of an element. */
export const escapeText = (text: string): string => inXml(text).replaceAll(ESCAPED, (one) => ESCAPES[one]!);
