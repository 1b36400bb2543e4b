/** The contract's files as the generator reads them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ContractField {
	readonly type: string;
	readonly list?: boolean;
	readonly map?: boolean;
	readonly inline?: boolean;
}

export interface ContractType {
	readonly fields?: Readonly<Record<string, ContractField>>;
	readonly required?: readonly string[];
	readonly gvk?: readonly (readonly [group: string, version: string, kind: string])[];
	readonly scalar?: string;
	readonly encoding?: string;
	readonly list?: boolean;
	readonly map?: boolean;
	readonly type?: string;
}

/** A row of discovery; a subresource's name is "plural/name". */
export interface ResourceLine {
	readonly groupVersion: string;
	readonly resource: string;
	readonly kind: string;
	readonly namespaced: string;
	readonly verbs: string;
	readonly shortNames: string;
	readonly categories: string;
	readonly singular: string;
	readonly kindGroupVersion: string;
}

const FOLDER = join(import.meta.dirname, '..', 'contract');

export function readTypes(): ReadonlyMap<string, ContractType> {
	return new Map(Object.entries(JSON.parse(readFileSync(join(FOLDER, 'types.json'), 'utf8')) as Record<string, ContractType>));
}

export function readResources(): readonly ResourceLine[] {
	const [head = '', ...lines] = readFileSync(join(FOLDER, 'resources.tsv'), 'utf8').trimEnd().split('\n');
	const columns = head.split('\t');
	return lines.map((line) => {
		const cells = line.split('\t');
		return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ''])) as unknown as ResourceLine;
	});
}

/** "apps/v1" as group and version; the core group is ''. */
export function splitGroupVersion(text: string): readonly [group: string, version: string] {
	const at = text.indexOf('/');
	return at < 0 ? ['', text] : [text.slice(0, at), text.slice(at + 1)];
}
