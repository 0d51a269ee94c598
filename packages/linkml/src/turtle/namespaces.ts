/** The IRIs of RDF and XML Schema that the Turtle format uses itself. */
export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const XSD = 'http://www.w3.org/2001/XMLSchema#';

export const RDF_TYPE = `${RDF}type`;
export const RDF_FIRST = `${RDF}first`;
export const RDF_NIL = `${RDF}nil`;
/** A JSON value as a literal: what has no other form in RDF. */
export const RDF_JSON = `${RDF}JSON`;
export const RDF_LANG_STRING = `${RDF}langString`;

export const XSD_STRING = `${XSD}string`;
export const XSD_BOOLEAN = `${XSD}boolean`;
export const XSD_INTEGER = `${XSD}integer`;
export const XSD_DECIMAL = `${XSD}decimal`;
export const XSD_DOUBLE = `${XSD}double`;
export const XSD_ANY_URI = `${XSD}anyURI`;
