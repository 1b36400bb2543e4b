/**
 * Descriptions of types and fields, from the file that is made with the bundle (cli/documentation.ts). They are read when somebody asks
 * for what needs them, and not kept: the documents and table columns made from them are.
 */
import { readFileSync } from 'node:fs';
import type { Describe } from '../../../api/openapi/schemas.ts';

/** Without the file (the bundle was never made) nothing is described. */
export function readDocumentation(): Describe {
	const types = read();
	return (type, field) => types[type]?.[field];
}

function read(): Readonly<Record<string, Readonly<Record<string, string>>>> {
	try {
		return JSON.parse(readFileSync(file(), 'utf8')) as Record<string, Record<string, string>>;
	} catch {
		return {};
	}
}

/** Beside the bundle's chunks; in dist/ when running from sources. */
function file(): URL {
	return new URL(import.meta.url.endsWith('.ts') ? '../../../dist/documentation.json' : './documentation.json', import.meta.url);
}
