/** The package entry `accession/linkml/turtle`: objects of LinkML classes as Turtle, both ways. */
export { readTurtle } from './turtle-read.ts';
export { writeTurtle } from './turtle-write.ts';
