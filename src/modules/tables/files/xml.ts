/** Texts as XML. */

/** A string as content or attribute value. Characters that XML cannot have become U+FFFD. */
export function encodeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '_x000D_');
}

/** The text of a cell: what XML cannot have, or would change, becomes `_xHHHH_`, and so does a `_` that begins such a string. */
export function encodedCell(text: string): string {
  const code = (found: string) => `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  return encodeXml(
    text.replaceAll(/_(?=x[0-9a-fA-F]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff]|\p{Surrogate}/gu, code),
  );
}
