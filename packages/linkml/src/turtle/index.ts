/** The package entry `accession-linkml/turtle`: objects of LinkML classes as Turtle, both ways, and SHACL shapes for it. */
export { readTurtle } from './read/read-turtle.ts';
export { type GeneratedShapes, type ShaclOptions, shaclShapes } from './shacl/shacl.ts';
export { writeTurtle } from './write/write-turtle.ts';
