// The only file that imports the compiler. Version 7 has no such API; its replacement will go here.
import ts from 'typescript';

export { ts };
