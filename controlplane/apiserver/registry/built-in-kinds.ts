/** The kinds of the contract that are stored, and those that are another version of a stored one. */
import type { ResourceRow } from '../../../api/resources.ts';
import type { KindName } from '../../../api/kind-name.ts';
import { makeKind, type Kind } from './kinds.ts';
import { VERSIONS } from './versions.ts';

export function builtInKinds(resources: readonly ResourceRow[]): readonly Kind[] {
	const keyOf = ({ group, version, kind }: KindName): string => `${group}/${version}/${kind}`;
	const kinds = new Map(resources.map((r) => [keyOf(r), makeKind(r)]));
	for (const versions of VERSIONS) {
		const stored = kinds.get(keyOf(versions.stored)) as Kind;
		const other = kinds.get(keyOf(versions.other)) as Kind;
		const conversion = { ...versions.conversion, stored };
		kinds.set(keyOf(versions.other), { ...other, prefix: stored.prefix, conversion });
	}
	return [...kinds.values()];
}
