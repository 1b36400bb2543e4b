/** The kinds of the contract that are stored, and those that are another version of a stored one. */
import type { ResourceRow } from '../../../api/resources.ts';
import type { KindName } from '../../../api/kind-name.ts';
import { makeKind, type Kind } from './kinds.ts';
import { VERSIONS } from './versions.ts';

/** @param eventTtlMs how long what is kept for a while is kept; undefined: as the kind has it; 0: for ever */
export function builtInKinds(resources: readonly ResourceRow[], eventTtlMs?: number): readonly Kind[] {
	const keyOf = ({ group, version, kind }: KindName): string => `${group}/${version}/${kind}`;
	const kinds = new Map(resources.map((r) => [keyOf(r), keptFor(eventTtlMs, makeKind(r))]));
	for (const versions of VERSIONS) {
		const stored = kinds.get(keyOf(versions.stored)) as Kind;
		const other = kinds.get(keyOf(versions.other)) as Kind;
		const conversion = { ...versions.conversion, stored };
		kinds.set(keyOf(versions.other), { ...other, prefix: stored.prefix, conversion });
	}
	return [...kinds.values()];
}

function keptFor(ttlMs: number | undefined, kind: Kind): Kind {
	if (ttlMs === undefined || kind.strategy.ttlMs === undefined) return kind;
	const { ttlMs: _, ...strategy } = kind.strategy;
	return { ...kind, strategy: ttlMs === 0 ? strategy : { ...strategy, ttlMs } };
}
