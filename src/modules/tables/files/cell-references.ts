/** The references of the cells of a sheet, as the library needs them: in upper case, and each only once. */
import { TableError } from './limits.ts';

/** Some programs write `r="a1"`. */
export function withUpperReferences(xml: string): string {
  return xml.replaceAll(
    /(<(?:\w+:)?c\s(?:[^<>]*\s)?r=["'])([a-z]{1,3})(?=\d)/g,
    (_, before: string, letters: string) => before + letters.toUpperCase(),
  );
}

/** A cell with content, and where it says that it is. */
const REFERENCE = /<(?:\w+:)?c\s(?:[^<>]*\s)?r\s*=\s*["']([^"']*)["'][^<>]*(?<!\/)>/g;
/** Columns and rows that there are not have another message. */
const PLACE = /^\$?([A-Z]{1,5})\$?([1-9]\d{0,6})$/;

/**
 * Returns a sheet that has no cell twice: the library keeps the last one, and the other value would be lost.
 *
 * @throws TableError
 */
export function withoutRepeatedCells(xml: string): string {
  // Programs write cells in their order; only if they are not, all are compared.
  let last = 0;
  for (const [, reference = ''] of xml.matchAll(REFERENCE)) {
    const place = placeOf(reference);
    if (place <= last) return comparedAll(xml);
    last = place;
  }
  return xml;
}

function comparedAll(xml: string): string {
  const places = new Set<number>();
  for (const [, reference = ''] of xml.matchAll(REFERENCE)) {
    const place = placeOf(reference);
    if (places.has(place))
      throw new TableError(`The workbook is damaged: a sheet has the cell ${reference} twice.`);
    places.add(place);
  }
  return xml;
}

/** A number for each cell, in the order of rows. @throws TableError */
function placeOf(reference: string): number {
  const [, letters = '', row] = PLACE.exec(reference) ?? [];
  if (row === undefined)
    throw new TableError(`The workbook is damaged: a cell has "${reference}" as its reference.`);
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return Number(row) * 27 ** 5 + column;
}
